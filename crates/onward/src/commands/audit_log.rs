//! `onward audit-log`: lists the changes that operators made by commands.

use std::io::Write;

use clap::Args;
use observe::clock;
use serde_json::json;
use storage::operator_changes;

use super::{Failure, OperatorArgs, say};

/// Options of `onward audit-log`.
#[derive(Debug, Args)]
pub struct AuditLogArgs {
    /// Lists only the changes after the one with this id.
    #[arg(long, value_name = "ID", default_value_t = 0)]
    after: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward audit-log`.
pub fn run(args: &AuditLogArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let after = args.after;
    let storage = args.output.open()?;
    let changes =
        storage.read_blocking(move |read| operator_changes::list_changes(read, after, i64::MAX))?;
    if args.output.json {
        let rows = changes.iter().map(|change| {
            let at = clock::to_rfc3339(change.changed_at);
            json!({ "id": change.id, "changed_at": at, "command": change.command })
        });
        say(out, rows.collect::<serde_json::Value>());
        return Ok(());
    }
    for change in &changes {
        let at = clock::to_rfc3339(change.changed_at);
        say(out, format!("{}  {at}  {}", change.id, change.command));
    }
    Ok(())
}
