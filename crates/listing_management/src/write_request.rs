//! A request for a change: its caller, its body and its `Idempotency-Key` (S-52).

use axum::extract::{FromRequest, FromRequestParts, Request};
use storage::Write;
use web::fields::Fields;
use web::json_body::JsonBody;
use web::page::Query;
use web::problem::Problem;
use web::segments::Segments;

use super::author::Author;
use super::caller::BranchCaller;
use super::reply::Reply;
use super::request_key::RequestKey;
use super::writing::{self, Written};
use crate::ListingManagement;

/// A request for a change. Its body is not parsed yet.
#[derive(Debug)]
pub(crate) struct WriteRequest {
    /// Who asks.
    pub caller: BranchCaller,
    /// The variable parts of the path.
    pub segments: Segments,
    query: Option<String>,
    key: Option<RequestKey>,
    body: JsonBody,
}

impl<S: Send + Sync> FromRequest<S> for WriteRequest {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let caller = BranchCaller::from_request_parts(&mut parts, state).await?;
        let segments = Segments::from_request_parts(&mut parts, state).await?;
        let body = JsonBody::read(&parts.headers, body).await?;
        let (method, path) = (parts.method.as_str(), parts.uri.path());
        Ok(Self {
            caller,
            segments,
            query: parts.uri.query().map(ToOwned::to_owned),
            key: RequestKey::read(&parts.headers, method, path, body.bytes())?,
            body,
        })
    }
}

impl WriteRequest {
    /// Parses the query string.
    pub(crate) fn query(&self) -> Result<Query, Problem> {
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
    pub(crate) fn fields(&self) -> Result<Fields, Problem> {
        self.body.fields()
    }

    /// Makes the change that the caller asks for.
    pub(crate) async fn write(
        self,
        management: &ListingManagement,
        work: impl Fn(&mut Write<'_>, &Author<'_>) -> Result<Reply, Problem> + Send + Sync + 'static,
    ) -> Result<Written<Reply>, Problem> {
        writing::write(management, self.caller, self.key, work).await
    }
}
