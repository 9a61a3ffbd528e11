//! The answer of the API to a recorded change.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::Value;
use storage::proposals::StoredProposal;
use web::list::Data;
use web::problem::Problem;

use crate::wire::SuccessAnswer;
use crate::wire::proposal::ProposalResource;
use crate::writing::Answer;

/// The answer to a change, rendered in its transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    status: StatusCode,
    body: String,
    location: Option<String>,
}

impl Reply {
    /// An answer with this body.
    pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Result<Self, Problem> {
        let body =
            serde_json::to_string(body).map_err(|error| Problem::Internal(error.to_string()))?;
        Ok(Self {
            status,
            body,
            location: None,
        })
    }

    /// A link that was proposed instead of made (S-47).
    pub(crate) fn proposed(proposal: &StoredProposal) -> Result<Self, Problem> {
        let data = ProposalResource::from(proposal);
        Self::json(StatusCode::ACCEPTED, &Data { data })
    }

    /// The simple success response.
    pub(crate) fn success() -> Result<Self, Problem> {
        Self::json(StatusCode::OK, &SuccessAnswer::default())
    }

    /// Sets the URL of the new resource.
    pub(crate) fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }
}

impl Answer for Reply {
    fn to_kept(&self) -> (StatusCode, String) {
        (self.status, self.body.clone())
    }

    fn of_kept(path: &str, status: StatusCode, text: String) -> Self {
        let is_created = status == StatusCode::CREATED;
        Self {
            status,
            location: is_created.then(|| locate(path, &text)).flatten(),
            body: text,
        }
    }
}

/// The URL of a created resource: the path of the request and the id in the answer.
fn locate(path: &str, body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let id = body.pointer("/data/id")?.as_i64()?;
    Some(format!("{path}/{id}"))
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let kind = HeaderValue::from_static("application/json");
        let mut response = (self.status, [(header::CONTENT_TYPE, kind)], self.body).into_response();
        let location = self.location.map(HeaderValue::try_from);
        if let Some(Ok(location)) = location {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}
