//! `onward branch`: adds, renames and lists branches, and sets which clients act for them.

use std::io::Write;

use chain::ids::BranchId;
use clap::{Args, Subcommand};
use observe::clock::Clock;
use serde_json::json;
use storage::branch::{self, Branch, BranchWithParticipant};
use storage::clients;
use uuid::Uuid;

use super::client::find_client;
use super::names::{read_name, read_text};
use super::{Failure, OperatorArgs, ReadArgs};
use crate::registration::ensure_active;

/// The subcommands of `onward branch`.
#[derive(Debug, Subcommand)]
pub enum BranchCommand {
    /// Adds a branch and prints its id.
    Add(AddArgs),
    /// Lists all branches.
    List(ReadArgs),
    /// Renames a branch; every chain shows the new name at once.
    Rename(RenameArgs),
    /// Lets a client act for a branch from the client's next request on.
    Grant(GrantArgs),
    /// Stops a client acting for a branch from the client's next request on.
    Withdraw(GrantArgs),
    /// Removes a branch that never had a listing.
    Remove(RemoveArgs),
}

/// A new branch.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The name that chains show as the selling agent.
    #[arg(long, value_parser = read_name)]
    name: String,
    /// The organisation that owns the branch; created if it is new.
    #[arg(long, value_parser = read_name)]
    participant: String,
    /// The reference that import files use for the branch; generated when left out.
    #[arg(long, value_parser = read_reference)]
    reference: Option<String>,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The branch to rename, and its new name.
#[derive(Debug, Args)]
pub struct RenameArgs {
    /// The branch's id.
    id: i64,
    /// The name that chains show as the selling agent.
    #[arg(long, value_parser = read_name)]
    name: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The branch to remove.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The branch's id.
    id: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The branch and the client.
#[derive(Debug, Args)]
pub struct GrantArgs {
    /// The branch's id.
    id: i64,
    /// The client's id.
    #[arg(long, value_name = "ID")]
    client: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward branch …`.
pub fn run(command: BranchCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        BranchCommand::Add(args) => add(&args, out),
        BranchCommand::List(output) => list(&output, out),
        BranchCommand::Rename(args) => rename(&args, out),
        BranchCommand::Grant(args) => assign(&args, true, out),
        BranchCommand::Withdraw(args) => assign(&args, false, out),
        BranchCommand::Remove(args) => remove(&args, out),
    }
}

fn add(args: &AddArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let reference = args
        .reference
        .clone()
        .unwrap_or_else(|| Uuid::new_v4().to_string());
    let (name, owner) = (args.name.clone(), args.participant.clone());
    let key = reference.clone();
    let id = storage.write_blocking(move |write| {
        if branch::find_branch_by_reference(write, &key)?.is_some() {
            return Err(Failure::new(format!("the reference {key} is taken")));
        }
        let owner = ensure_active(write, &owner, now)?;
        Ok(branch::insert_branch(write, owner, &key, &name)?)
    })?;
    let document = json!({ "branch_id": id.0, "reference": reference });
    let text = format!("Added branch {id} (reference {reference})");
    args.output.answer(out, &document, text);
    Ok(())
}

fn list(output: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let branches = output.open()?.read_blocking(branch::list_branches)?;
    output.list(out, &branches, describe, line);
    Ok(())
}

fn line(branch: &BranchWithParticipant) -> String {
    let BranchWithParticipant {
        id,
        reference,
        name,
        participant,
    } = branch;
    format!("{id}  {name}, of {participant} (reference {reference})")
}

fn rename(args: &RenameArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let (id, name) = (BranchId(args.id), args.name.clone());
    storage.write_blocking(move |write| {
        // The time of the transaction (S-60).
        let now = Clock::System.now_seconds();
        let found = branch::find_branch(write, id)?.ok_or_else(|| unknown_branch(id))?;
        let renamed = Branch {
            name: name.clone(),
            ..found
        };
        Ok::<_, Failure>(branch::update_branch(write, &renamed, now)?)
    })?;
    let document = json!({ "branch_id": args.id, "name": args.name });
    let text = format!("Branch {} is now called {}", args.id, args.name);
    args.output.answer(out, &document, text);
    Ok(())
}

fn assign(args: &GrantArgs, is_granted: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let (branch, client) = (BranchId(args.id), args.client.clone());
    storage.write_blocking(move |write| {
        if !branch::branch_exists(write, branch)? {
            return Err(unknown_branch(branch));
        }
        let mut branches = find_client(write, &client)?.branches;
        branches.retain(|one| *one != branch);
        if is_granted {
            branches.push(branch);
        }
        clients::set_client_branches(write, &client, &branches, now)?;
        Ok::<_, Failure>(())
    })?;
    let document = json!({
        "branch_id": args.id, "client_id": args.client, "granted": is_granted,
    });
    let verb = if is_granted { "acts" } else { "no longer acts" };
    let text = format!("{} {verb} for branch {}", args.client, args.id);
    args.output.answer(out, &document, text);
    Ok(())
}

fn remove(args: &RemoveArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let id = BranchId(args.id);
    storage.write_blocking(move |write| {
        if !branch::branch_exists(write, id)? {
            return Err(unknown_branch(id));
        }
        if branch::remove_branch(write, id)? {
            return Ok(());
        }
        Err(Failure::new(format!(
            "branch {id} has or had listings, which name it: withdraw its clients with \
             `onward branch withdraw` instead"
        )))
    })?;
    let document = json!({ "branch_id": args.id, "status": "removed" });
    args.output
        .answer(out, &document, format_args!("Removed branch {id}"));
    Ok(())
}

fn describe(branch: &BranchWithParticipant) -> serde_json::Value {
    json!({
        "branch_id": branch.id.0,
        "reference": branch.reference,
        "name": branch.name,
        "participant": branch.participant,
    })
}

fn unknown_branch(id: BranchId) -> Failure {
    Failure::new(format!("there is no branch {id}"))
}

fn read_reference(text: &str) -> Result<String, String> {
    read_text(text, chain::limits::EXTERNAL_ID_CHARACTERS_MAX)
}
