//! `onward audit-log`: lists the changes that operators made by commands.

use std::io::Write;

use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use observe::clock;
use serde_json::json;
use storage::operator_changes::{self, OperatorChange};

use super::{Failure, ReadArgs};

/// The characters of a date such as 2026-11-01.
const DATE_CHARACTERS: usize = 10;

/// Options of `onward audit-log`.
#[derive(Debug, Args)]
pub struct AuditLogArgs {
    /// Lists only the changes after the one with this id.
    #[arg(long, value_name = "ID", default_value_t = 0)]
    after: i64,
    /// Lists only the changes from this time on: a date in UTC, or 2026-11-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    since: Option<i64>,
    /// Lists only the changes before this time.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    until: Option<i64>,
    /// Lists only the changes of this user of the operating system.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Lists only the changes with this text in the command or the reason.
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    #[command(flatten)]
    output: ReadArgs,
}

/// Runs `onward audit-log`.
pub fn run(args: &AuditLogArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let after = args.after;
    let storage = args.output.open()?;
    let mut changes =
        storage.read_blocking(move |read| operator_changes::list_changes(read, after, i64::MAX))?;
    changes.retain(|change| is_wanted(args, change));
    args.output.list(out, &changes, describe, line);
    Ok(())
}

fn describe(change: &OperatorChange) -> serde_json::Value {
    json!({
        "id": change.id, "changed_at": clock::to_rfc3339(change.changed_at),
        "user": change.os_user, "command": change.command, "reason": change.reason,
    })
}

fn line(change: &OperatorChange) -> String {
    let at = clock::to_rfc3339(change.changed_at);
    let mut line = format!("{}  {at}  {}", change.id, change.command);
    for (word, text) in [("by", &change.os_user), ("because", &change.reason)] {
        if !text.is_empty() {
            line.extend(["  ", word, ": ", text]);
        }
    }
    line
}

fn is_wanted(args: &AuditLogArgs, change: &OperatorChange) -> bool {
    let is_past = args.since.is_none_or(|since| change.changed_at >= since);
    let is_before = args.until.is_none_or(|until| change.changed_at < until);
    let is_theirs = args.user.as_ref().is_none_or(|user| {
        *user == change.os_user || change.os_user.ends_with(&format!("({user})"))
    });
    let is_matching = args
        .matching
        .as_ref()
        .is_none_or(|text| change.command.contains(text) || change.reason.contains(text));
    is_past && is_before && is_theirs && is_matching
}

/// Reads a time as Unix seconds.
pub(super) fn read_time(text: &str) -> Result<i64, String> {
    if let Some(time) = clock::parse_rfc3339(text) {
        return Ok(time);
    }
    // A date with a time but without an offset names no moment.
    let date = Some(text)
        .filter(|text| text.len() == DATE_CHARACTERS)
        .unwrap_or_default();
    let midnight = date
        .parse::<Date>()
        .and_then(|date| date.to_zoned(TimeZone::UTC));
    midnight
        .map(|midnight| midnight.timestamp().as_second())
        .map_err(|_error| "give a date such as 2026-11-01, or 2026-11-01T09:30:00Z".to_owned())
}
