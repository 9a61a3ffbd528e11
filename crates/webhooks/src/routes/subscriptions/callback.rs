//! `PATCH {base_url}/api/v1/webhook/subscriptions/{id}`: moves a subscription to another callback URL (S-92).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use outbound::callback::CallbackUrl;
use storage::subscriptions;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use web::described::{any_body, wrong_member};
use web::fields::Fields;
use web::json_body::JsonBody;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::ApiKeyHolder;
use crate::openapi::{callback, describe, free_callback, own_subscription};
use crate::owned::{callback_taken, find_own_subscription, reread};
use crate::parameters::SubscriptionInPath;
use crate::waiting;
use crate::wire::SubscriptionAnswer;

refusals!(
    MoveSubscriptionRefusals = describe(
        any_body(),
        wrong_member("callbackUrl", "is missing"),
        callback(),
        own_subscription(),
        free_callback(),
    )
);

/// Moves a subscription to another callback URL.
///
/// Its id, event types, watch and delivery log stay. The service sends pending deliveries to the new URL at
/// once. An attempt that is under way may still arrive at the old URL.
#[utoipa::path(
    patch,
    path = "/api/v1/webhook/subscriptions/{id}",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = MoveBody,
    responses(
        (status = 200, description = "The moved subscription.", body = SubscriptionAnswer),
        MoveSubscriptionRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn move_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let mut fields = body.fields()?;
    fields.require("callbackUrl");
    let url = read_callback(&webhooks, &holder, &mut fields).await;
    fields.finish()?;
    let url = url.ok_or_else(|| Problem::Internal("a body was read incompletely".to_owned()))?;
    let now = webhooks.clock.now_seconds();
    let moved = webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_own_subscription(write, &holder, segments.text(0))?;
            let url = url.as_str();
            let known = subscriptions::find_subscription_by_url(write, holder.account(), url)?;
            match known {
                Some(other) if other.id != found.id => return Err(callback_taken()),
                Some(_same) => return Ok(found),
                None => {}
            }
            subscriptions::move_subscription(write, found.id, url, holder.key(), now)?;
            Ok(reread(write, &holder, &found.reference)?)
        })
        .await?;
    waiting::make_due_now(&webhooks, moved.id).await?;
    webhooks.wake.wake();
    let now = webhooks.clock.now_milliseconds();
    Ok(Json(SubscriptionAnswer::of(moved, now)))
}

/// Reads `callbackUrl` and looks its host up. Adds a wrong value to the errors of `fields` (S-31).
pub(crate) async fn read_callback(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    fields: &mut Fields,
) -> Option<CallbackUrl> {
    let text = fields.exact_text("callbackUrl")?;
    let account = holder.account();
    match webhooks.outbound.accept_callback(account, &text).await {
        Ok(callback) => Some(callback),
        Err(refusal) => {
            fields.refuse("callbackUrl", refusal.to_string());
            None
        }
    }
}

/// The schema of `callbackUrl`.
pub(crate) fn callback_member() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::Type::String)
        .pattern(Some("^[Hh][Tt][Tt][Pp][Ss]://"))
        .max_length(Some(outbound::limits::CALLBACK_URL_CHARACTERS_MAX))
        .examples(["https://hooks.example/onward"])
        .description(Some(
            "The URL that receives the events. Its host must have public addresses. It must have \
             no user name, password or fragment.",
        ))
}

/// The body of a move.
struct MoveBody;

impl utoipa::ToSchema for MoveBody {}

impl utoipa::PartialSchema for MoveBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .property("callbackUrl", callback_member())
            .required("callbackUrl")
            .into()
    }
}
