//! `onward subscription`: shows, retries and removes the subscriptions of all participants (S-30).

use std::io::Write;

use clap::{Args, Subcommand};
use observe::clock::{self, Clock};
use serde_json::{Value, json};
use storage::delivery_log::{self, OldestWaiting};
use storage::subscription_overview::{self, SubscriptionOverview};
use storage::subscriptions::{self, SubscriptionId};
use storage::{Storage, pauses, waiting};
use webhooks::limits::WAITING_CHANGED_MAX;

use super::{Failure, OperatorArgs, ReadArgs};

/// The subcommands of `onward subscription`.
#[derive(Debug, Subcommand)]
pub enum SubscriptionCommand {
    /// Lists all subscriptions with their owners and states.
    List(ListArgs),
    /// Shows a subscription, for instance the one that a metric names.
    Show(OneArgs),
    /// Makes all pending deliveries due now and ends a pause, for instance after the receiver came back.
    Retry(ChangeArgs),
    /// Removes a subscription with its pending deliveries. Its owner can subscribe again.
    Remove(ChangeArgs),
}

/// Options of `onward subscription list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Lists only the subscriptions that are paused or disabled, or that have pending deliveries.
    #[arg(long)]
    behind: bool,
    #[command(flatten)]
    output: ReadArgs,
}

/// One subscription to show.
#[derive(Debug, Args)]
pub struct OneArgs {
    /// The id of the subscription.
    id: String,
    #[command(flatten)]
    output: ReadArgs,
}

