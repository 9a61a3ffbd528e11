//! Bodies of webhook management: subscriptions, deliveries, simulations and replays.

use chain::event::EventType;
use chain::ids::Uprn;
use delivery::NOT_SIGNED;
use delivery::event_claims::EventClaims;
use delivery::policy::Disabling;
use observe::clock;
use outbound::client::SendError;
use serde::Serialize;
use serde_json::Value;
use storage::delivery_choice::DeliveryState;
use storage::delivery_log::{LoggedAttempt, LoggedDelivery};
use storage::subscriptions::{StoredSubscription, StoredWatch};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder, Object, ObjectBuilder, SchemaType, Type};
use web::problem::Problem;
use web::schema::one_of_texts;

/// A subscription.
// S-30
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Subscription)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionAnswer {
    #[schema(format = "uuid")]
    subscription_id: String,
    participant_name: String,
    /// The callback URL in normal form. Subscribing with the same URL changes this subscription.
    callback_url: String,
    #[schema(schema_with = event_types)]
    events: Vec<&'static str>,
    /// The properties to which the subscription is narrowed. Absent if it receives the events of all.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    watch: Option<WatchAnswer>,
    #[schema(schema_with = activity)]
    status: &'static str,
    #[schema(required = false, schema_with = disabled_reason)]
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_reason: Option<String>,
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// Failed attempts since the last success. Absent if there is none.
    #[schema(nullable = false, minimum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    failures: Option<i64>,
    /// The service makes no attempt before this time: five or more attempts in a row failed, or the
    /// callback asked for it with `Retry-After`. `POST …/retry` ends the pause.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_until: Option<String>,
}

/// The watch of a subscription.
// S-39
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Watch)]
#[serde(rename_all = "camelCase")]
struct WatchAnswer {
    /// `property` or `chain`.
    reach: &'static str,
    /// The number of watched UPRNs.
    #[schema(minimum = 0)]
    uprn_count: i64,
}

/// A page of what a subscription watches.
// S-92
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WatchPage)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchedAnswer {
    /// `property` or `chain`.
    reach: &'static str,
    /// The number of watched UPRNs on all pages.
    #[schema(minimum = 0)]
    uprn_count: i64,
    /// The UPRNs of this page, in ascending order.
    uprns: Vec<i64>,
    /// The last UPRN of this page, if more follow.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<i64>,
}

/// The delivery of one event to a subscription, with its attempts.
// S-37
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAnswer {
    #[schema(pattern = "^[0-9]+$")]
    delivery_id: String,
    /// The event's id. It is the same in each attempt and each replay.
    event_id: String,
    #[schema(schema_with = event_type)]
    event_type: &'static str,
    /// Id of the property, or 0 if a simulated event names an unknown property.
    #[schema(pattern = "^[0-9]+$")]
    property_id: String,
    /// The claims of the signed event besides `iss`, `iat` and `exp`, which each attempt renews. Absent while
    /// the subscription lacks the right to receive the event.
    #[schema(nullable = false, value_type = Object)]
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventClaims>,
    #[schema(schema_with = state)]
    status: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// When the next attempt is due, no sooner than a pause ends. Present only while the delivery is waiting.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<String>,
    /// When the delivery succeeded, failed or was cancelled.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// The attempts, the oldest first.
    attempts: Vec<Attempt>,
}

/// One attempt at a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    /// Number of the attempt. Each new schedule starts again at 1.
    #[schema(minimum = 1)]
    number: i64,
    #[schema(format = DateTime)]
    at: String,
    #[schema(minimum = 0)]
    duration_milliseconds: i64,
    /// HTTP status of the callback's answer. Null if no answer came.
    #[schema(required = true)]
    status: Option<i64>,
    #[schema(schema_with = attempt_error)]
    error: Option<String>,
    /// The first 1,024 bytes of the body of the callback's answer, as text. Null if it was empty.
    #[schema(required = true)]
    answer: Option<String>,
}

/// A simulated event and its deliveries.
// S-33
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// The event's id. It starts with `sim_`.
    #[schema(pattern = "^sim_[a-z0-9-]+$")]
    pub event_id: String,
    /// One delivery for each of the caller's subscriptions that receive this event type.
    pub deliveries: Vec<SimulatedDelivery>,
}

/// One delivery of a simulated event.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedDelivery {
    /// The subscription that receives the event.
    #[schema(format = "uuid")]
    pub subscription_id: String,
    /// The delivery's id in the subscription's list of deliveries.
    #[schema(pattern = "^[0-9]+$")]
    pub delivery_id: String,
}

