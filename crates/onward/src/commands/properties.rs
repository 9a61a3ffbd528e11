//! `onward properties`: lists properties that need the operator's attention.

use std::io::Write;

use clap::Args;
use observe::clock;
use serde_json::json;
use storage::current_listings::{self, ContestedListing};
use storage::properties;

use super::{Failure, ReadArgs, say, say_json};

/// Which properties to list.
#[derive(Debug, Args)]
#[group(id = "selection", required = true, multiple = false)]
pub struct PropertiesArgs {
    /// Lists the properties of which two or more listings are under offer, with these listings.
    #[arg(long, group = "selection")]
    contested: bool,
    /// Lists the properties with a current listing and an address that no import has confirmed.
    #[arg(long, group = "selection")]
    unverified: bool,
    #[command(flatten)]
    output: ReadArgs,
}

/// Runs `onward properties`.
pub fn run(args: &PropertiesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.unverified {
        return list_unverified(args, out);
    }
    let listings = args
        .output
        .open()?
        .read_blocking(current_listings::list_contested)?;
    if args.output.json {
        let rows: Vec<_> = listings.iter().map(describe).collect();
        say_json(out, serde_json::Value::from(rows));
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

fn list_unverified(args: &PropertiesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let found = args
        .output
        .open()?
        .read_blocking(properties::list_unverified)?;
    if args.output.json {
        let rows = found.iter().map(|one| {
            json!({
                "uprn": one.uprn.value(), "address": one.display_address, "branch": one.branch,
            })
        });
        say_json(out, rows.collect::<serde_json::Value>());
        return Ok(());
    }
    if found.is_empty() {
        say(
            out,
            "An import has confirmed the address of every listed property.",
        );
    }
    for one in &found {
        say(
            out,
            format!(
                "{}  {}, listed by {}",
                one.uprn, one.display_address, one.branch
            ),
        );
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
