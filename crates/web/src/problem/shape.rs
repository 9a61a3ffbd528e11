//! Writes problems as answers, in the format of document 1 or in the format of listing and chain
//! management.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{FieldError, Problem};
use crate::failure::{Failure, FailureEntry};
use crate::refusal::{Class, Refusal};
use crate::refusals::DescribedRefusal;

/// The request id that example refusals show.
const EXAMPLE_REQUEST_ID: &str = "3f8c2a54-8f0e-4d1b-9d52-6f0c1f1f7a10";

/// A refusal (RFC 9457).
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct Document<'a> {
    /// The kind of problem, for programs.
    #[schema(pattern = "^urn:onward:problem:[a-z-]+$")]
    r#type: String,
    /// The kind of problem, for people.
    title: &'a str,
    /// The HTTP status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// The error in this request, and its correction.
    detail: String,
    /// The request's id, as in `X-Request-Id`. Quote it when you ask for help.
    #[schema(format = "uuid")]
    #[serde(rename = "requestId")]
    request_id: &'a str,
    /// The values that break a rule. Present only with status 422.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    /// One entry for each value of a chain query, as in its answer. Present only with status 404 and
    /// `explain=true`.
    #[schema(value_type = Option<Vec<Object>>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Value>,
    /// The fields of a chain query that it ignored, as in its answer. Present only with status 404 and
    /// `explain=true`.
    #[serde(rename = "ignoredFields", skip_serializing_if = "Option::is_none")]
    ignored_fields: Option<&'a [String]>,
}

impl Problem {
    /// The answer in document 1's format, with the request's id in its body.
    pub fn to_response(&self, request_id: &str) -> Response {
        self.to_parts(request_id).into_response()
    }

    /// The answer in the format of listing and chain management (S-40).
    pub fn to_failure_response(&self) -> Response {
        self.to_failure_parts().into_response()
    }

    /// The answer in document 1's format, as the OpenAPI document shows it.
    pub fn to_refusal(&self) -> DescribedRefusal {
        let (_status, slug, title) = self.class();
        let (status, headers, body) = self.to_parts(EXAMPLE_REQUEST_ID);
        DescribedRefusal {
            name: slug.to_owned(),
            title: title.to_owned(),
            schema: "Problem",
            status,
            headers,
            body,
        }
    }

    /// The answer in the format of S-40, as the OpenAPI document shows it.
    pub fn to_failure_refusal(&self) -> DescribedRefusal {
        let (_status, _slug, title) = self.class();
        let (_status, failure) = self.to_failure();
        let (status, headers, body) = self.to_failure_parts();
        let first = failure.errors.into_iter().next();
        DescribedRefusal {
            name: first.map(|entry| entry.code).unwrap_or_default(),
            title: title.to_owned(),
            schema: "Failure",
            status,
            headers,
            body,
        }
    }

    fn to_parts(&self, request_id: &str) -> (StatusCode, HeaderMap, Vec<u8>) {
        let (status, slug, title) = self.class();
        let errors: &[FieldError] = if let Self::ValuesInvalid(errors) = self {
            errors
        } else {
            &[]
        };
        let explained = if let Self::NothingFits(_, explained) = self {
            Some(explained)
        } else {
            None
        };
        let document = Document {
            r#type: format!("urn:onward:problem:{slug}"),
            title,
            status: status.as_u16(),
            detail: self.detail(),
            request_id,
            errors,
            explanation: explained.map(|explained| &explained.explanation),
            ignored_fields: explained.map(|explained| &*explained.ignored_fields),
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        (status, self.all_headers("application/problem+json"), body)
    }

    fn to_failure_parts(&self) -> (StatusCode, HeaderMap, Vec<u8>) {
        let (status, failure) = self.to_failure();
        let body = serde_json::to_vec(&failure).unwrap_or_default();
        (status, self.all_headers("application/json"), body)
    }

    /// Status and body in the format of S-40.
    pub fn to_failure(&self) -> (StatusCode, Failure) {
        let (status, slug, _title) = self.class();
        let message = self.detail();
        let entry = |code: &str, field: Option<String>, detail: String| FailureEntry {
            code: code.to_owned(),
            field,
            detail,
        };
        let errors = if let Self::ValuesInvalid(errors) = self {
            let to_entry = |error: &FieldError| {
                let field = Some(error.pointer.clone());
                entry("value_invalid", field, error.detail.clone())
            };
            errors.iter().map(to_entry).collect()
        } else if let Self::Refused(refusal) = self {
            let field = refusal.field.as_deref().map(ToOwned::to_owned);
            vec![entry(&refusal.code, field, message.clone())]
        } else {
            vec![entry(&slug.replace('-', "_"), None, message.clone())]
        };
        let failure = Failure {
            message,
            success: false,
            data: [],
            errors,
        };
        (status, failure)
    }

    /// The refusal by a rule or of values that [`Problem::to_failure`] wrote.
    pub fn of_failure(status: StatusCode, failure: Failure) -> Self {
        let Some(class) = Class::of_status(status) else {
            return Self::Internal(format!("a refusal has the status {status}"));
        };
        // The message about values names their fields as well.
        let mut entries = failure.errors.into_iter();
        match entries.next() {
            Some(only) if only.detail == failure.message => Self::Refused(Refusal {
                class,
                code: only.code.into(),
                field: only.field.map(Into::into),
                detail: only.detail,
                is_passing: false,
            }),
            first => {
                let all = first.into_iter().chain(entries);
                let to_error = |entry: FailureEntry| {
                    FieldError::new(&entry.field.unwrap_or_default(), entry.detail)
                };
                Self::ValuesInvalid(all.map(to_error).collect())
            }
        }
    }

    fn all_headers(&self, kind: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for (name, value) in self.headers() {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_refusal_is_read_as_it_was() {
        let wrong = |pointer: &str| FieldError::new(pointer, "is missing");
        for problem in [
            Problem::Refused(Refusal::unknown_listing(7)),
            Problem::Refused(Refusal::forbidden(
                "branch 7 is not one of yours".to_owned(),
            )),
            Problem::Refused(
                Refusal::conflict("same_chain", "one chain".to_owned()).about("buyer"),
            ),
            Problem::Refused(Refusal::invalid(
                "value_invalid",
                "price",
                "is wrong".to_owned(),
            )),
            Problem::ValuesInvalid(vec![wrong("price")]),
            Problem::ValuesInvalid(vec![wrong("price"), wrong("address.postcode")]),
        ] {
            let (status, failure) = problem.to_failure();
            let written = serde_json::to_string(&failure).unwrap();
            let read = Problem::of_failure(status, serde_json::from_str(&written).unwrap());
            assert_eq!(read, problem);
            assert_eq!(
                serde_json::to_string(&read.to_failure().1).unwrap(),
                written
            );
        }
    }
}
