//! The bodies of webhook management (document 1, S-30 and S-33).
//!
//! Unknown members are ignored, so that this version can read the answers of a newer service.

use std::fmt::Display;

use serde::{Deserialize, Serialize, Serializer};

use crate::event::EventType;
use crate::printable;

/// A request to subscribe.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionRequest {
    /// The subscriber's name in the registry.
    pub participant_name: String,
    /// The address that receives the events: `https`, at most 2,000 characters (S-31).
    pub callback_url: String,
    /// The types of event, at least one.
    #[serde(serialize_with = "serialize_types")]
    pub events: Vec<EventType>,
}

/// A subscription that the service made or replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscribed {
    /// True if the callback URL had no subscription before.
    pub is_new: bool,
    /// The subscription after the request.
    pub subscription: Subscription,
}

/// A subscription in the service's form.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The id of the subscription.
    pub subscription_id: String,
    /// The subscriber's name in the registry.
    pub participant_name: String,
    /// The address that receives the events.
    pub callback_url: String,
    /// The types of event.
    pub events: Vec<String>,
    /// `active` or `disabled`.
    pub status: String,
    /// The reason, if the subscription is disabled.
    pub disabled_reason: Option<String>,
    /// The time since which the subscription is disabled, RFC 3339.
    pub disabled_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// A change of a watch: UPRNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WatchChange<'a> {
    /// These are watched from now on.
    pub add: &'a [u64],
    /// These are watched no longer.
    pub remove: &'a [u64],
}

/// A request for a test event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The type of the event.
    #[serde(serialize_with = "serialize_type")]
    pub event_type: EventType,
    /// The property's id. The service needs this or `uprn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_id: Option<String>,
    /// The property's UPRN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uprn: Option<String>,
    /// `YYYY-MM-DD`. The service's default is today in London.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// A label of document 1's catalogue, for `milestone.updated` only. The service's default is
    /// `SSTC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The change that a `chain.changed` tells. The service's default is `linked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The one subscription to send it to. Without it, all that hear such an event receive it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_id: Option<String>,
}

/// A test event that the service accepted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// The event's id, which begins with `sim_`.
    pub event_id: String,
    /// One delivery for each subscription that receives the event.
    pub deliveries: Vec<SimulatedDelivery>,
}

/// One delivery of a test event.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedDelivery {
    /// The subscription that receives the event.
    pub subscription_id: String,
    /// The id of the delivery in the subscription's delivery log.
    pub delivery_id: String,
}

/// One delivery in a subscription's log, with its attempts.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The id of the delivery.
    pub delivery_id: String,
    /// `waiting`, `delivered`, `failed` or `cancelled`.
    pub status: String,
    /// The attempts, the oldest first.
    pub attempts: Vec<DeliveryAttempt>,
}

/// One attempt at a delivery.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct DeliveryAttempt {
    /// The status of the callback's answer, if one came.
    pub status: Option<u16>,
    /// Why no complete answer came, in one word such as `tls`.
    pub error: Option<String>,
    /// The beginning of the answer's body.
    pub answer: Option<String>,
}

impl Delivery {
    /// The same delivery with texts that are safe for a terminal.
    pub(super) fn made_printable(mut self) -> Self {
        for attempt in &mut self.attempts {
            for text in [&mut attempt.error, &mut attempt.answer] {
                *text = text.as_deref().map(printable);
            }
        }
        self
    }
}

/// A list in the service's form.
#[derive(Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
}

fn serialize_type<T: Display, S: Serializer>(one: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(one)
}

fn serialize_types<S: Serializer>(types: &[EventType], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(types.iter().map(|one| one.as_str()))
}
