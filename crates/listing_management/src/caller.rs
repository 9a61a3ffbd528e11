//! Proves the caller of listing and chain management: a client that acts for its branches.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chain::ids::BranchId;
use chain::permission;
use http::request::Parts;
use signing::{base64url, canonical};
use storage::Read;
use tokens::access::BoundToken;
use tokens::context::TokenContext;
use tokens::registry::Scope;
use web::authorization;
use web::problem::Problem;
use web::rate_limit_fields;
use web::refusal::Refusal;

use crate::ListingManagement;

/// Proof that a request carries a valid access token of scope `listing`, on a connection with the
/// token's certificate if the token is bound (S-24). The branches are the client's present
/// branches, not those at the time of issue.
///
/// A person who works for branches has the same proof.
#[derive(Debug, Clone)]
pub struct BranchCaller {
    actor: Actor,
}

#[derive(Debug, Clone)]
enum Actor {
    Client(BoundToken),
    Person { id: String, branches: Vec<BranchId> },
}

/// Proves the caller of each request to a path that exists, and counts it (S-14).
pub async fn admit(
    State(management): State<Arc<ListingManagement>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let caller = match BranchCaller::prove(&management.tokens, &parts).await {
        Ok(caller) => caller,
        Err(problem) => return problem.into_response(),
    };
    parts.extensions.insert(caller.clone());
    let answering = next.run(Request::from_parts(parts, body));
    let limits = management.tokens.rate_limits.as_deref();
    rate_limit_fields::answer_within(limits, caller.actor(), answering).await
}

impl BranchCaller {
    async fn prove(tokens: &TokenContext, parts: &Parts) -> Result<Self, Problem> {
        let snapshot = tokens.registry.snapshot().await?;
        let token = authorization::prove(tokens, &snapshot, parts, Scope::Listing).await?;
        Ok(Self {
            actor: Actor::Client(token),
        })
    }

    /// The proof of a person who works for these branches. The console has proved the person by its
    /// session. `id` is `person:` and the person's id.
    pub fn of_person(id: String, branches: Vec<BranchId>) -> Self {
        Self {
            actor: Actor::Person { id, branches },
        }
    }

    /// Proves a client again within a transaction. The console proves a person by its session.
    pub(crate) fn prove_again(&self, read: &mut Read<'_>) -> Result<(), Problem> {
        match &self.actor {
            Actor::Client(token) => Ok(token.prove_again(read)?),
            Actor::Person { .. } => Ok(()),
        }
    }

    /// The client's id, or `person:` and the person's id. The history names it.
    pub fn actor(&self) -> &str {
        match &self.actor {
            Actor::Client(token) => &token.client().id,
            Actor::Person { id, .. } => id,
        }
    }

    /// The branches that the caller acts for.
    pub fn branches(&self) -> &[BranchId] {
        match &self.actor {
            Actor::Client(token) => &token.client().branches,
            Actor::Person { branches, .. } => branches,
        }
    }

    /// A digest of the branches that the caller acts for.
    pub(crate) fn digest_branches(&self) -> String {
        let mut branches: Vec<i64> = self.branches().iter().map(|branch| branch.0).collect();
        branches.sort_unstable();
        let bytes: Vec<u8> = branches.into_iter().flat_map(i64::to_be_bytes).collect();
        base64url::encode(&canonical::digest(&bytes))
    }

    /// Refuses a branch that the caller does not act for.
    pub(crate) fn check_branch(&self, branch: BranchId) -> Result<(), Refusal> {
        if permission::is_own(self.branches(), branch) {
            Ok(())
        } else {
            Err(Refusal::forbidden(format!(
                "branch {branch} is not one of yours"
            )))
        }
    }
}

/// Only `admit` adds a caller to a request.
impl<S: Sync> FromRequestParts<S> for BranchCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or_else(|| Problem::Internal("a route without a proven caller".to_owned()))
    }
}
