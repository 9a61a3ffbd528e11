//! `onward access-log`: lists the properties that clients were shown.

use std::io::Write;

use chain::ids::Uprn;
use clap::Args;
use observe::clock;
use serde_json::json;
use storage::accesses::{AccessFilter, NO_PROPERTY, StoredAccess, list_accesses};

use super::audit_log::read_time;
use super::{Failure, ReadArgs, say, say_json};

/// Accesses that are read at once.
const PAGE: i64 = 1000;

/// Options of `onward access-log`.
#[derive(Debug, Args)]
pub struct AccessLogArgs {
    /// Lists only the accesses of the client with this id.
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// Lists only the accesses to the property with this UPRN.
    #[arg(long, value_name = "UPRN", value_parser = Uprn::parse)]
    uprn: Option<Uprn>,
    /// Lists only the accesses from this time on: a date in UTC, or 2026-11-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    since: Option<i64>,
    /// Lists only the accesses before this time.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    until: Option<i64>,
    #[command(flatten)]
    output: ReadArgs,
}

/// Runs `onward access-log`. Each line is one access, the oldest first; with `--json` a JSON object.
pub fn run(args: AccessLogArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let mut filter = AccessFilter {
        after: 0,
        since: args.since.unwrap_or(i64::MIN),
        until: args.until.unwrap_or(i64::MAX),
        client: args.client.unwrap_or_default(),
        uprn: args.uprn.map_or(0, Uprn::value),
    };
    loop {
        let wanted = filter.clone();
        let page = storage.read_blocking(move |read| list_accesses(read, &wanted, PAGE))?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        filter.after = last.id;
        for access in &page {
            if args.output.json {
                say_json(out, describe(access));
            } else {
                say(out, line(access));
            }
        }
    }
}

fn describe(stored: &StoredAccess) -> serde_json::Value {
    let access = &stored.access;
    let at = clock::to_rfc3339(access.accessed_at);
    let property = Some(access.property).filter(|property| *property != NO_PROPERTY);
    json!({
        "id": stored.id, "accessed_at": at, "client": access.client,
        "property": property.map(|property| property.0),
        "uprn": stored.uprn.map(Uprn::value),
    })
}

fn line(stored: &StoredAccess) -> String {
    let access = &stored.access;
    let at = clock::to_rfc3339(access.accessed_at);
    let (client, property) = (&access.client, access.property.0);
    if access.property == NO_PROPERTY {
        return format!("{at}  {client}  no property");
    }
    let uprn = stored
        .uprn
        .map_or_else(String::new, |uprn| format!(" (UPRN {uprn})"));
    format!("{at}  {client}  property {property}{uprn}")
}
