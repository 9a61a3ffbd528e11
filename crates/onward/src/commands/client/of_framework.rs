//! `onward client add` and `onward client move`: clients whose tokens the framework issues (S-71).

use std::io::Write;

use chain::ids::BranchId;
use clap::{ArgGroup, Args};
use observe::clock::Clock;
use serde_json::json;
use signing::assertion::MAX_ID_CHARS;
use storage::{branch, clients, framework};
use tokens::framework::{NO_KEYS, new_client};
use uuid::Uuid;

use super::{find_client, read_scope};
use crate::commands::names::read_name;
use crate::commands::{Failure, OperatorArgs};

/// A client of the framework, and its rights.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The framework issues the client's tokens. `onward client register` adds other clients.
    #[arg(long, required = true)]
    framework: bool,
    /// The client's id at the framework.
    #[arg(long, value_name = "ID", value_parser = read_id)]
    client_id: String,
    /// The id of the client's organisation in the framework's directory.
    #[arg(long, value_name = "UUID", value_parser = read_organisation)]
    organisation: String,
    /// The name of the application.
    #[arg(long, value_parser = read_name)]
    name: Option<String>,
    /// A scope of the framework's tokens that counts for this client; may be repeated.
    #[arg(long, value_parser = read_scope, default_value = "transaction-status")]
    scope: Vec<String>,
    /// The id of a branch that the client acts for; may be repeated.
    #[arg(long, value_name = "ID")]
    branch: Vec<i64>,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The client, and who issues its tokens from now on.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("issuer").args(["framework", "own"]).required(true))]
pub struct MoveArgs {
    /// The client's id, which stays.
    id: String,
    /// The framework issues its tokens from now on.
    #[arg(long, requires = "organisation")]
    framework: bool,
    /// This service issues its tokens from now on.
    #[arg(long)]
    own: bool,
    /// The id of the client's organisation in the framework's directory.
    #[arg(long, value_name = "UUID", value_parser = read_organisation, conflicts_with = "own")]
    organisation: Option<String>,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward client add`.
pub(super) fn add(args: &AddArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let mut client = new_client(&args.client_id, args.scope.clone(), now);
    client.branches = args.branch.iter().map(|id| BranchId(*id)).collect();
    if let Some(name) = &args.name {
        client.name.clone_from(name);
    }
    let organisation = args.organisation.clone();
    storage.write_blocking(move |write| {
        let id = &client.id;
        if let Some(known) = clients::find_client(write, id)?
            && (!known.of_framework || known.organisation_id != organisation)
        {
            let reason = format!(
                "the client id {id} belongs to {}, organisation {}: `onward client move` changes that",
                known.participant, known.organisation_id
            );
            return Err(Failure::new(reason));
        }
        if framework::is_blocked(write, id)? {
            let reason = format!("{id} is disabled: `onward client enable` lets it in again");
            return Err(Failure::new(reason));
        }
        for branch in &client.branches {
            if !branch::branch_exists(write, *branch)? {
                return Err(Failure::new(format!("there is no branch {branch}")));
            }
        }
        refuse_unknown(write, &organisation)?;
        // A client that has subscribed has a row already.
        if clients::update_scopes(write, id, &client.scopes, now)? {
            clients::set_client_branches(write, id, &client.branches, now)?;
            return Ok(());
        }
        let participant = framework::ensure_member(write, &organisation, now)?;
        Ok(clients::insert_client(write, &client, participant)?)
    })?;
    let document = json!({ "client_id": args.client_id });
    let counting = args.output.config.load()?.framework_scopes;
    let mut lines = vec![format!("Added {}", args.client_id)];
    let idle = args.scope.iter().filter(|scope| !counting.contains(scope));
    let remark = |scope| format!("The scope {scope} does not count: framework_scopes lacks it");
    lines.extend(idle.map(remark));
    args.output.answer(out, &document, lines.join("\n"));
    Ok(())
}

/// Runs `onward client move`.
pub(super) fn move_client(args: &MoveArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let (id, organisation) = (args.id.clone(), args.organisation.clone());
    let to_framework = args.framework;
    storage.write_blocking(move |write| {
        let client = find_client(write, &id)?;
        let is_same = organisation
            .as_ref()
            .is_none_or(|id| *id == client.organisation_id);
        if client.of_framework == to_framework && is_same {
            let reason = format!("{id} gets its tokens there already");
            return Err(Failure::new(reason));
        }
        if !client.introspects.is_empty() {
            let reason = "a resource server authenticates here, so it cannot move";
            return Err(Failure::new(reason));
        }
        if !to_framework && client.jwks == NO_KEYS {
            let reason =
                "this client has no keys here: `onward client update --jwks FILE` adds them";
            return Err(Failure::new(reason));
        }
        if let Some(organisation) = &organisation {
            refuse_unknown(write, organisation)?;
            framework::give_client(write, &client, organisation, now)?;
        }
        Ok(clients::move_client(write, &id, to_framework, now)?)
    })?;
    let issuer = if args.framework { "framework" } else { "own" };
    let document = json!({ "client_id": args.id, "issuer": issuer });
    let remark = if args.own {
        "\nEach certificate of an authority in client_ca_file may now call for it: \
         `onward client update --certificate` names the right one"
    } else {
        ""
    };
    let text = format_args!("Moved {}{remark}", args.id);
    args.output.answer(out, &document, text);
    Ok(())
}

/// Refuses an organisation that the framework's directory does not list: the id may be mistyped.
fn refuse_unknown(read: &mut storage::Read<'_>, organisation: &str) -> Result<(), Failure> {
    if framework::is_member(read, organisation)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the framework's directory, as this store has it, does not list {organisation}; \
         `onward framework status` shows when it was read"
    )))
}

fn read_id(text: &str) -> Result<String, String> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain && text.len() <= MAX_ID_CHARS {
        return Ok(text.to_owned());
    }
    Err(format!(
        "it must have 1 to {MAX_ID_CHARS} characters without spaces"
    ))
}

fn read_organisation(text: &str) -> Result<String, String> {
    let id = Uuid::try_parse(text).map_err(|_error| "it must be a UUID".to_owned())?;
    Ok(id.hyphenated().to_string())
}
