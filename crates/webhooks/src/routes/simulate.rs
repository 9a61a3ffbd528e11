//! `POST {base_url}/api/v1/webhook/simulate`: sends a test event to the caller.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::event::Reach;
use http::StatusCode;
use storage::events::{SIMULATED_PREFIX, SimulatedEvent};
use storage::subscriptions::StoredSubscription;
use storage::{Read, StorageError, deliveries, events, subscriptions, watches};
use uuid::Uuid;
use web::described::{any_body, wrong_member};
use web::json_body::JsonBody;
use web::problem::Problem;
use web::refusals;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{describe, one_more_simulation, somebody_subscribed};
use crate::owned::{check_chain_right, find_own_subscription};
use crate::simulation::{NO_PROPERTY, Simulation, SimulationBody, nobody_subscribed, too_many};
use crate::wire::{Simulated, SimulatedDelivery};

refusals!(
    SimulateRefusals = describe(
        any_body(),
        wrong_member("propertyId", NO_PROPERTY),
        somebody_subscribed(),
        one_more_simulation(),
    )
);

/// Sends a test event to your own subscriptions.
///
/// Only your own active subscriptions receive it, and only if they are subscribed to its
/// type and their watch lets the property through. `subscriptionId` narrows it to one of them. The
/// service delivers it like every other event, with the claim `simulated`. It ignores a `callbackUrl`
/// in the body. The property must not have a current listing, unless the service allows it, as a
/// sandbox does.
// S-33
#[utoipa::path(
    post,
    path = "/api/v1/webhook/simulate",
    tag = "Webhooks",
    request_body = SimulationBody,
    responses(
        (status = 202, description = "The test event is pending.", body = Simulated),
        SimulateRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn simulate(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    body: JsonBody,
) -> Result<(StatusCode, Json<Simulated>), Problem> {
    let now = webhooks.clock.now_seconds();
    let now_milliseconds = webhooks.clock.now_milliseconds();
    let simulation = Simulation::read(&body, now)?;
    if let Some(limits) = &webhooks.simulations {
        let allowance = limits.count(holder.participant());
        if let Some(wait) = allowance.wait() {
            return Err(too_many(allowance.burst(), wait));
        }
    }
    let may_be_known = webhooks.simulate_known_properties;
    let simulated = webhooks
        .storage
        .write(move |write| {
            holder.prove_again(write)?;
            if !may_be_known {
                simulation.refuse_known(write)?;
            }
            let (property, uprn) = simulation.find_ids(write)?;
            let targets = find_targets(write, &holder, &simulation, uprn)?;
            let event_id = format!("{SIMULATED_PREFIX}{}", Uuid::new_v4());
            let detail = simulation.describe_chain(write, uprn)?;
            let event = SimulatedEvent {
                event_id: &event_id,
                event_type: simulation.event_type,
                property,
                uprn,
                label: simulation.label,
                date: simulation.date,
                detail: detail.as_deref(),
            };
            let row = events::insert_simulated_event(write, &event, now)?;
            // Deliveries are ordered by property. Unknown properties get a key from their UPRN, so
            // that they do not wait for each other.
            let order = if property == 0 { -uprn } else { property };
            let mut pending = Vec::with_capacity(targets.len());
            for target in targets {
                let id =
                    deliveries::insert_delivery(write, target.id, row, order, now_milliseconds)?;
                pending.push(SimulatedDelivery {
                    subscription_id: target.reference,
                    delivery_id: id.to_string(),
                });
            }
            Ok::<_, Problem>(Simulated {
                event_id,
                deliveries: pending,
            })
        })
        .await?;
    webhooks.wake.wake();
    Ok((StatusCode::ACCEPTED, Json(simulated)))
}

/// The caller's active subscriptions that hear the event, or the one that the body names if it does.
fn find_targets(
    read: &mut Read<'_>,
    holder: &Holder,
    simulation: &Simulation,
    uprn: i64,
) -> Result<Vec<StoredSubscription>, Problem> {
    let event_type = simulation.event_type;
    if event_type.needs_chain_client() {
        check_chain_right(read, holder)?;
    }
    let candidates = match &simulation.subscription {
        Some(reference) => vec![find_own_subscription(read, holder, reference)?],
        None => subscriptions::list_subscriptions(read, holder.account())?,
    };
    let mut targets = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let hears = candidate.is_active && candidate.events.contains(&event_type);
        if hears && watches_property(read, &candidate, uprn)? {
            targets.push(candidate);
        }
    }
    if targets.is_empty() {
        return Err(nobody_subscribed());
    }
    Ok(targets)
}

/// Whether the watch of a subscription lets events of this property through (S-39).
fn watches_property(
    read: &mut Read<'_>,
    subscription: &StoredSubscription,
    uprn: i64,
) -> Result<bool, StorageError> {
    let Some(watch) = &subscription.watch else {
        return Ok(true);
    };
    if watches::is_watched(read, subscription.id, uprn)? {
        return Ok(true);
    }
    Ok(watch.reach == Reach::Chain
        && subscriptions::may_see_chains(read, subscription.account)?
        && watches::is_chain_watched(read, subscription.id, uprn)?)
}
