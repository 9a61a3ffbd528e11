//! One attempt to deliver an event.

use std::sync::Arc;
use std::time::Duration;

use observe::clock::Stopwatch;
use observe::trace;
use outbound::callback::CallbackUrl;
use outbound::client::{Attempt, SendError};
use storage::attempts::AttemptResult;
use storage::deliveries::DueDelivery;
use tracing::{Instrument as _, Span, field};

use crate::node::Node;
use crate::policy::AttemptOutcome;

/// The error in the log of attempts for an event that could not be signed.
pub const NOT_SIGNED: &str = "not_signed";

/// A delivery after one attempt.
#[derive(Debug)]
pub(super) struct FinishedAttempt {
    /// The delivery.
    pub(super) delivery: DueDelivery,
    /// The row that the store keeps.
    pub(super) result: AttemptResult,
    /// The facts that the policy decides by.
    pub(super) outcome: AttemptOutcome,
}

/// Sends the event once, with a signature that is new enough.
pub(super) async fn send(
    node: Arc<Node>,
    callback: Arc<CallbackUrl>,
    delivery: DueDelivery,
) -> FinishedAttempt {
    let clock = &node.context.clock;
    let begun_at = clock.now_milliseconds();
    let stopwatch = Stopwatch::start();
    let (mut outcome, said) = sign_and_post(&node, &callback, &delivery).await;
    let duration = stopwatch.elapsed();
    outcome.ended_at = clock.now_milliseconds();
    // Redeliveries are left out of the latency figure.
    let is_redelivery = delivery.is_redelivery();
    let latency = (!is_redelivery).then_some(outcome.ended_at - delivery.created_at);
    let metrics = &node.context.metrics;
    metrics.note_attempt(&outcome, duration, latency);
    let number = delivery.attempts + 1;
    let result = AttemptResult {
        delivery: delivery.id,
        number,
        is_counted: !outcome.is_own_fault,
        begun_at,
        duration: milliseconds(duration),
        status: outcome.status.map(i64::from),
        error: said.error,
        answer: said.answer,
        next: outcome.next(number, chance_of(&delivery)),
    };
    FinishedAttempt {
        delivery,
        result,
        outcome,
    }
}

/// The texts about an attempt for the log of attempts.
struct LogTexts {
    error: Option<&'static str>,
    answer: Option<String>,
}

/// The outcome, not ended yet, and the texts for the log of attempts.
async fn sign_and_post(
    node: &Node,
    callback: &CallbackUrl,
    delivery: &DueDelivery,
) -> (AttemptOutcome, LogTexts) {
    let context = &node.context;
    let mut outcome = AttemptOutcome {
        status: None,
        is_success: false,
        is_own_fault: false,
        retry_after: None,
        ended_at: 0,
    };
    let now_seconds = context.clock.now_seconds();
    // A later attempt, and a redelivery, carries a token that is newer than the attempt before.
    let after = (!delivery.is_first).then_some(now_seconds - 1);
    let jwt = match node.jwts.find(context, &delivery.event, after).await {
        Ok(jwt) => jwt,
        Err(error) => {
            outcome.is_own_fault = true;
            tracing::error!(%error, "an event was not signed");
            let error = Some(NOT_SIGNED);
            return (
                outcome,
                LogTexts {
                    error,
                    answer: None,
                },
            );
        }
    };
    let number = delivery.attempts + 1;
    let event_id = &delivery.event.event_id;
    let attempt = Attempt {
        url: callback,
        jwt: jwt.text.clone(),
        event_id,
        number: u32::try_from(number).unwrap_or(u32::MAX),
        now_seconds,
    };
    let span = begin_span(event_id, delivery.id, number);
    let answer = context.outbound.send(&attempt);
    let answer = answer.instrument(span.clone()).await;
    end_span(&span, answer.status, answer.is_success());
    outcome.status = answer.status;
    outcome.is_success = answer.is_success();
    outcome.retry_after = answer.retry_after.map(milliseconds);
    if let Some(detail) = answer.detail {
        let id = delivery.id;
        tracing::debug!(delivery = id, event_id, number, detail, "an attempt failed");
    }
    let said = LogTexts {
        error: answer.error.map(SendError::as_str),
        answer: answer.answer,
    };
    (outcome, said)
}

/// The span of an attempt. It leaves out the callback's address, which may be secret.
fn begin_span(event_id: &str, delivery: i64, number: i64) -> Span {
    tracing::trace_span!(
        target: trace::TARGET,
        parent: None,
        "attempt",
        otel.name = "deliver event",
        otel.kind = "client",
        otel.status_code = field::Empty,
        http.response.status_code = field::Empty,
        onward.event_id = event_id,
        onward.delivery_id = delivery,
        onward.attempt = number,
    )
}

fn end_span(span: &Span, status: Option<u16>, is_success: bool) {
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    if !is_success {
        span.record("otel.status_code", "ERROR");
    }
}

/// A share from 0 to 1 that depends on delivery and attempt. It spreads load and protects nothing,
/// so a hash is enough.
fn chance_of(delivery: &DueDelivery) -> f64 {
    let mixed = delivery.id.wrapping_mul(31).wrapping_add(delivery.attempts);
    let mixed = mixed.wrapping_mul(0x5851_F42D_4C95_7F2D) >> 40;
    f64::from(u16::try_from(mixed & 0xFFFF).unwrap_or_default()) / f64::from(u16::MAX)
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
