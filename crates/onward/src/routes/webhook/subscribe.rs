//! `POST {base_url}/api/v1/webhook/subscribe`: events to a callback URL.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::EventType;
use http::StatusCode;
use storage::subscriptions::{self, NewSubscription};
use uuid::Uuid;

use crate::app::App;
use crate::delivery::callback::CallbackUrl;
use crate::limits;
use crate::management::fields::Fields;
use crate::management::recording::WriteRequest;
use crate::problem::Problem;
use crate::webhooks::holder::ApiKeyHolder;
use crate::wire::webhooks::SubscriptionAnswer;

/// Subscribes, or replaces what the subscription of the same URL asks for (S-30).
pub async fn subscribe(
    State(app): State<Arc<App>>,
    holder: ApiKeyHolder,
    request: WriteRequest,
) -> Result<(StatusCode, Json<SubscriptionAnswer>), Problem> {
    let wish = read_wish(&app, request.fields()?).await?;
    let now = app.clock.now_seconds();
    let (is_new, stored) = app
        .storage
        .write(move |write| {
            let url = wish.callback.as_str();
            let known = subscriptions::find_subscription_by_url(write, holder.id(), url)?;
            let count = subscriptions::count_subscriptions(write, holder.id())?;
            if known.is_none() && count >= limits::SUBSCRIPTIONS_MAX {
                return Err(Problem::Conflict(
                    "An API key has at most 100 subscriptions. Delete one first.",
                ));
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
            Ok((is_new, stored.ok_or_else(vanished)?))
        })
        .await?;
    // What it was still owed may go out now.
    app.deliveries.wake();
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(SubscriptionAnswer::from(stored))))
}

struct Wish {
    participant_name: String,
    callback: CallbackUrl,
    events: Vec<EventType>,
}

async fn read_wish(app: &App, mut fields: Fields) -> Result<Wish, Problem> {
    for name in ["participantName", "callbackUrl", "events"] {
        fields.require(name);
    }
    let participant_name = fields.text("participantName");
    let events = read_events(&mut fields);
    let callback = match fields.exact_text("callbackUrl") {
        Some(text) => match app.sender.accept_callback(&text).await {
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
