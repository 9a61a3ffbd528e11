//! Routes below `{listing_base_url}/api/v1/chain`: `check` confirms an end of a chain, and `uncheck` removes the
//! check. The other files have the other routes.

/// Routes below `{listing_base_url}/api/v1/chain/add`.
pub mod add {
    pub mod link;
}
pub mod history;
pub mod listings;
/// Routes below `{listing_base_url}/api/v1/chain/remove`.
pub mod remove {
    pub mod link;
}

use std::sync::Arc;

use axum::extract::State;
use chain::ends::{CHECK_REASON, End, UncheckReason};
use utoipa::openapi::schema::ObjectBuilder;
use web::described::wrong_member;
use web::fields::Fields;
use web::problem::Problem;
use web::schema::{flag, one_of_texts};
use web::{body, refusals};

use crate::ListingManagement;
use crate::ends::{self, Finding};
use crate::openapi::{any_write, describe, marking, own_chain};
use crate::parameters::{ChainInPath, IdempotencyKey};
use crate::reply::Reply;
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(
    CheckEndRefusals = describe(
        any_write(),
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
pub(crate) async fn check_end(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let chain = request.segments.chain(0)?;
    let mut fields = request.fields()?;
    fields.require("reason");
    let reason = fields.exact_text("reason");
    if reason.is_some_and(|reason| reason != CHECK_REASON) {
        fields.refuse("reason", format!("must be `{CHECK_REASON}`"));
    }
    let end = read_end(fields)?;
    request
        .write(&management, move |write, author| {
            ends::mark_end(write, author, chain, end, Finding::Checked)?;
            Reply::success()
        })
        .await
}

/// Parses `top`, the last member, and refuses the body if any member is wrong.
fn read_end(mut fields: Fields) -> Result<End, Problem> {
    fields.require("top");
    let is_top = fields.boolean("top");
    fields.finish()?;
    Ok(if is_top == Some(true) {
        End::Top
    } else {
        End::Bottom
    })
}

body!(CheckBody = describe_body([CHECK_REASON]));

/// The schema of a body with one of these reasons, and the member that `read_end` parses.
fn describe_body(reasons: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    let end = flag().description(Some("True for the top, false for the bottom."));
    ObjectBuilder::new()
        .property("reason", one_of_texts(reasons))
        .property("top", end)
        .required("reason")
        .required("top")
}

refusals!(
    UncheckEndRefusals = describe(
        any_write(),
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
pub(crate) async fn uncheck_end(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let chain = request.segments.chain(0)?;
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
    request
        .write(&management, move |write, author| {
            let finding = Finding::Unchecked(reason);
            ends::mark_end(write, author, chain, end, finding)?;
            Reply::success()
        })
        .await
}

body!(UncheckBody = describe_body(UncheckReason::ALL.map(UncheckReason::as_str)));
