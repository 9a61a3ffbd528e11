//! `POST {base_url}/api/v1/webhook/subscribe`: subscribes a callback URL to events.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::EventType;
use http::StatusCode;
use outbound::callback::CallbackUrl;
use storage::StorageError;
use storage::subscriptions::{self, NewSubscription};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::listing_management::fields::Fields;
use crate::listing_management::json_body::JsonBody;
use crate::listing_management::openapi::{any_body, wrong_member};
use crate::openapi::refusals::refusals;
use crate::openapi::schema::{one_of_texts, text};
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::openapi::{callback, describe, one_more_subscription};
use crate::webhooks::owned;
use crate::webhooks::waiting;
use crate::wire::webhooks::SubscriptionAnswer;

refusals!(
    SubscribeRefusals = describe(
        any_body(),
        wrong_member("participantName", "is missing"),
        callback(),
        one_more_subscription(),
    )
);

/// Creates a subscription, or replaces the event types of the one with the same URL.
///
/// A disabled subscription becomes active again. Pending deliveries of event types that the
/// subscription no longer has are cancelled.
// S-30
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscribe",
    tag = "Webhooks",
    request_body = SubscriptionBody,
    responses(
        (status = 201, description = "The new subscription.", body = SubscriptionAnswer),
        (status = 200, description = "The changed subscription.", body = SubscriptionAnswer),
        SubscribeRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn subscribe(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    body: JsonBody,
) -> Result<(StatusCode, Json<SubscriptionAnswer>), Problem> {
    let wish = read_wish(&webhooks, holder.id(), body.fields()?).await?;
    prepare(&webhooks, holder.id(), &wish).await?;
    let now = webhooks.clock.now_milliseconds();
    let most = webhooks.subscriptions_max;
    let (is_new, stored) = webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let url = wish.callback.as_str();
            let known = subscriptions::find_subscription_by_url(write, holder.id(), url)?;
            if !known.is_some_and(|known| known.is_active) {
                owned::check_one_more(write, &holder, most)?;
            }
            let new = NewSubscription {
                reference: &Uuid::new_v4().to_string(),
                api_key: holder.id(),
                participant_name: &wish.participant_name,
                callback_url: url,
                events: &wish.events,
            };
            let is_new = subscriptions::store_subscription(write, &new, now)?;
            let stored = subscriptions::find_subscription_by_url(write, holder.id(), url)?;
            let vanished = || Problem::Internal("a subscription vanished".to_owned());
            Ok::<_, Problem>((is_new, stored.ok_or_else(vanished)?))
        })
        .await?;
    webhooks.wake.wake();
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let now = webhooks.clock.now_milliseconds();
    Ok((status, Json(SubscriptionAnswer::of(stored, now))))
}

/// Updates the pending deliveries of an existing subscription, in several short transactions. It
/// cancels those of event types that the wish leaves out, and makes the others due now. If the
/// call is interrupted between the two steps, the caller can repeat it.
async fn prepare(
    webhooks: &WebhookManagement,
    api_key: i64,
    wish: &Wish,
) -> Result<(), StorageError> {
    let url = wish.callback.as_str().to_owned();
    let known = webhooks
        .storage
        .read(move |read| subscriptions::find_subscription_by_url(read, api_key, &url))
        .await?;
    let Some(known) = known else {
        return Ok(());
    };
    waiting::cancel_unsubscribed(webhooks, known.id, &wish.events).await?;
    waiting::make_due_now(webhooks, known.id).await
}

struct Wish {
    participant_name: String,
    callback: CallbackUrl,
    events: Vec<EventType>,
}

async fn read_wish(
    webhooks: &WebhookManagement,
    api_key: i64,
    mut fields: Fields,
) -> Result<Wish, Problem> {
    for name in ["participantName", "callbackUrl", "events"] {
        fields.require(name);
    }
    let participant_name = fields.text("participantName");
    let events = read_events(&mut fields);
    let callback = match fields.exact_text("callbackUrl") {
        Some(text) => match webhooks.outbound.accept_callback(api_key, &text).await {
            Ok(callback) => Some(callback),
            Err(refusal) => {
                fields.refuse("callbackUrl", refusal.to_string());
                None
            }
        },
        None => None,
    };
    fields.finish()?;
    let incomplete = || Problem::Internal("a body was read incompletely".to_owned());
    Ok(Wish {
        participant_name: participant_name.ok_or_else(incomplete)?,
        callback: callback.ok_or_else(incomplete)?,
        events: events.ok_or_else(incomplete)?,
    })
}

fn read_events(fields: &mut Fields) -> Option<Vec<EventType>> {
    let names = fields.texts("events")?;
    let known = EventType::ALL.map(EventType::as_str).join("`, `");
    let mut events = Vec::new();
    for name in &names {
        let Some(event) = EventType::parse(name) else {
            fields.refuse("events", format!("must be of `{known}`"));
            return None;
        };
        if !events.contains(&event) {
            events.push(event);
        }
    }
    if events.is_empty() {
        fields.refuse(
            "events",
            format!("is empty: name at least one of `{known}`"),
        );
        return None;
    }
    Some(events)
}

/// The body that `read_wish` parses.
struct SubscriptionBody;

impl utoipa::ToSchema for SubscriptionBody {}

impl utoipa::PartialSchema for SubscriptionBody {
    fn schema() -> RefOr<Schema> {
        let events = ArrayBuilder::new()
            .items(one_of_texts(EventType::ALL.map(EventType::as_str)))
            .min_items(Some(1))
            .description(Some(
                "The event types to receive. A single name without an array works as well.",
            ));
        let callback = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[Hh][Tt][Tt][Pp][Ss]://"))
            .max_length(Some(outbound::limits::CALLBACK_URL_CHARACTERS_MAX))
            .description(Some(
                "The URL that receives the events. Its host must have public addresses. It must have \
                 no user name, password or fragment.",
            ));
        let participant = text(chain::limits::TEXT_CHARACTERS_MAX)
            .description(Some("The name of the subscriber, in your own words."));
        ObjectBuilder::new()
            .property("participantName", participant)
            .property("callbackUrl", callback)
            .property("events", events)
            .required("participantName")
            .required("callbackUrl")
            .required("events")
            .into()
    }
}
