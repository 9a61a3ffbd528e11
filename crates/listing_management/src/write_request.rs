//! A request for a change: its body and its `Idempotency-Key` (S-52).

use std::fmt;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use signing::{base64url, canonical};
use storage::Write;
use web::fields::Fields;
use web::json_body::JsonBody;
use web::page::Query;
use web::problem::Problem;
use web::refusal::Refusal;

use super::author::Author;
use crate::limits;

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A request for a change. Its body is not parsed yet.
#[derive(Debug, Clone)]
pub struct WriteRequest {
    precondition: Option<Precondition>,
    pub(crate) path: String,
    query: Option<String>,
    pub(crate) key: Option<String>,
    /// The identity of the request, to which its method and its body belong.
    pub digest: String,
    body: JsonBody,
}

impl<S: Send + Sync> FromRequest<S> for WriteRequest {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let key = read_key(request.headers())?;
        let path = request.uri().path().to_owned();
        let query = request.uri().query().map(ToOwned::to_owned);
        let method = request.method().clone();
        let body = JsonBody::from_request(request, state).await?;
        Ok(Self {
            precondition: None,
            path,
            query,
            key,
            digest: identify(method.as_str(), &body),
            body,
        })
    }
}

/// A check before a change, in the same transaction. Its refusal is not kept.
#[derive(Clone)]
struct Precondition(Arc<Check>);

type Check = dyn Fn(&mut Write<'_>, &Author<'_>) -> Result<(), Problem> + Send + Sync;

impl fmt::Debug for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Precondition")
    }
}

/// The identity of a request, to which its method and its body belong.
fn identify(method: &str, body: &JsonBody) -> String {
    let identity = [method.as_bytes(), b" ", body.bytes()].concat();
    base64url::encode(&canonical::digest(&identity))
}

impl WriteRequest {
    /// The request that a form of the console stands for. `path` is the form's, and `key` its
    /// `idempotency_key`, so that a form sent twice changes once. A form that may be sent twice has none.
    pub fn of_form(path: &str, key: Option<&str>, body: &Value) -> Result<Self, Problem> {
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            let value = HeaderValue::from_str(key).map_err(|_error| key_malformed())?;
            headers.insert(IDEMPOTENCY_KEY, value);
        }
        let body = JsonBody::of_value(body);
        Ok(Self {
            precondition: None,
            path: path.to_owned(),
            query: None,
            key: read_key(&headers)?,
            digest: identify("FORM", &body),
            body,
        })
    }

    /// Makes the change only if this check passes.
    #[must_use]
    pub fn only_if(
        mut self,
        check: impl Fn(&mut Write<'_>, &Author<'_>) -> Result<(), Problem> + Send + Sync + 'static,
    ) -> Self {
        self.precondition = Some(Precondition(Arc::new(check)));
        self
    }

    pub(crate) fn check(&self, write: &mut Write<'_>, author: &Author<'_>) -> Result<(), Problem> {
        let precondition = self.precondition.as_ref();
        precondition.map_or(Ok(()), |precondition| precondition.0(write, author))
    }

    /// Parses the query string.
    pub fn query(&self) -> Result<Query, Problem> {
        Query::parse(self.query.as_deref())
    }

    /// Refuses a JSON body with members, for a call that has none (S-57). Another body is ignored.
    pub(crate) fn refuse_members(&self) -> Result<(), Problem> {
        if self.body.is_sent_as_json() {
            self.fields()?.finish()?;
        }
        Ok(())
    }

    /// Parses the members of the JSON body.
    pub fn fields(&self) -> Result<Fields, Problem> {
        self.body.fields()
    }
}

/// Reads the `Idempotency-Key`: at most 255 visible ASCII characters.
fn read_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut fields = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(field) = fields.next() else {
        return Ok(None);
    };
    let is_sane = fields.next().is_none()
        && (1..=limits::IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&field.len())
        && field.as_bytes().iter().all(u8::is_ascii_graphic);
    let text = field.to_str().ok().filter(|_| is_sane);
    let text = text.ok_or_else(key_malformed)?;
    Ok(Some(text.to_owned()))
}

/// The refusal of a malformed key.
pub(crate) fn key_malformed() -> Refusal {
    let detail = format!(
        "must be sent once, with 1 to {} visible ASCII characters",
        limits::IDEMPOTENCY_KEY_CHARACTERS_MAX
    );
    Refusal::invalid("value_invalid", "Idempotency-Key", detail)
}

/// The refusal of a key that was used for another write.
pub(crate) fn key_reused() -> Refusal {
    let detail = "this key was used with another body; take a new key for a new request";
    Refusal::invalid(
        "idempotency_key_reused",
        "Idempotency-Key",
        detail.to_owned(),
    )
}
