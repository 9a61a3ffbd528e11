//! The schemas of the parameters of webhook management.

use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

use crate::listing_management::parameters::in_path;
use crate::openapi::schema::{formatted, id};

/// The subscription of a path.
pub struct SubscriptionInPath;

/// The delivery of a path.
pub struct DeliveryInPath;

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
