//! Describes the refusals of webhook management in OpenAPI. The functions that the routes call make
//! these refusals.

use std::collections::BTreeMap;

use outbound::callback::CallbackRefusal;
use tokens::framework::NOT_ACTIVE;
use tokens::registry::Scope;
use utoipa::openapi::{RefOr, Response};
use web::described::query_string;
use web::problem::{FieldError, Problem};
use web::refusals;

use super::holder;
use super::limits::WATCH_UPRNS_PER_CALL;
use super::owned::{
    callback_taken, delivery_ended, disabled, no_chain_client, too_many, unknown_delivery,
    unknown_subscription,
};
use super::replaying::{under_way, used_up};
use super::simulation::{self, nobody_subscribed};
use super::{watch_changes, watching};

/// Describes the refusals of an operation: these, and the refusals of every operation.
pub(crate) fn describe(refusals: Vec<Vec<Problem>>) -> BTreeMap<String, RefOr<Response>> {
    let anywhere = [
        holder::no_credential(),
        holder::two_credentials(),
        holder::unknown_key(),
        Problem::TokenInvalid("The token has expired. Get a new token."),
        Problem::ScopeInsufficient(Scope::TransactionStatus.as_str()),
        Problem::OrganisationRefused(NOT_ACTIVE),
        Problem::RateLimited(1),
        Problem::Internal(String::new()),
        Problem::Unavailable(1, String::new()),
        Problem::Unconfirmed(String::new()),
    ];
    let all = anywhere.into_iter().chain(query_string());
    let all = all.chain(refusals.into_iter().flatten());
    refusals::describe(all.map(|problem| problem.to_refusal()))
}

/// Refusals of a subscription that must belong to the caller's key.
pub(crate) fn own_subscription() -> Vec<Problem> {
    vec![unknown_subscription()]
}

/// Refusals of a subscription of the caller's key that must be active.
pub(crate) fn active_subscription() -> Vec<Problem> {
    vec![unknown_subscription(), disabled()]
}

/// Refusals of a watch that must be there.
pub(crate) fn shown_watch() -> Vec<Problem> {
    let per_page = format!("must be an integer from 1 to {WATCH_UPRNS_PER_CALL}");
    let wrong = FieldError::new("per_page", per_page);
    vec![watching::no_watch(), Problem::ValuesInvalid(vec![wrong])]
}

/// Refusals of a change of a watch that must be there.
pub(crate) fn changed_watch() -> Vec<Problem> {
    vec![watching::no_watch(), watching::too_long()]
}

/// Refusals of any change of a watch.
pub(crate) fn any_watch() -> Vec<Problem> {
    vec![
        watching::too_many_watched(1_000_000),
        watch_changes::under_way(),
        watch_changes::too_fast(60_000, 1),
        no_chain_client(),
    ]
}

/// Refusals of a delivery of an active subscription.
pub(crate) fn own_delivery() -> Vec<Problem> {
    let mut all = active_subscription();
    all.extend([unknown_delivery(), used_up(1_000_000), no_chain_client()]);
    all
}

/// Refusals of a delivery that must be pending.
pub(crate) fn pending_delivery() -> Vec<Problem> {
    vec![unknown_subscription(), unknown_delivery(), delivery_ended()]
}

/// Refusals of a replay that must be the only one.
pub(crate) fn one_replay() -> Vec<Problem> {
    vec![under_way(), used_up(1_000_000)]
}

/// Refusals of a callback URL that another subscription has.
pub(crate) fn free_callback() -> Vec<Problem> {
    vec![callback_taken()]
}

/// Refusals of a callback URL.
pub(crate) fn callback() -> Vec<Problem> {
    let wrong = FieldError {
        pointer: "callbackUrl".to_owned(),
        detail: CallbackRefusal::AddressForbidden.to_string(),
    };
    vec![Problem::ValuesInvalid(vec![wrong])]
}

/// Refusals of one more subscription.
pub(crate) fn one_more_subscription() -> Vec<Problem> {
    vec![too_many(100)]
}

/// Refusals of one more simulation.
pub(crate) fn one_more_simulation() -> Vec<Problem> {
    vec![simulation::too_many(60, 1)]
}

/// Refusals of an event that at least one subscription must receive.
pub(crate) fn somebody_subscribed() -> Vec<Problem> {
    vec![
        no_chain_client(),
        unknown_subscription(),
        nobody_subscribed(),
    ]
}
