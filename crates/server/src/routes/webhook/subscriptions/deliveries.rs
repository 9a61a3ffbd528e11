//! `GET {base_url}/api/v1/webhook/subscriptions/{id}/deliveries`: the delivery log.

pub(crate) mod redeliver;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use storage::delivery_log;

use crate::listing_management::openapi::pages;
use crate::listing_management::page::Query;
use crate::listing_management::parameters::Paging;
use crate::listing_management::segments::Segments;
use crate::openapi::refusals::refusals;
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::openapi::{describe, own_subscription};
use crate::webhooks::owned::find_own_subscription;
use crate::webhooks::parameters::SubscriptionInPath;
use crate::wire::management::List;
use crate::wire::webhooks::DeliveryAnswer;

refusals!(ListDeliveriesRefusals = describe(own_subscription(), pages()));

/// Lists the deliveries of a subscription with their attempts, the newest first.
#[utoipa::path(
    method(get, head),
    path = "/api/v1/webhook/subscriptions/{id}/deliveries",
    tag = "Webhooks",
    params(SubscriptionInPath, Paging),
    responses(
        (status = 200, description = "A page of deliveries.", body = List<DeliveryAnswer>),
        ListDeliveriesRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn list_deliveries(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<DeliveryAnswer>>, Problem> {
    let page = Query::parse(uri.query())?.only_page()?;
    let (total, found) = webhooks
        .storage
        .read_by_index(move |read| {
            let owner = find_own_subscription(read, &holder, segments.text(0))?;
            let (limit, offset) = (page.limit(), page.offset());
            let found = delivery_log::list_deliveries(read, owner.id, limit, offset)?;
            Ok::<_, Problem>(found)
        })
        .await?;
    Ok(page.answer(total, found.into_iter().map(DeliveryAnswer::from).collect()))
}
