//! `POST {base_url}/api/v1/webhook/subscribe`: subscribes a callback URL to events.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::EventType;
use http::StatusCode;
use outbound::callback::CallbackUrl;
use storage::subscriptions::{self, NewSubscription, StoredSubscription};
use storage::{Read, StorageError};
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use uuid::Uuid;

use crate::listing_management::fields::Fields;
use crate::listing_management::json_body::JsonBody;
use crate::listing_management::openapi::{any_body, wrong_member};
use crate::openapi::refusals::refusals;
use crate::openapi::schema::{one_of_texts, text};
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::openapi::{callback, chain_events, describe, one_more_subscription};
use crate::webhooks::owned;
use crate::webhooks::waiting;
use crate::webhooks::watching::{self, NewWatch, WatchBody};
use crate::wire::webhooks::SubscriptionAnswer;

refusals!(
    SubscribeRefusals = describe(
        any_body(),
        wrong_member("participantName", "is missing"),
        callback(),
        one_more_subscription(),
        chain_events(),
    )
);

/// Creates a subscription, or replaces the event types of the one with the same URL.
///
/// Without `watch`, an existing subscription keeps the properties that it watches, and `null` makes it
/// receive the events of all. A disabled subscription becomes active again. Pending deliveries of event types that the
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
            if wish.events.contains(&EventType::ChainChanged)
                && !subscriptions::may_receive_chain_changes(write, holder.id())?
            {
                return Err(owned::no_chain_client());
            }
            let is_new = subscriptions::store_subscription(write, &new, now)?;
            let stored = find_stored(write, holder.id(), url)?;
            match &wish.watch {
                Watching::Kept => return Ok((is_new, stored)),
                Watching::Nothing => watching::remove(write, stored.id, now / 1000)?,
                Watching::Set(watch) => watch.store(write, stored.id, now / 1000)?,
            }
            Ok::<_, Problem>((is_new, find_stored(write, holder.id(), url)?))
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

fn find_stored(
    read: &mut Read<'_>,
    api_key: i64,
    url: &str,
) -> Result<StoredSubscription, Problem> {
    let found = subscriptions::find_subscription_by_url(read, api_key, url)?;
    found.ok_or_else(|| Problem::Internal("a subscription vanished".to_owned()))
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
    watch: Watching,
}

/// The wish about the properties that a subscription watches (S-39).
enum Watching {
    /// It keeps its watch, if it has one.
    Kept,
    /// It has none.
    Nothing,
    /// It has this one.
    Set(NewWatch),
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
    let watch = read_watch(&mut fields);
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
        watch: watch.ok_or_else(incomplete)?,
    })
}

/// `None` if the member is wrong.
fn read_watch(fields: &mut Fields) -> Option<Watching> {
    if fields.is_cleared("watch") {
        return Some(Watching::Nothing);
    }
    if !fields.has("watch") {
        return Some(Watching::Kept);
    }
    let mut inner = fields.object("watch")?;
    let watch = NewWatch::read(&mut inner);
    fields.close(inner);
    watch.map(Watching::Set)
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

/// The name of the schema of a watch.
const WATCH_BODY: &str = "WatchBody";

/// The body that `read_wish` parses.
struct SubscriptionBody;

impl utoipa::ToSchema for SubscriptionBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let watch = <WatchBody as utoipa::PartialSchema>::schema();
        schemas.push((WATCH_BODY.to_owned(), watch));
    }
}

/// A watch, or null.
fn watch_member() -> AnyOfBuilder {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    AnyOfBuilder::new()
        .item(Ref::from_schema_name(WATCH_BODY))
        .item(null)
}

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
            .examples(["https://hooks.example/onward"])
            .description(Some(
                "The URL that receives the events. Its host must have public addresses. It must have \
                 no user name, password or fragment.",
            ));
        let participant = text(chain::limits::TEXT_CHARACTERS_MAX)
            .examples(["Example Lender"])
            .description(Some("The name of the subscriber, in your own words."));
        ObjectBuilder::new()
            .property("participantName", participant)
            .property("callbackUrl", callback)
            .property("events", events)
            .property("watch", watch_member())
            .required("participantName")
            .required("callbackUrl")
            .required("events")
            .into()
    }
}
