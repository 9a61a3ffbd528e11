//! The refusals of webhook management for its OpenAPI document, made by the functions that the
//! routes call.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use http::HeaderMap;
use outbound::callback::CallbackRefusal;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use super::holder;
use super::owned::{disabled, unknown_subscription};
use super::replaying::under_way;
use crate::listing_management::causes::Cause;
use crate::openapi::refusals;
use crate::problem::{FieldError, Problem};
use crate::routes::webhook::simulate::nobody_subscribed;
use crate::routes::webhook::subscribe::too_many;
use crate::routes::webhook::subscriptions::deliveries::redeliver::unknown_delivery;

/// The refusals of these causes, and those of every operation.
pub struct Refused<T>(PhantomData<T>);

/// A subscription that must belong to the caller's key.
pub struct OwnSubscription;

/// A subscription of the caller's key that must be active.
pub struct ActiveSubscription;

/// A delivery of an active subscription.
pub struct OwnDelivery;

/// A replay that must be the only one.
pub struct OneReplay;

/// A callback URL.
pub struct Callback;

/// The bound of subscriptions.
pub struct OneMore;

/// An event that at least one subscription must receive.
pub struct Subscribed;

impl<T: Cause> IntoResponses for Refused<T> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let not_sent = holder::read_field(&HeaderMap::new()).err();
        let anywhere = not_sent.into_iter().chain([
            holder::unknown_key(),
            Problem::RateLimited(1),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
            Problem::Unconfirmed(String::new()),
        ]);
        let all = anywhere.chain(T::problems());
        refusals::describe(all.map(|problem| problem.to_refusal()))
    }
}

impl Cause for OwnSubscription {
    fn problems() -> Vec<Problem> {
        vec![unknown_subscription()]
    }
}

impl Cause for ActiveSubscription {
    fn problems() -> Vec<Problem> {
        vec![unknown_subscription(), disabled()]
    }
}

impl Cause for OwnDelivery {
    fn problems() -> Vec<Problem> {
        let mut all = ActiveSubscription::problems();
        all.push(unknown_delivery());
        all
    }
}

impl Cause for OneReplay {
    fn problems() -> Vec<Problem> {
        vec![under_way()]
    }
}

impl Cause for Callback {
    fn problems() -> Vec<Problem> {
        let wrong = FieldError {
            pointer: "callbackUrl".to_owned(),
            detail: CallbackRefusal::AddressForbidden.to_string(),
        };
        vec![Problem::ValuesInvalid(vec![wrong])]
    }
}

impl Cause for OneMore {
    fn problems() -> Vec<Problem> {
        vec![too_many()]
    }
}

impl Cause for Subscribed {
    fn problems() -> Vec<Problem> {
        vec![nobody_subscribed()]
    }
}
