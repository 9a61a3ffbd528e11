//! A test event, from the subscription to the receiver's answer.

use client::webhook::wire::{
    DeliveryAttempt, Simulated, Simulation, Subscription, SubscriptionRequest, WatchChange,
};
use client::{ClientError, EventType, WebhookClient};
use observe::clock::Stopwatch;
use url::Url;

use super::report::{Advice, Check, Who};
use crate::limits;

/// The UPRN of test events. No property has it: it is above the UPRNs in use and below the
/// placeholders (S-12). A service may refuse to simulate events of known properties.
const TEST_UPRN: u64 = 899_999_999_999;

/// A receiver, and the subscriber that it belongs to.
pub(super) struct Receiver<'a> {
    pub(super) url: &'a Url,
    pub(super) participant_name: &'a str,
}

/// The subscription of the receiver.
struct Subscribed {
    id: String,
    event_type: EventType,
    /// Whether this command made it, and so deletes it.
    is_ours: bool,
}

/// Lets the service send a test event to the receiver, and looks for the receiver's answer in the log
/// of deliveries. A subscription that is made for this is deleted.
pub(super) async fn check_event(client: &WebhookClient, to: &Receiver<'_>, check: &mut Check) {
    let subscribed = match subscribe(client, to).await {
        Ok(subscribed) => subscribed,
        Err(error) => {
            let advice = advise(&error);
            check.fail(error, advice);
            return;
        }
    };
    if let Err(error) = send(client, &subscribed, check).await {
        let advice = advise(&error);
        check.fail(error, advice);
    }
    if subscribed.is_ours
        && let Err(error) = client.delete_subscription(&subscribed.id).await
    {
        let advice = format_args!(
            "delete the subscription {}: the callback would go on receiving events",
            subscribed.id
        );
        check.fail(error, [Who::You.should(advice)]);
    }
}

/// Takes the receiver's subscription, or makes one.
async fn subscribe(client: &WebhookClient, to: &Receiver<'_>) -> Result<Subscribed, ClientError> {
    let present = client.list_subscriptions().await?;
    let is_same = |one: &&Subscription| {
        one.status == "active" && Url::parse(&one.callback_url).is_ok_and(|url| url == *to.url)
    };
    let types = |one: &Subscription| one.events.iter().find_map(|name| EventType::parse(name));
    let same = present.iter().find(is_same);
    if let Some((one, event_type)) = same.and_then(|one| Some((one, types(one)?))) {
        return Ok(Subscribed {
            id: one.subscription_id.clone(),
            event_type,
            is_ours: false,
        });
    }
    let wish = SubscriptionRequest {
        participant_name: to.participant_name.to_owned(),
        callback_url: to.url.to_string(),
        events: vec![EventType::MilestoneUpdated],
    };
    let made = client.subscribe(&wish).await?;
    Ok(Subscribed {
        id: made.subscription.subscription_id,
        event_type: EventType::MilestoneUpdated,
        is_ours: made.is_new,
    })
}

async fn send(
    client: &WebhookClient,
    to: &Subscribed,
    check: &mut Check,
) -> Result<(), ClientError> {
    let simulation = Simulation {
        event_type: to.event_type,
        property_id: None,
        uprn: Some(TEST_UPRN.to_string()),
        date: None,
        label: None,
        change: None,
        // Other receivers of this API key get nothing.
        subscription_id: Some(to.id.clone()),
    };
    let simulated = simulate_watched(client, &simulation, to).await?;
    let mut deliveries = simulated.deliveries.iter();
    let delivery = deliveries.find(|delivery| delivery.subscription_id == to.id);
    let delivery = delivery.map_or("", |delivery| delivery.delivery_id.as_str());
    if let Some(attempt) = wait_for_attempt(client, &to.id, delivery).await? {
        judge(&attempt, &simulated.event_id, check);
    } else {
        let yours = "look at the subscription: if it is paused, POST its `retry`";
        let theirs = "look at the deliveries: `onward subscription list --config FILE`";
        let found = format_args!(
            "the service has not tried to deliver {}",
            simulated.event_id
        );
        check.fail(
            found,
            [Who::You.should(yours), Who::Operator.should(theirs)],
        );
    }
    Ok(())
}

