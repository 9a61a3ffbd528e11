//! `GET {base_url}/api/v1/webhook/subscriptions/{id}/deliveries`: the delivery log.

pub(crate) mod cancel;
pub mod redeliver;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::EventType;
use http::Uri;
use storage::delivery_choice::{DeliveryFilter, DeliveryState};
use storage::delivery_log;
use web::described::pages;
use web::list::List;
use web::page::{Page, Query, refuse_errors};
use web::parameters::Paging;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{describe, own_subscription};
use crate::owned::find_own_subscription;
use crate::parameters::{DeliveryChoice, SubscriptionInPath};
use crate::wire::DeliveryAnswer;

refusals!(ListDeliveriesRefusals = describe(own_subscription(), pages()));

/// Lists the deliveries of a subscription with their attempts, the newest first.
///
/// Each attempt has the status and the first 1,024 bytes of the receiver's answer.
#[utoipa::path(
    get,
    path = "/api/v1/webhook/subscriptions/{id}/deliveries",
    tag = "Webhooks",
    params(SubscriptionInPath, DeliveryChoice, Paging),
    responses(
        (status = 200, description = "A page of deliveries.", body = List<DeliveryAnswer>),
        ListDeliveriesRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn list_deliveries(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<DeliveryAnswer>>, Problem> {
    let (filter, page) = read_query(uri.query())?;
    let (total, found, paused_until) = webhooks
        .storage
        .read_by_index(move |read| {
            let owner = find_own_subscription(read, &holder, segments.text(0))?;
            let (limit, offset) = (page.limit(), page.offset());
            let (total, found) =
                delivery_log::list_deliveries(read, owner.id, filter, limit, offset)?;
            Ok::<_, Problem>((total, found, owner.paused_until))
        })
        .await?;
    let shown = found
        .into_iter()
        .map(|logged| DeliveryAnswer::of(logged, paused_until))
        .collect::<Result<_, _>>()?;
    Ok(page.answer(total, shown))
}

fn read_query(text: Option<&str>) -> Result<(DeliveryFilter, Page), Problem> {
    let query = Query::parse(text)?;
    let mut errors = Vec::new();
    let states = DeliveryState::ALL.map(|state| (state.as_str(), state));
    let types = EventType::ALL.map(|event_type| (event_type.as_str(), event_type));
    let filter = DeliveryFilter {
        state: query.choice("status", &states, &mut errors),
        event_type: query.choice("eventType", &types, &mut errors),
    };
    let page = query.page(&mut errors);
    refuse_errors(errors)?;
    Ok((filter, page))
}
