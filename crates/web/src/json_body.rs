//! Reads a JSON body within bounds.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use http::{HeaderMap, header};

use crate::fields::Fields;
use crate::form;
use crate::limits;
use crate::problem::Problem;

/// A body that should be JSON; its content is not parsed yet.
#[derive(Debug, Clone)]
pub struct JsonBody {
    is_json: bool,
    body: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        Self::read(&parts.headers, body).await
    }
}

impl JsonBody {
    /// Reads a body of at most `limits::JSON_BODY_BYTES_MAX` bytes.
    pub async fn read(headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        Self::read_at_most(limits::JSON_BODY_BYTES_MAX, headers, body).await
    }

    /// Reads a body of at most so many bytes.
    pub async fn read_at_most(
        bytes_max: usize,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        Ok(Self {
            is_json: is_json(headers),
            body: form::read_body(headers, body, bytes_max).await?,
        })
    }

    /// The unparsed body, if it should be JSON.
    pub fn json(self) -> Result<Bytes, Problem> {
        if self.is_json {
            Ok(self.body)
        } else {
            Err(Problem::MediaTypeUnsupported("application/json"))
        }
    }

    /// Parses the members of its object.
    pub fn fields(&self) -> Result<Fields, Problem> {
        if !self.is_json {
            return Err(Problem::MediaTypeUnsupported("application/json"));
        }
        Fields::parse(&self.body)
    }

    /// The failure where a reader took a body without its required members for complete.
    pub fn incomplete() -> Problem {
        Problem::Internal("a body was read incompletely".to_owned())
    }

    /// Whether there is a body that should be JSON.
    pub fn is_sent_as_json(&self) -> bool {
        self.is_json && !self.body.is_empty()
    }

    /// The unparsed body.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}