/// One subscription to change.
#[derive(Debug, Args)]
pub struct ChangeArgs {
    /// The id of the subscription.
    id: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward subscription …`.
pub fn run(command: &SubscriptionCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        SubscriptionCommand::List(args) => list(args, out),
        SubscriptionCommand::Show(args) => show(args, out),
        SubscriptionCommand::Retry(args) => retry(args, out),
        SubscriptionCommand::Remove(args) => remove(args, out),
    }
}

fn list(args: &ListArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let mut found =
        storage.read_blocking(|read| subscription_overview::list_overviews(read, None))?;
    let now = Clock::System.now_seconds();
    if args.behind {
        found.retain(|one| state_of(one, now) != "active" || one.waiting > 0);
    }
    args.output
        .list(out, &found, |one| document(one, now), |one| line(one, now));
    Ok(())
}

fn show(args: &OneArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let id = args.id.clone();
    let (found, oldest) = args.output.open()?.read_blocking(move |read| {
        let found = find(read, &id)?;
        let oldest = delivery_log::find_oldest_waiting(read, found.id)?;
        Ok::<_, Failure>((found, oldest))
    })?;
    let now = Clock::System.now_seconds();
    let mut text = line(&found, now);
    text.push_str("\n  to ");
    text.push_str(&found.callback_url);
    let mut document = document(&found, now);
    let oldest = oldest.as_ref();
    document["last_attempt"] = oldest.map_or(Value::Null, last_attempt);
    let next_at = oldest.and_then(|oldest| next_at(&found, oldest));
    document["next_attempt_at"] = next_at.clone().into();
    if let Some(oldest) = oldest {
        text.push_str("\n  the oldest: ");
        text.push_str(&describe_last(oldest));
    }
    if let Some(next_at) = next_at {
        text.push_str("; the next attempt is not before ");
        text.push_str(&next_at);
    }
    args.output.answer(out, &document, text);
    Ok(())
}

fn retry(args: &ChangeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let id = args.id.clone();
    let found = storage.write_blocking(move |write| {
        let found = find(write, &id)?;
        if !found.is_active {
            return Err(Failure::new(format!(
                "the subscription {id} is disabled: its owner must enable it"
            )));
        }
        pauses::end_pause(write, found.id)?;
        Ok(found)
    })?;
    let made_due = make_due(&storage, found.id)?;
    let reference = found.reference;
    let document = json!({ "id": reference, "made_due": made_due, "waiting": found.waiting });
    let text = format_args!(
        "Subscription {reference} of {} is not paused, and its {} pending deliveries are due",
        found.participant, found.waiting
    );
    args.output.answer(out, &document, text);
    Ok(())
}

/// Makes all pending deliveries due, in parts. Returns their number.
fn make_due(storage: &Storage, id: SubscriptionId) -> Result<u64, Failure> {
    let (now, part) = (Clock::System.now_milliseconds(), WAITING_CHANGED_MAX);
    let mut made_due = 0;
    loop {
        let changed =
            storage.write_blocking(move |write| waiting::make_waiting_due(write, id, now, part))?;
        made_due += changed;
        if changed < part.unsigned_abs() {
            return Ok(made_due);
        }
    }
}

fn remove(args: &ChangeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let id = args.id.clone();
    let removed = args.output.open()?.write_blocking(move |write| {
        let found = find(write, &id)?;
        subscriptions::remove_subscription(write, found.id)?;
        Ok::<_, Failure>(found)
    })?;
    let reference = removed.reference;
    let document = json!({ "id": reference, "status": "removed" });
    let text = format_args!(
        "Removed subscription {reference} of {}",
        removed.participant
    );
    args.output.answer(out, &document, text);
    Ok(())
}

fn find(read: &mut storage::Read<'_>, id: &str) -> Result<SubscriptionOverview, Failure> {
    let found = subscription_overview::list_overviews(read, Some(id))?.pop();
    found.ok_or_else(|| Failure::new(format!("there is no subscription {id}")))
}

/// `active`, `paused` or `disabled`.
fn state_of(one: &SubscriptionOverview, now: i64) -> &'static str {
    if !one.is_active {
        "disabled"
    } else if one.paused_until > now * 1000 {
        "paused"
    } else {
        "active"
    }
}

/// When the oldest pending delivery is tried next. `None`: not until the subscription is enabled.
fn next_at(one: &SubscriptionOverview, oldest: &OldestWaiting) -> Option<String> {
    let at = oldest.not_before.max(one.paused_until);
    one.is_active.then(|| clock::to_rfc3339(at / 1000))
}

/// The newest attempt at a delivery as JSON, `null` without one.
fn last_attempt(oldest: &OldestWaiting) -> Value {
    let document = oldest.last.as_ref().map(|last| {
        json!({
            "number": last.number,
            "begun_at": clock::to_rfc3339(last.begun_at / 1000),
            "status": last.status,
            "error": last.error,
        })
    });
    document.unwrap_or_default()
}

/// The newest attempt at a delivery, for the operator.
fn describe_last(oldest: &OldestWaiting) -> String {
    let Some(last) = &oldest.last else {
        return "no attempt yet".to_owned();
    };
    let outcome = match (last.status, &last.error) {
        (Some(status), _) => format!("was answered {status}"),
        (None, Some(error)) => format!("failed ({error})"),
        (None, None) => "failed".to_owned(),
    };
    let begun_at = clock::to_rfc3339(last.begun_at / 1000);
    format!("attempt {} at {begun_at} {outcome}", last.number)
}

fn document(one: &SubscriptionOverview, now: i64) -> Value {
    json!({
        "id": one.reference,
        "participantName": one.participant,
        "api_key": one.account,
        "callbackUrl": one.callback_url,
        "status": state_of(one, now),
        "disabled_reason": one.disabled_reason,
        "failures": one.failures,
        "waiting_deliveries": one.waiting,
        "oldest_waiting_at": one.oldest_at.map(|at| clock::to_rfc3339(at / 1000)),
    })
}

fn line(one: &SubscriptionOverview, now: i64) -> String {
    let state = state_of(one, now);
    let why = match &one.disabled_reason {
        Some(reason) => format!(" ({reason})"),
        None => String::new(),
    };
    let oldest = match one.oldest_at {
        Some(at) => format!(", the oldest since {}", clock::to_rfc3339(at / 1000)),
        None => String::new(),
    };
    format!(
        "{}  {}, API key {}, {state}{why}, {} waiting{oldest}",
        one.reference, one.participant, one.account, one.waiting
    )
}