/// A delivery that is sent again or cancelled on request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedDelivery {
    /// Id of the delivery.
    #[schema(pattern = "^[0-9]+$")]
    pub delivery_id: String,
    /// `waiting` if it is sent again, `cancelled` if it is cancelled.
    #[schema(schema_with = state)]
    pub status: &'static str,
}

/// The result of a replay.
#[derive(Debug, Serialize, ToSchema)]
pub struct Replay {
    /// The number of deliveries that the replay made pending.
    #[schema(minimum = 0)]
    pub deliveries: u64,
    /// Present if one replay could not cover all events. Use it as `since` of the next replay.
    #[serde(rename = "nextSince", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    pub next_since: Option<String>,
}

fn event_type() -> Object {
    one_of_texts(EventType::ALL.map(EventType::as_str)).build()
}

fn event_types() -> Array {
    ArrayBuilder::new()
        .items(event_type())
        .min_items(Some(1))
        .build()
}

fn activity() -> Object {
    one_of_texts(["active", "disabled"]).build()
}

fn disabled_reason() -> Object {
    let by_itself = Disabling::ALL.map(Disabling::as_str);
    one_of_texts(by_itself.into_iter().chain(["key_revoked"]))
        .description(Some(
            "Why the subscription is disabled. `gone`: the callback answered 410. `failing`: no \
             delivery succeeded for five days. `key_revoked`: its API key was revoked, or the client of its token disabled.",
        ))
        .build()
}

fn state() -> Object {
    one_of_texts(DeliveryState::ALL.map(DeliveryState::as_str))
        .description(Some(
            "`failed`: the last attempt of the schedule failed. `cancelled`: somebody cancelled it, \
             or the subscription may not receive it any more.",
        ))
        .build()
}

/// The schema of an attempt's error: null, or one of the stored words.
fn attempt_error() -> Object {
    let words = SendError::ALL.map(SendError::as_str).into_iter();
    let words = words.chain([NOT_SIGNED]).map(Value::from);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(words.chain([Value::Null])))
        .description(Some(
            "Why no complete answer came. Later versions may add further words.",
        ))
        .build()
}

impl WatchedAnswer {
    /// A page, and the UPRN after which the next page begins.
    pub(crate) fn of(watch: StoredWatch, uprns: &[Uprn], next: Option<Uprn>) -> Self {
        Self {
            reach: watch.reach.as_str(),
            uprn_count: watch.uprns,
            uprns: uprns.iter().map(|uprn| uprn.value()).collect(),
            next: next.map(Uprn::value),
        }
    }
}

impl SubscriptionAnswer {
    /// Shows a subscription. `now` is in Unix milliseconds.
    pub fn of(stored: StoredSubscription, now: i64) -> Self {
        let is_paused = stored.is_active && stored.paused_until > now;
        Self {
            subscription_id: stored.reference,
            participant_name: stored.participant_name,
            callback_url: stored.callback_url,
            events: stored.events.into_iter().map(EventType::as_str).collect(),
            watch: stored.watch.map(|watch| WatchAnswer {
                reach: watch.reach.as_str(),
                uprn_count: watch.uprns,
            }),
            status: if stored.is_active {
                "active"
            } else {
                "disabled"
            },
            disabled_reason: stored.disabled_reason,
            disabled_at: stored.disabled_at.map(clock::to_rfc3339),
            created_at: clock::to_rfc3339(stored.created_at),
            updated_at: clock::to_rfc3339(stored.updated_at),
            failures: (stored.failures > 0).then_some(stored.failures),
            paused_until: is_paused.then(|| clock::milliseconds_to_rfc3339(stored.paused_until)),
        }
    }
}

impl DeliveryAnswer {
    /// Shows a delivery of a subscription that makes no attempt before `paused_until`, in Unix
    /// milliseconds.
    pub fn of(logged: LoggedDelivery, paused_until: i64) -> Result<Self, Problem> {
        let event = (!logged.is_withheld).then(|| EventClaims::of(&logged.event));
        let event = event.transpose();
        let event = event.map_err(|error| Problem::Internal(format!("a stored event: {error}")))?;
        let is_waiting = logged.state == "waiting";
        let due = logged.not_before.max(logged.created_at);
        let next = is_waiting.then(|| due.max(paused_until));
        Ok(Self {
            delivery_id: logged.id.to_string(),
            event_id: logged.event.event_id.clone(),
            event_type: logged.event.event_type.as_str(),
            property_id: logged.event.property.to_string(),
            event,
            status: logged.state,
            created_at: clock::milliseconds_to_rfc3339(logged.created_at),
            next_attempt_at: next.map(clock::milliseconds_to_rfc3339),
            ended_at: logged.ended_at.map(clock::milliseconds_to_rfc3339),
            attempts: logged.attempts.into_iter().map(Attempt::from).collect(),
        })
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
            answer: logged.answer,
        }
    }
}
