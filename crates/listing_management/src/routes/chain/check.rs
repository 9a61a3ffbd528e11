//! `POST {listing_base_url}/api/v1/chain/{chain_link_id}/check`: confirms an end of a chain.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::{CHECK_REASON, End};
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{RefOr, Schema};
use web::described::wrong_member;
use web::fields::Fields;
use web::problem::Problem;
use web::refusals;
use web::schema::{flag, one_of_texts};
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::ends::{self, Finding};
use crate::openapi::{describe, marking, own_chain, recorded_write};
use crate::parameters::{ChainInPath, IdempotencyKey};
use crate::recording::{self, Reply};
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;

refusals!(
    CheckEndRefusals = describe(
        recorded_write(),
        wrong_member("reason", "must be `Checked`"),
        own_chain(),
        marking(),
    )
);

/// Marks the top or bottom of a chain as checked.
///
/// The check confirms that the chain ends there.
#[utoipa::path(
    post,
    path = "/api/v1/chain/{chain}/check",
    tag = "Chains",
    params(ChainInPath, IdempotencyKey),
    request_body = CheckBody,
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        CheckEndRefusals,
    ),
)]
pub async fn check_end(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let chain = segments.chain(0)?;
    let mut fields = request.fields()?;
    fields.require("reason");
    let reason = fields.exact_text("reason");
    if reason.is_some_and(|reason| reason != CHECK_REASON) {
        fields.refuse("reason", format!("must be `{CHECK_REASON}`"));
    }
    let end = read_end(fields)?;
    recording::record(&management, caller, request, move |write, author| {
        ends::mark_end(write, author, chain, end, Finding::Checked)?;
        Reply::success()
    })
    .await
}

/// Parses `top`, the last member, and refuses the body if any member is wrong.
pub fn read_end(mut fields: Fields) -> Result<End, Problem> {
    fields.require("top");
    let is_top = fields.boolean("top");
    fields.finish()?;
    Ok(if is_top == Some(true) {
        End::Top
    } else {
        End::Bottom
    })
}

/// The body that `check_end` parses.
struct CheckBody;

impl utoipa::ToSchema for CheckBody {}

impl utoipa::PartialSchema for CheckBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property("reason", one_of_texts([CHECK_REASON]))
            .property("top", describe_end())
            .required("reason")
            .required("top")
            .into()
    }
}

/// The schema of the member that `read_end` parses.
pub fn describe_end() -> ObjectBuilder {
    flag().description(Some("True for the top, false for the bottom."))
}
