//! The schemas of the parameters of webhook management.

use chain::event::EventType;
use chain::limits::UPRN_MAX;
use storage::delivery_choice::DeliveryState;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use web::parameters::{in_path, in_query};
use web::schema::{formatted, id, integer, one_of_texts};

use crate::limits::WATCH_UPRNS_PER_CALL;

/// The subscription of a path.
pub(crate) struct SubscriptionInPath;

/// The delivery of a path.
pub(crate) struct DeliveryInPath;

impl IntoParams for SubscriptionInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path("id", "A `subscriptionId`.", formatted("uuid"))]
    }
}

impl IntoParams for DeliveryInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![in_path("delivery", "A `deliveryId`.", id())]
    }
}

/// The filters of the delivery log.
pub(crate) struct DeliveryChoice;

impl IntoParams for DeliveryChoice {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let states = one_of_texts(DeliveryState::ALL.map(DeliveryState::as_str));
        let types = one_of_texts(EventType::ALL.map(EventType::as_str));
        vec![
            in_query("status", "Only deliveries in this state.", states),
            in_query(
                "eventType",
                "Only deliveries of events of this type.",
                types,
            ),
        ]
    }
}

/// The page of a watch.
pub(crate) struct WatchPage;

impl IntoParams for WatchPage {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let most = WATCH_UPRNS_PER_CALL as u64;
        let after = integer(0, UPRN_MAX.unsigned_abs());
        let per_page = integer(1, most).default(Some(most.into()));
        vec![
            in_query("after", "Only UPRNs after this one.", after),
            in_query("per_page", "The most UPRNs of a page.", per_page),
        ]
    }
}
