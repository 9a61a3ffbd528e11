//! `onward framework`: shows what this service knows of the framework that somebody else runs.

use std::io::Write;

use clap::Subcommand;
use observe::clock::{Clock, to_rfc3339};
use serde_json::json;
use storage::{StorageError, framework};

use super::{Failure, ReadArgs};

/// The subcommands of `onward framework`.
#[derive(Debug, Subcommand)]
pub enum FrameworkCommand {
    /// Shows the state of the framework's directory, and the clients that are disabled without a registration.
    Status(ReadArgs),
}

/// Runs `onward framework …`.
pub fn run(command: FrameworkCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        FrameworkCommand::Status(args) => show(&args, out),
    }
}

fn show(args: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.open()?;
    let (directory, members, blocked) = storage.read_blocking(|read| {
        let directory = framework::find_directory(read)?;
        let members = framework::list_members(read)?;
        Ok::<_, StorageError>((directory, members, framework::list_blocked(read)?))
    })?;
    let Some(directory) = directory.filter(|directory| !directory.source.is_empty()) else {
        return Err(Failure::new(
            "no node has read a framework's directory; `framework_issuer` and the settings beside it name one",
        ));
    };
    let is_active = |member: &&framework::Member| member.status == framework::ACTIVE;
    let active = members.values().filter(is_active).count();
    let age = Clock::System.now_seconds() - directory.adopted_at;
    let adopted = (directory.adopted_at > 0).then(|| to_rfc3339(directory.adopted_at));
    let document = json!({
        "directory": directory.source,
        "tried_at": to_rfc3339(directory.tried_at),
        "adopted_at": adopted,
        "members": members.len(),
        "active_members": active,
        "kept_though_missing": directory.kept_though_missing,
        "disabled_clients": blocked,
    });
    let state = adopted.map_or_else(
        || "no answer was adopted yet, so no token of the framework is accepted".to_owned(),
        |at| format!("last adopted at {at}, {age} s ago"),
    );
    let mut lines = vec![
        format!("Directory {}", directory.source),
        format!("  {state}"),
        format!("  {active} active members of {}", members.len()),
    ];
    if directory.kept_though_missing > 0 {
        let kept = directory.kept_though_missing;
        lines.push(format!("  {kept} members are missing from it, and stay"));
    }
    let to_line = |client| format!("Disabled without a registration: {client}");
    lines.extend(blocked.into_iter().map(to_line));
    args.answer(out, &document, lines.join("\n"));
    Ok(())
}
