//! Refusals that operations of several areas share, as OpenAPI describes them.

use axum::body::Bytes;

use crate::fields::Fields;
use crate::known_parameters;
use crate::limits;
use crate::page::Query;
use crate::problem::Problem;

/// Refusals of a request with a body of any content.
pub fn any_body() -> Vec<Problem> {
    vec![
        Problem::BodyMalformed("The body ended before it was complete.".to_owned()),
        Problem::ContentEncoded,
        Problem::BodyTooSlow,
        Problem::BodyTooLarge(limits::JSON_BODY_BYTES_MAX),
    ]
}

/// Refusals of the members of a JSON body, with this one as the example.
pub fn wrong_member(name: &str, detail: &str) -> Vec<Problem> {
    let mut all = vec![
        Problem::MediaTypeUnsupported("application/json"),
        Problem::value_invalid(name, detail),
    ];
    all.extend(Fields::parse(&Bytes::from_static(b"{")).err());
    all
}

/// Refusals of a query string.
pub fn query_string() -> Vec<Problem> {
    let too_many = "a&".repeat(limits::FORM_FIELDS_MAX + 1);
    let refused = [too_many.as_str(), "colour=red"].map(|text| known_parameters::check(text, &[]));
    refused.into_iter().filter_map(Result::err).collect()
}

/// Refusals of `page` and `per_page`.
pub fn pages() -> Vec<Problem> {
    let mut errors = Vec::new();
    if let Ok(query) = Query::parse(Some("per_page=0")) {
        query.page(&mut errors);
    }
    vec![Problem::ValuesInvalid(errors)]
}
