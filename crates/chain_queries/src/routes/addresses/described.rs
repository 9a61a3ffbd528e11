//! The OpenAPI description of the address look-up: parameters and refusals.

use utoipa::openapi::Required;
use utoipa::openapi::path::Parameter;
use web::parameters::in_query;
use web::problem::{FieldError, Problem};
use web::{parameters, refusals, schema};

use crate::limits;
use crate::openapi::describe;

parameters!(SearchParameters = search_parameters());

/// The parameters that `AddressSearch::parse` parses.
fn search_parameters() -> [Parameter; 2] {
    let text = schema::text(limits::VALUE_CHARACTERS_MAX);
    let mut q = in_query("q", "A part of an address, or a postcode.", text);
    q.required = Required::True;
    let limit = schema::integer(1, limits::SUGGESTIONS_MAX as u64)
        .default(Some(limits::SUGGESTIONS_DEFAULT.into()));
    [
        q,
        in_query("limit", "The maximum number of suggestions.", limit),
    ]
}

refusals!(Refusals = describe(of_search()));

/// The refusals of the address look-up.
fn of_search() -> Vec<Problem> {
    let wrong = FieldError {
        pointer: "limit".to_owned(),
        detail: format!("must be an integer from 1 to {}", limits::SUGGESTIONS_MAX),
    };
    vec![Problem::ValuesInvalid(vec![wrong])]
}
