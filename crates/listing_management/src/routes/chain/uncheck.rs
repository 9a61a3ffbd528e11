//! `POST {listing_base_url}/api/v1/chain/{chain_link_id}/uncheck`: removes the check of an end.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::UncheckReason;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{RefOr, Schema};
use web::described::wrong_member;
use web::problem::Problem;
use web::refusals;
use web::schema::one_of_texts;
use web::segments::Segments;

use super::check::{describe_end, read_end};
use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::ends::{self, Finding};
use crate::openapi::{describe, marking, own_chain, recorded_write};
use crate::parameters::{ChainInPath, IdempotencyKey};
use crate::recording::{self, Reply};
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;

refusals!(
    UncheckEndRefusals = describe(
        recorded_write(),
        wrong_member("top", "must be true or false"),
        own_chain(),
        marking(),
    )
);

/// Removes the check from the top or bottom of a chain.
///
/// Unchecking an end that is not checked changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/chain/{chain}/uncheck",
    tag = "Chains",
    params(ChainInPath, IdempotencyKey),
    request_body = UncheckBody,
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        UncheckEndRefusals,
    ),
)]
pub async fn uncheck_end(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let chain = segments.chain(0)?;
    let mut fields = request.fields()?;
    fields.require("reason");
    let text = fields.exact_text("reason");
    let reason = text.as_deref().and_then(UncheckReason::parse);
    if text.is_some() && reason.is_none() {
        let known = UncheckReason::ALL.map(|reason| format!("`{}`", reason.as_str()));
        fields.refuse("reason", format!("must be one of {}", known.join(", ")));
    }
    let end = read_end(fields)?;
    let reason = reason.unwrap_or(UncheckReason::Unspecified);
    recording::record(&management, caller, request, move |write, author| {
        let finding = Finding::Unchecked(reason);
        ends::mark_end(write, author, chain, end, finding)?;
        Reply::success()
    })
    .await
}

/// The body that `uncheck_end` parses.
struct UncheckBody;

impl utoipa::ToSchema for UncheckBody {}

impl utoipa::PartialSchema for UncheckBody {
    fn schema() -> RefOr<Schema> {
        let reasons = UncheckReason::ALL.map(UncheckReason::as_str);
        ObjectBuilder::new()
            .property("reason", one_of_texts(reasons))
            .property("top", describe_end())
            .required("reason")
            .required("top")
            .into()
    }
}
