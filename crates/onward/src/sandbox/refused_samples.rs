//! Values that a sandbox always refuses, so that integrators can try each refusal.
//!
//! Two are properties of the store that no listing sells, so the service itself refuses them. For the
//! other two, a layer refuses in the place of a busy service. Only `onward sandbox` has this layer.

use std::path::Path;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode};
use import::Observer;
use observe::clock::Clock;
use provision::files;
use storage::Storage;
use web::form::{Form, read_body};
use web::limits::FORM_BODY_BYTES_MAX;
use web::problem::Problem;

use super::SandboxError;

/// Each query for it gets 429.
pub(super) const UPRN_RATE_LIMITED: u64 = 899_999_999_429;
/// Each query for it gets 503.
pub(super) const UPRN_UNAVAILABLE: u64 = 899_999_999_503;
/// A property that no listing sells.
pub(super) const UPRN_NOT_LISTED: u64 = 899_999_999_404;
/// Two properties have this address, in two postcodes.
pub(super) const ADDRESS_AMBIGUOUS: &str = "1 Twin Lane, Lincoln";

/// The properties, as rows of an import. Lincoln has no such postcodes.
const ROWS: &str = r#"{"type":"property","uprn":899999999404,"line1":"3 Unlisted Lane","post_town":"Lincoln","postcode":"LN99 9AA"}
{"type":"property","uprn":899999999301,"line1":"1 Twin Lane","post_town":"Lincoln","postcode":"LN99 9AB"}
{"type":"property","uprn":899999999302,"line1":"1 Twin Lane","post_town":"Lincoln","postcode":"LN99 9AD"}
"#;
/// `Retry-After` of 429 and 503.
const WAIT_SECONDS: u64 = 2;

/// Adds the properties to the store, unless it has them.
pub(super) fn ensure_properties(
    storage: &Storage,
    clock: &Clock,
    directory: &Path,
    observer: &mut dyn Observer,
) -> Result<(), SandboxError> {
    let path = directory.join("refused-samples.ndjson");
    files::write(&path, ROWS).map_err(SandboxError::new)?;
    let imported = import::import_files(storage, clock, &[path], observer);
    imported.map(drop).map_err(SandboxError::new)
}

/// Each value, and the answer to it.
pub(super) fn describe() -> Vec<(String, String)> {
    let line = |value: String, answer: &str| (value, answer.to_owned());
    vec![
        line(
            format!("UPRN {UPRN_RATE_LIMITED}"),
            "429, as past the rate limit",
        ),
        line(
            format!("UPRN {UPRN_UNAVAILABLE}"),
            "503, as from a busy service",
        ),
        line(
            format!("UPRN {UPRN_NOT_LISTED}"),
            "404: a property that is not on sale",
        ),
        line(ADDRESS_AMBIGUOUS.to_owned(), "404: several properties fit"),
    ]
}

/// Refuses a chain query that names one of the UPRNs. A caller who may not ask is refused like
/// everybody else, because the route answers first.
pub(super) async fn refuse_samples(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !request.uri().path().ends_with("/chains") {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let body = match read_body(&parts.headers, body, FORM_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(problem) => return problem.into_response(),
    };
    let form = Form::read(&parts.headers, Body::from(body.clone())).await;
    let refusal = form.ok().as_ref().and_then(find_refusal);
    let answer = next.run(Request::from_parts(parts, Body::from(body))).await;
    let is_allowed = [StatusCode::OK, StatusCode::NOT_FOUND].contains(&answer.status());
    match refusal {
        Some(problem) if is_allowed => problem.into_response(),
        Some(_) | None => answer,
    }
}

fn find_refusal(form: &Form) -> Option<Problem> {
    if form.find("inputType") != Some("uprn") {
        return None;
    }
    let values = form.list("value").into_iter();
    let mut uprns = values.filter_map(|value| value.trim().parse::<u64>().ok());
    uprns.find_map(|uprn| match uprn {
        UPRN_RATE_LIMITED => Some(Problem::RateLimited(WAIT_SECONDS)),
        UPRN_UNAVAILABLE => {
            let why = "the sandbox refuses this UPRN always".to_owned();
            Some(Problem::Unavailable(WAIT_SECONDS, why))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(body: &str) -> Option<u16> {
        let form = Form::parse_urlencoded(body.as_bytes()).unwrap();
        find_refusal(&form).map(|problem| problem.status_and_title().0.as_u16())
    }

    #[test]
    fn a_query_with_one_of_the_uprns_is_refused() {
        let one = "inputType=uprn&value%5B%5D=";
        assert_eq!(status(&format!("{one}899999999429")), Some(429));
        assert_eq!(status(&format!("{one}+0899999999503+")), Some(503));
        let second = "inputType=uprn&value[0]=7&value[1]=899999999503";
        assert_eq!(status(second), Some(503));
        assert_eq!(status(&format!("{one}899999999404")), None);
        assert_eq!(status("inputType=address&value[]=899999999429"), None);
        assert_eq!(status("inputType=uprn&other[]=899999999429"), None);
    }
}
