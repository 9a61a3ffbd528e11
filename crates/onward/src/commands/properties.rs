//! `onward properties`: lists properties that need the operator's attention.

use std::io::Write;

use clap::Args;
use observe::clock;
use serde_json::json;
use storage::current_listings::{self, ContestedListing};

use super::{Failure, OperatorArgs, say};

/// Which properties to list.
#[derive(Debug, Args)]
#[group(id = "selection", required = true, multiple = false)]
pub struct PropertiesArgs {
    /// Lists the properties of which two or more listings are under offer, with these listings.
    #[arg(long, group = "selection")]
    contested: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward properties`.
pub fn run(args: &PropertiesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let listings = args
        .output
        .open()?
        .read_blocking(current_listings::list_contested)?;
    if args.output.json {
        let rows: Vec<_> = listings.iter().map(describe).collect();
        say(out, serde_json::Value::from(rows));
        return Ok(());
    }
    if listings.is_empty() {
        say(out, "No property has two listings under offer.");
    }
    for one in &listings {
        let since = clock::to_rfc3339(one.offer_since);
        let note = if one.is_current { ", current" } else { "" };
        let ContestedListing {
            uprn,
            display_address,
            listing,
            branch,
            ..
        } = one;
        let text = format!(
            "{uprn}  {display_address}: listing {listing} of {branch}, under offer since {since}{note}"
        );
        say(out, text);
    }
    Ok(())
}

fn describe(one: &ContestedListing) -> serde_json::Value {
    json!({
        "uprn": one.uprn.value(),
        "address": one.display_address,
        "listing": one.listing.0,
        "branch": one.branch,
        "offer_since": one.offer_since,
        "current": one.is_current,
    })
}
