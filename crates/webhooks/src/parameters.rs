//! The schemas of the parameters of webhook management.

use chain::event::EventType;
use chain::limits::UPRN_MAX;
use storage::delivery_choice::DeliveryState;
use utoipa::openapi::path::Parameter;
use web::parameters;
use web::parameters::{in_path, in_query};
use web::schema::{formatted, id, integer, one_of_texts};

use crate::limits::WATCH_UPRNS_PER_CALL;

parameters!(SubscriptionInPath = [in_path("id", "A `subscriptionId`.", formatted("uuid"))]);

parameters!(DeliveryInPath = [in_path("delivery", "A `deliveryId`.", id())]);

parameters!(DeliveryChoice = delivery_choice());

parameters!(WatchPage = watch_page());

/// The filters of the delivery log.
fn delivery_choice() -> [Parameter; 2] {
    let states = one_of_texts(DeliveryState::ALL.map(DeliveryState::as_str));
    let types = one_of_texts(EventType::ALL.map(EventType::as_str));
    [
        in_query("status", "Only deliveries in this state.", states),
        in_query(
            "eventType",
            "Only deliveries of events of this type.",
            types,
        ),
    ]
}

/// The page of a watch.
fn watch_page() -> [Parameter; 2] {
    let most = WATCH_UPRNS_PER_CALL as u64;
    let after = integer(0, UPRN_MAX.unsigned_abs());
    let per_page = integer(1, most).default(Some(most.into()));
    [
        in_query("after", "Only UPRNs after this one.", after),
        in_query("per_page", "The most UPRNs of a page.", per_page),
    ]
}
