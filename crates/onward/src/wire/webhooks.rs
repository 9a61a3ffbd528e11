//! The bodies of webhook management.

use chain::event::EventType;
use serde::Serialize;
use storage::delivery_log::{LoggedAttempt, LoggedDelivery};
use storage::subscriptions::StoredSubscription;

use crate::clock;

/// A subscription, as its owner sees it (S-30).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionAnswer {
    subscription_id: String,
    participant_name: String,
    callback_url: String,
    events: Vec<&'static str>,
    /// `active` or `disabled`.
    status: &'static str,
    /// `gone`, `failing` or `key_revoked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<String>,
    created_at: String,
    updated_at: String,
}

/// A delivery, as its subscriber sees it (S-37).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAnswer {
    delivery_id: String,
    event_id: String,
    event_type: String,
    property_id: String,
    /// `waiting`, `delivered` or `failed`.
    status: String,
    created_at: String,
    /// When it is tried next, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    attempts: Vec<Attempt>,
}

/// One attempt at a delivery.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Counted from 1.
    number: i64,
    at: String,
    duration_milliseconds: i64,
    /// HTTP status, where one came.
    status: Option<i64>,
    /// What went wrong, in one word.
    error: Option<String>,
}

/// A simulated event, and to whom it goes (S-33).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Begins with `sim_`.
    pub event_id: String,
    /// The caller's subscriptions that hear its type.
    pub deliveries: Vec<SimulatedDelivery>,
}

/// One delivery of a simulated event.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedDelivery {
    /// To which subscription.
    pub subscription_id: String,
    /// Found again in its deliveries.
    pub delivery_id: String,
}

/// A delivery that was asked for again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Redelivery {
    /// Which one.
    pub delivery_id: String,
    /// Always `waiting`.
    pub status: &'static str,
}

/// Events that were asked for again.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// How many are owed now.
    pub deliveries: u64,
}

impl From<StoredSubscription> for SubscriptionAnswer {
    fn from(stored: StoredSubscription) -> Self {
        Self {
            subscription_id: stored.reference,
            participant_name: stored.participant_name,
            callback_url: stored.callback_url,
            events: stored.events.into_iter().map(EventType::as_str).collect(),
            status: if stored.is_active {
                "active"
            } else {
                "disabled"
            },
            disabled_reason: stored.disabled_reason,
            disabled_at: stored.disabled_at.map(clock::to_rfc3339),
            created_at: clock::to_rfc3339(stored.created_at),
            updated_at: clock::to_rfc3339(stored.updated_at),
        }
    }
}

impl From<LoggedDelivery> for DeliveryAnswer {
    fn from(logged: LoggedDelivery) -> Self {
        let is_waiting = logged.state == "waiting";
        let next = is_waiting.then(|| logged.not_before.max(logged.created_at));
        Self {
            delivery_id: logged.id.to_string(),
            event_id: logged.event_id,
            event_type: logged.event_type,
            property_id: logged.property.to_string(),
            status: logged.state,
            created_at: clock::milliseconds_to_rfc3339(logged.created_at),
            next_attempt_at: next.map(clock::milliseconds_to_rfc3339),
            ended_at: logged.ended_at.map(clock::milliseconds_to_rfc3339),
            attempts: logged.attempts.into_iter().map(Attempt::from).collect(),
        }
    }
}

impl From<LoggedAttempt> for Attempt {
    fn from(logged: LoggedAttempt) -> Self {
        Self {
            number: logged.number,
            at: clock::milliseconds_to_rfc3339(logged.begun_at),
            duration_milliseconds: logged.duration,
            status: logged.status,
            error: logged.error,
        }
    }
}
