//! Routes below `{base_url}/api/v1/webhook`, by their paths.

pub mod simulate;
pub mod subscribe;
pub mod subscriptions;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::routing::behind_admission;

use self::subscriptions::{deliveries, enable, replay, retry, watch};
use crate::{WebhookManagement, holder};

/// The routes of webhook management. The layer authenticates the API key.
pub fn routes(webhooks: &Arc<WebhookManagement>) -> OpenApiRouter {
    let routes = OpenApiRouter::default()
        .routes(routes!(subscribe::subscribe))
        .routes(routes!(simulate::simulate))
        .routes(routes!(subscriptions::list_subscriptions))
        .routes(routes!(
            subscriptions::show_subscription,
            subscriptions::delete_subscription,
            subscriptions::move_subscription
        ))
        .routes(routes!(enable::enable_subscription))
        .routes(routes!(retry::retry_deliveries))
        .routes(routes!(replay::replay))
        .routes(routes!(
            watch::show_watch,
            watch::set_watch,
            watch::change_watch
        ))
        .routes(routes!(deliveries::list_deliveries))
        .routes(routes!(deliveries::cancel::cancel))
        .routes(routes!(deliveries::redeliver::redeliver));
    behind_admission(routes, webhooks, holder::admit)
}
