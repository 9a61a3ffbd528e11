//! The bodies of webhook management (document 1, S-30, S-33 and S-37).
//!
//! Unknown members are ignored, so that a newer service can be read.

use serde::{Deserialize, Serialize};

use crate::event::EventType;

/// What to subscribe to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionWish {
    /// The subscriber's name in the registry.
    pub participant_name: String,
    /// Where events go: `https`, at most 2,000 characters (S-31).
    pub callback_url: String,
    /// One type of event at least.
    #[serde(serialize_with = "write_events")]
    pub events: Vec<EventType>,
}

/// A subscription, made or replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscribed {
    /// Whether the URL had no subscription before.
    pub is_new: bool,
    /// As it is now.
    pub subscription: Subscription,
}

/// A subscription as the service shows it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// Its id.
    pub subscription_id: String,
    /// The subscriber's name in the registry.
    pub participant_name: String,
    /// Where events go.
    pub callback_url: String,
    /// The types of event.
    pub events: Vec<String>,
    /// `active` or `disabled`.
    pub status: String,
    /// Why it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// Since when it is disabled, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// A test event to be sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// Its type.
    #[serde(serialize_with = "write_event")]
    pub event_type: EventType,
    /// The property's id; this or `uprn` is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_id: Option<String>,
    /// The property's UPRN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uprn: Option<String>,
    /// `YYYY-MM-DD`; today in London without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// A label of document 1's catalogue, for `milestone.updated` only; `SSTC` without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A test event that is on its way.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Begins with `sim_`.
    pub event_id: String,
    /// To whom it goes.
    pub deliveries: Vec<SimulatedDelivery>,
}

/// One delivery of a test event.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedDelivery {
    /// To which subscription.
    pub subscription_id: String,
    /// Found again in its deliveries.
    pub delivery_id: String,
}

/// Events that are sent again.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// How many deliveries are owed for it.
    pub deliveries: u64,
    /// Where there were too many at once: since when some were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_since: Option<String>,
}

/// A page of deliveries.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct DeliveryPage {
    /// The newest first.
    pub data: Vec<Delivery>,
}

/// One event that one subscription is or was owed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Its id.
    pub delivery_id: String,
    /// The event.
    pub event_id: String,
    /// The event's type.
    pub event_type: String,
    /// The property.
    pub property_id: String,
    /// `waiting`, `delivered`, `failed` or `cancelled`.
    pub status: String,
    /// RFC 3339.
    pub created_at: String,
    /// When it is tried next, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<String>,
    /// When it was delivered or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Every attempt so far.
    pub attempts: Vec<Attempt>,
}

/// One attempt at a delivery.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Counted from 1.
    pub number: u64,
    /// When it began, RFC 3339.
    pub at: String,
    /// How long it took.
    pub duration_milliseconds: u64,
    /// The HTTP status, where one came.
    pub status: Option<u16>,
    /// What went wrong, in one word.
    pub error: Option<String>,
}

/// A list without pages.
#[derive(Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn write_event<S: serde::Serializer>(event: &EventType, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(event.as_str())
}

fn write_events<S: serde::Serializer>(events: &[EventType], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(events.iter().map(|event| event.as_str()))
}
