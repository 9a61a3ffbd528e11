//! `onward api-key`: issues, lists and revokes keys for webhook management (S-26).

use std::io::Write;

use clap::{Args, Subcommand};
use observe::clock::{self, Clock};
use serde_json::json;
use storage::api_keys;

use super::names::read_name;
use super::{Failure, OperatorArgs, ReadArgs, say, say_json};
use crate::registration::issue_key;

/// The subcommands of `onward api-key`.
#[derive(Debug, Subcommand)]
pub enum ApiKeyCommand {
    /// Issues a key and prints it once.
    Issue(IssueArgs),
    /// Lists all keys without their secrets.
    List(ReadArgs),
    /// Revokes a key at once and disables its subscriptions.
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
        ApiKeyCommand::Revoke(args) => revoke(&args, out),
    }
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
    if output.json {
        let rows = keys.iter().map(|key| {
            json!({
                "id": key.id, "participantName": key.participant,
                "created_at": key.created_at, "revoked_at": key.revoked_at,
            })
        });
        say_json(out, rows.collect::<serde_json::Value>());
        return Ok(());
    }
    for key in &keys {
        let state = match key.revoked_at {
            Some(at) => format!("revoked {}", clock::to_rfc3339(at)),
            None => "active".to_owned(),
        };
        let issued = clock::to_rfc3339(key.created_at);
        say(
            out,
            format!("{}  {}, issued {issued}, {state}", key.id, key.participant),
        );
    }
    Ok(())
}

fn revoke(args: &RevokeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (id, now) = (args.id, Clock::System.now_seconds());
    let revoked = storage.write_blocking(move |write| api_keys::revoke_api_key(write, id, now))?;
    if !revoked {
        return Err(Failure::new(format!("there is no active API key {id}")));
    }
    let document = json!({ "id": id, "status": "revoked" });
    args.output
        .answer(out, &document, format_args!("Revoked API key {id}"));
    Ok(())
}
