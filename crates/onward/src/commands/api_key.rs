//! `onward api-key`: issues, lists, rotates and revokes keys for webhook management (S-26, S-92).

use std::io::Write;

use clap::{Args, Subcommand};
use jiff::{Span, SpanRelativeTo};
use observe::clock::{self, Clock};
use serde_json::json;
use storage::StorageError;
use storage::api_keys::{self, StoredApiKey};

use super::names::read_name;
use super::{Failure, OperatorArgs, ReadArgs};
use crate::registration::{issue_key, rotate_key};

/// The longest overlap of two keys: 30 days (S-92).
const OVERLAP_SECONDS_MAX: i64 = 30 * 24 * 60 * 60;

/// The subcommands of `onward api-key`.
#[derive(Debug, Subcommand)]
pub enum ApiKeyCommand {
    /// Makes an API account with its first key, and prints the key once.
    Issue(IssueArgs),
    /// Lists all keys without their secrets.
    List(ReadArgs),
    /// Adds a key to the account of a key, which ends later. The subscriptions stay.
    Rotate(RotateArgs),
    /// Revokes a key at once, and disables the subscriptions that it made, moved or enabled last.
    Revoke(RevokeArgs),
}

/// The owner of the new key.
#[derive(Debug, Args)]
pub struct IssueArgs {
    /// The organisation that owns the key; created if it is new.
    #[arg(long, value_parser = read_name)]
    participant: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The key to replace.
#[derive(Debug, Args)]
pub struct RotateArgs {
    /// The key's id: the number in its middle.
    id: i64,
    /// How long the old key stays valid beside the new one, such as `7d` or `12h`; at most 30 days.
    #[arg(long, value_name = "DURATION", default_value = "7d", value_parser = read_overlap)]
    overlap: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The key to revoke.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// The key's id: the number in its middle.
    id: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward api-key …`.
pub fn run(command: ApiKeyCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        ApiKeyCommand::Issue(args) => issue(&args, out),
        ApiKeyCommand::List(output) => list(&output, out),
        ApiKeyCommand::Rotate(args) => rotate(&args, out),
        ApiKeyCommand::Revoke(args) => revoke(&args, out),
    }
}

/// Reads an overlap of at most 30 days, as seconds.
fn read_overlap(text: &str) -> Result<i64, String> {
    let span: Option<Span> = text.parse().ok();
    let duration = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    let seconds = duration.map(|duration| duration.as_secs());
    let seconds = seconds.filter(|seconds| (0..=OVERLAP_SECONDS_MAX).contains(seconds));
    seconds.ok_or_else(|| format!("`{text}` is no duration up to 30 days; write one such as 7d"))
}

fn issue(args: &IssueArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (id, key) = issue_key(&storage, &args.participant, Clock::System.now_seconds())?;
    let document = json!({ "id": id, "participantName": args.participant, "key": key });
    let text = format!("{key}\nKeep it: it is shown this once. Its id is {id}.");
    args.output.answer(out, &document, text);
    Ok(())
}

fn list(output: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let keys = output.open()?.read_blocking(api_keys::list_api_keys)?;
    let now = Clock::System.now_seconds();
    output.list(out, &keys, describe, |key| line(key, now));
    Ok(())
}

fn describe(key: &StoredApiKey) -> serde_json::Value {
    json!({
        "id": key.id, "account": key.account, "participantName": key.participant,
        "created_at": key.created_at, "ends_at": key.ends_at, "revoked_at": key.revoked_at,
    })
}

fn line(key: &StoredApiKey, now: i64) -> String {
    let state = match (key.revoked_at, key.ends_at) {
        (Some(at), _) => format!("revoked {}", clock::to_rfc3339(at)),
        (None, Some(end)) if end <= now => format!("ended {}", clock::to_rfc3339(end)),
        (None, Some(end)) => format!("active until {}", clock::to_rfc3339(end)),
        (None, None) => "active".to_owned(),
    };
    let account = match key.account {
        account if account == key.id => String::new(),
        account => format!(", account {account}"),
    };
    let issued = clock::to_rfc3339(key.created_at);
    let (id, participant) = (key.id, &key.participant);
    format!("{id}  {participant}{account}, issued {issued}, {state}")
}

fn rotate(args: &RotateArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let old = args.id;
    let rotated = rotate_key(&storage, old, now, now + args.overlap)?;
    let (id, key) = (rotated.id, rotated.key);
    let end = clock::to_rfc3339(rotated.old_ends_at);
    let document = json!({ "id": id, "key": key, "replaces": old, "replaced_ends_at": end });
    let text = format!(
        "{key}\nKeep it: it is shown this once. Its id is {id}. API key {old} is valid until {end}."
    );
    args.output.answer(out, &document, text);
    Ok(())
}

fn revoke(args: &RevokeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (id, now) = (args.id, Clock::System.now_seconds());
    let revoked = storage.write_blocking(move |write| {
        if let Some(client) = api_keys::find_client_of_account(write, id)? {
            return Ok(Err(format!(
                "{id} is the account of the client {client}, which has no API key: run `onward client \
                 disable {client}`, or disable its subscriptions with `onward subscription remove`"
            )));
        }
        let revoked = api_keys::revoke_api_key(write, id, now)?;
        Ok::<_, StorageError>(revoked.ok_or_else(|| format!("there is no active API key {id}")))
    })?;
    let disabled = revoked.map_err(Failure::new)?;
    let document = json!({ "disabled_subscriptions": disabled, "id": id, "status": "revoked" });
    let text = match disabled {
        0 => format!("Revoked API key {id}"),
        _ => format!(
            "Revoked API key {id}. Subscriptions that it made, moved or enabled last and that are \
             disabled now: {disabled}. Enable them with another key"
        ),
    };
    args.output.answer(out, &document, text);
    Ok(())
}
