//! `POST {base_url}/api/v1/webhook/subscribe`: subscribes a callback URL to events.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::EventType;
use http::StatusCode;
use outbound::callback::CallbackUrl;
use storage::subscriptions::{self, NewSubscription, StoredSubscription};
use storage::{Read, watches};
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use uuid::Uuid;
use web::described::{any_body, wrong_member};
use web::fields::Fields;
use web::json_body::JsonBody;
use web::problem::Problem;
use web::refusals;
use web::schema::{one_of_texts, text};

use crate::callback_member::{callback_member, read_callback};
use crate::holder::Holder;
use crate::openapi::{any_watch, callback, describe, one_more_subscription, own_subscription};
use crate::owned::{self, find_own_subscription};
use crate::waiting;
use crate::watch_changes::{self, WatchWish};
use crate::watching::{NewWatch, WatchBody};
use crate::wire::SubscriptionAnswer;
use crate::{WebhookManagement, WebhookQuotas};

refusals!(
    SubscribeRefusals = describe(
        any_body(),
        wrong_member("participantName", "is missing"),
        callback(),
        one_more_subscription(),
        own_subscription(),
        any_watch(),
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
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn subscribe(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    body: JsonBody,
) -> Result<(StatusCode, Json<SubscriptionAnswer>), Problem> {
    let wish = read_wish(&webhooks, &holder, body.fields()?).await?;
    let gives_up_types = gives_up_types(&webhooks, &holder, &wish).await?;
    let _running = match &wish.watch {
        Some(watch) => Some(watch_changes::admit(&webhooks, &holder, watch)?),
        None if gives_up_types => Some(watch_changes::start(&webhooks, &holder)?),
        None => None,
    };
    let now = webhooks.clock.now_seconds();
    let quotas = webhooks.quotas;
    let wish = Arc::new(wish);
    let (asker, wanted) = (holder.clone(), Arc::clone(&wish));
    let (is_new, stored) = webhooks
        .storage
        .write_at_length(move |write| {
            let (holder, wish) = (&asker, &wanted);
            refuse(write, holder, wish, quotas)?;
            let url = wish.callback.as_str();
            let new = NewSubscription {
                reference: &Uuid::new_v4().to_string(),
                account: holder.account(),
                key: holder.key(),
                participant_name: &wish.participant_name,
                callback_url: url,
                events: &wish.events,
            };
            let is_new = subscriptions::store_subscription(write, &new, now)?;
            let stored = find_stored(write, holder.account(), url)?;
            if let (true, Some(WatchWish::Set(watch))) = (is_new, &wish.watch) {
                // It must not receive the events of all properties before its UPRNs are there.
                watches::store_reach(write, stored.id, Some(watch.reach()), now)?;
            }
            Ok::<_, Problem>((is_new, stored))
        })
        .await?;
    if let Some(watch) = &wish.watch {
        watch_changes::carry_out(&webhooks, stored.id, watch).await?;
    }
    if gives_up_types {
        waiting::cancel_unsubscribed(&webhooks, stored.id).await?;
    }
    if !is_new {
        waiting::make_due_now(&webhooks, stored.id).await?;
    }
    webhooks.wake.wake();
    // Somebody may have removed it meanwhile.
    let stored = webhooks
        .storage
        .read(move |read| find_own_subscription(read, &holder, &stored.reference))
        .await
        .map_err(waiting::unread)?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, webhooks.show(stored)))
}

/// Whether the subscription leaves out an event type that it has: then it looks at all pending deliveries.
async fn gives_up_types(
    webhooks: &WebhookManagement,
    holder: &Holder,
    wish: &Wish,
) -> Result<bool, Problem> {
    let (account, url) = (holder.account(), wish.callback.as_str().to_owned());
    let finding = webhooks
        .storage
        .read(move |read| subscriptions::find_subscription_by_url(read, account, &url));
    let known: Option<StoredSubscription> = finding.await?;
    let known = known.map(|known| known.events).unwrap_or_default();
    Ok(known.iter().any(|one| !wish.events.contains(one)))
}

fn find_stored(
    read: &mut Read<'_>,
    account: i64,
    url: &str,
) -> Result<StoredSubscription, Problem> {
    let found = subscriptions::find_subscription_by_url(read, account, url)?;
    found.ok_or_else(|| Problem::Internal("a subscription vanished".to_owned()))
}

/// Makes all refusals that depend on the store, before anything changes.
fn refuse(
    read: &mut Read<'_>,
    holder: &Holder,
    wish: &Wish,
    quotas: WebhookQuotas,
) -> Result<(), Problem> {
    holder.prove_again(read)?;
    let url = wish.callback.as_str();
    let known = subscriptions::find_subscription_by_url(read, holder.account(), url)?;
    match &known {
        None => owned::check_one_more(read, holder, quotas.subscriptions)?,
        Some(known) if !known.is_active => {
            owned::check_one_more_active(read, holder, quotas.subscriptions)?;
        }
        Some(_active) => {}
    }
    if wish.events.iter().any(|one| one.needs_chain_client()) {
        owned::check_chain_right(read, holder)?;
    }
    match &wish.watch {
        Some(watch) => {
            watch_changes::refuse(read, holder, known.as_ref(), watch, quotas.watched_uprns)
        }
        None => Ok(()),
    }
}

struct Wish {
    participant_name: String,
    callback: CallbackUrl,
    events: Vec<EventType>,
    /// `None`: the subscription keeps its watch, if it has one (S-39).
    watch: Option<WatchWish>,
}

async fn read_wish(
    webhooks: &WebhookManagement,
    holder: &Holder,
    mut fields: Fields,
) -> Result<Wish, Problem> {
    for name in ["participantName", "callbackUrl", "events"] {
        fields.require(name);
    }
    let participant_name = fields.text("participantName");
    let events = read_events(&mut fields);
    let watch = read_watch(&mut fields);
    let callback = read_callback(webhooks, holder, &mut fields).await;
    fields.finish()?;
    Ok(Wish {
        participant_name: participant_name.ok_or_else(JsonBody::incomplete)?,
        callback: callback.ok_or_else(JsonBody::incomplete)?,
        events: events.ok_or_else(JsonBody::incomplete)?,
        watch,
    })
}

/// `None` if the member is not there, or wrong.
fn read_watch(fields: &mut Fields) -> Option<WatchWish> {
    if fields.is_cleared("watch") {
        return Some(WatchWish::Nothing);
    }
    if !fields.has("watch") {
        return None;
    }
    let mut inner = fields.object("watch")?;
    let watch = NewWatch::read(&mut inner);
    fields.close(inner);
    watch.map(WatchWish::Set)
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
        let participant = text(chain::limits::TEXT_CHARACTERS_MAX)
            .examples(["Example Lender"])
            .description(Some("The name of the subscriber, in your own words."));
        ObjectBuilder::new()
            .property("participantName", participant)
            .property("callbackUrl", callback_member())
            .property("events", events)
            .property("watch", watch_member())
            .required("participantName")
            .required("callbackUrl")
            .required("events")
            .into()
    }
}
