//! `onward properties`: lists properties that need the operator's attention.

use std::io::Write;

use clap::Args;
use observe::clock;
use serde_json::json;
use storage::current_listings::{self, ContestedListing};
use storage::properties::{self, UnverifiedProperty};

use super::{Failure, ReadArgs, say};

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
    let storage = args.output.open()?;
    if args.unverified {
        let found = storage.read_blocking(properties::list_unverified)?;
        if found.is_empty() && !args.output.json {
            say(
                out,
                "An import has confirmed the address of every listed property.",
            );
        }
        args.output
            .list(out, &found, describe_unverified, line_of_unverified);
        return Ok(());
    }
    let listings = storage.read_blocking(current_listings::list_contested)?;
    if listings.is_empty() && !args.output.json {
        say(out, "No property has two listings under offer.");
    }
    args.output.list(out, &listings, describe, line);
    Ok(())
}

fn describe_unverified(one: &UnverifiedProperty) -> serde_json::Value {
    json!({ "uprn": one.uprn.value(), "address": one.display_address, "branch": one.branch })
}

fn line_of_unverified(one: &UnverifiedProperty) -> String {
    format!(
        "{}  {}, listed by {}",
        one.uprn, one.display_address, one.branch
    )
}

fn line(one: &ContestedListing) -> String {
    let since = clock::to_rfc3339(one.offer_since);
    let note = if one.is_current { ", current" } else { "" };
    let ContestedListing {
        uprn,
        display_address,
        listing,
        branch,
        ..
    } = one;
    format!(
        "{uprn}  {display_address}: listing {listing} of {branch}, under offer since {since}{note}"
    )
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