/// Simulates the event. A subscription that the integrator made may have a watch, which has the test's UPRN
/// only meanwhile.
async fn simulate_watched(
    client: &WebhookClient,
    simulation: &Simulation,
    to: &Subscribed,
) -> Result<Simulated, ClientError> {
    let refused = match client.simulate(simulation).await {
        Err(ClientError::Webhook(problem)) if problem.status == 409 && !to.is_ours => problem,
        answer => return answer,
    };
    let uprns = [TEST_UPRN];
    let (add, remove) = (
        WatchChange {
            add: &uprns,
            remove: &[],
        },
        WatchChange {
            add: &[],
            remove: &uprns,
        },
    );
    // Without a watch, the first refusal says more.
    if client.change_watch(&to.id, &add).await.is_err() {
        return Err(ClientError::Webhook(refused));
    }
    let simulated = client.simulate(simulation).await;
    client.change_watch(&to.id, &remove).await?;
    simulated
}

/// Asks for the log of deliveries until it shows an attempt; `None` if none comes in time.
async fn wait_for_attempt(
    client: &WebhookClient,
    subscription: &str,
    delivery: &str,
) -> Result<Option<DeliveryAttempt>, ClientError> {
    let waited = Stopwatch::start();
    while waited.elapsed() < limits::PREFLIGHT_DELIVERY_TIMEOUT {
        let deliveries = client.list_deliveries(subscription).await?;
        let ours = deliveries
            .into_iter()
            .find(|one| one.delivery_id == delivery);
        if let Some(attempt) = ours.and_then(|one| one.attempts.into_iter().next_back()) {
            return Ok(Some(attempt));
        }
        tokio::time::sleep(limits::PREFLIGHT_DELIVERY_PAUSE).await;
    }
    Ok(None)
}

fn judge(attempt: &DeliveryAttempt, event_id: &str, check: &mut Check) {
    match attempt.status {
        Some(status @ 200..=299) => {
            check.note(format_args!("the receiver answered {status} to {event_id}"));
        }
        Some(status) => {
            let answer = attempt.answer.as_deref().unwrap_or_default();
            let separator = if answer.is_empty() { "" } else { ": " };
            let found = format_args!("the receiver answered {status}{separator}{answer}");
            check.fail(found, advise_status(status));
        }
        None => {
            let error = attempt.error.as_deref().unwrap_or("unknown");
            let found = format_args!("the service got no answer from the receiver ({error})");
            check.fail(found, advise_no_answer(error));
        }
    }
}

fn advise_status(status: u16) -> Vec<Advice> {
    let change = match status {
        300..=399 => {
            "put the address at which the receiver answers into --callback: the service \
                      follows no redirects"
        }
        400 => {
            "let the receiver verify with --jwks-url, and with --base-url as `iss`; for this test \
                it must accept test events, as `onward listen --accept-simulated` does"
        }
        401 | 403 => "let the receiver accept requests without a login: it verifies the signature",
        404 | 405 => "put the path at which the receiver takes POST into --callback",
        413 => "let the receiver read bodies of up to 64 KiB",
        415 => "let the receiver accept the content type application/jwt",
        500..=599 => "read the log of the receiver: it failed on this event, and must answer 202",
        _ => "let the receiver answer 202 to an event that it accepts",
    };
    vec![Who::You.should(change)]
}

fn advise_no_answer(error: &str) -> Vec<Advice> {
    match error {
        "tls" => vec![
            Who::You.should("install a certificate of a public authority at the receiver"),
            Who::Operator.should("or put the receiver's authority into callback_ca_file"),
        ],
        "address_forbidden" => vec![
            Who::You.should("put a host with a public address into --callback"),
            Who::Operator.should("or allow its network in callback_allowed_networks"),
        ],
        "timeout" | "closed_early" | "invalid_answer" => {
            vec![Who::You.should("let the receiver send a complete HTTP answer within 15 seconds")]
        }
        _ => vec![Who::You.should(
            "let the receiver's firewall and DNS admit the service, and not only this machine",
        )],
    }
}

fn advise(error: &ClientError) -> Vec<Advice> {
    let ClientError::Webhook(problem) = error else {
        return vec![Who::You.should("check --base-url, and run the command again")];
    };
    match problem.status {
        401 => vec![
            Who::You.should("put a valid API key into the file of --api-key-file"),
            Who::Operator
                .should("or issue one: `onward api-key issue --participant NAME --config FILE`"),
        ],
        409 => vec![Who::You.should(format_args!(
            "add {TEST_UPRN} to the watch of this subscription for the test: PATCH its `watch`"
        ))],
        500..=599 => vec![Who::Operator.should("read the log of the service for this request id")],
        _ => vec![Who::You.should("correct the value that the service names")],
    }
}
