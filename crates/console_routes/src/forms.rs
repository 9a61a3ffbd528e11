//! Forms that stand for calls of listing and chain management (document 2).

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use http::StatusCode;
use listing_management::write_request::WriteRequest;
use serde::Deserialize;
use serde_json::Value;
use web::form::Form;
use web::problem::{FieldError, Problem};
use web::refusal::{Class, Refusal};

/// A form of the console, read within bounds.
#[derive(Debug)]
pub(crate) struct PostedForm {
    path: String,
    form: Form,
}

impl<S: Send + Sync> FromRequest<S> for PostedForm {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let path = request.uri().path().to_owned();
        let (parts, body): (_, Body) = request.into_parts();
        let form = Form::read(&parts.headers, body).await?;
        Ok(Self { path, form })
    }
}

impl PostedForm {
    /// The value of a field without white space around it; empty if the form lacks it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.form.find(name).unwrap_or_default().trim()
    }

    /// The value of a field as it was sent; `None` if the form lacks it.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.form.find(name)
    }

    /// All values of a repeated field.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        self.form.all(name)
    }

    /// A field as a JSON number if it is one. Another text stays a text, and the call refuses it.
    pub(crate) fn number(&self, name: &str) -> Value {
        let text = self.text(name);
        read_number(text).map_or_else(|| Value::String(text.to_owned()), Value::from)
    }

    /// The call with this body that the form stands for.
    pub(crate) fn call(&self, body: &Value) -> Result<WriteRequest, Problem> {
        WriteRequest::of_form(&self.path, Some(self.text("idempotency_key")), body)
    }

    /// The call without a body that the form stands for, which does the same when it is repeated. All
    /// forms of a page have the same `idempotency_key`, so an old page may send it for another change.
    pub(crate) fn repeatable_call(&self) -> Result<WriteRequest, Problem> {
        WriteRequest::of_form(&self.path, None, &Value::Object(serde_json::Map::new()))
    }
}

/// Reads a whole number as people type it: `350000`, `£350,000`, `350 000`.
fn read_number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('£').trim_start();
    let mut groups = text.split([',', ' ']);
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    if !rest.iter().all(|group| group.len() == 3) {
        return None;
    }
    format!("{first}{}", rest.concat()).parse().ok()
}

/// A refusal in the format of listing and chain management (S-40).
#[derive(Deserialize)]
struct Failure {
    errors: Vec<FailureEntry>,
}

#[derive(Deserialize)]
struct FailureEntry {
    #[serde(default)]
    field: Option<String>,
    detail: String,
}

/// Turns a refusal that a call kept for its key back into a problem. A refusal that is not kept is one
/// already.
pub(crate) async fn outcome(answer: Result<Response, Problem>) -> Result<Response, Problem> {
    let answer = answer?;
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let class = match status {
        StatusCode::FORBIDDEN => Class::Forbidden,
        StatusCode::NOT_FOUND => Class::Unknown,
        StatusCode::CONFLICT => Class::Conflict,
        _other => Class::Invalid,
    };
    let unreadable = |error: &dyn std::fmt::Display| Problem::Internal(error.to_string());
    let body = to_bytes(answer.into_body(), web::limits::JSON_BODY_BYTES_MAX).await;
    let body = body.map_err(|error| unreadable(&error))?;
    let failure: Failure = serde_json::from_slice(&body).map_err(|error| unreadable(&error))?;
    if class == Class::Invalid {
        let errors = failure.errors.into_iter().map(|entry| FieldError {
            pointer: entry.field.unwrap_or_default(),
            detail: entry.detail,
        });
        return Err(Problem::ValuesInvalid(errors.collect()));
    }
    let details: Vec<String> = failure
        .errors
        .into_iter()
        .map(|entry| entry.detail)
        .collect();
    Err(Problem::Refused(Refusal {
        class,
        code: "refused",
        field: None,
        detail: details.join("; "),
    }))
}

#[cfg(test)]
mod tests {
    use super::read_number;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for text in ["350000", "£350,000", "350 000", "£ 350,000", "350,000"] {
            assert_eq!(read_number(text), Some(350_000), "{text}");
        }
        for text in ["350000,00", "350.000", "350,00", "", "£", "3,5,0", "350k"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }
}
