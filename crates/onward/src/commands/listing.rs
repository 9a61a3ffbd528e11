//! `onward listing`: decides about listings as the operator.

use std::io::Write;

use chain::ids::ListingId;
use clap::{Args, Subcommand};
use listing_management::current;
use listing_management::history::{CurrentDetail, OPERATOR};
use observe::clock::Clock;
use serde_json::json;
use storage::current_listings::Decision;
use storage::listings;

use super::{Failure, OperatorArgs};

/// The subcommands of `onward listing`.
#[derive(Debug, Subcommand)]
pub enum ListingCommand {
    /// Makes a listing the one that chain queries show for its property.
    MakeCurrent(MakeCurrentArgs),
}

/// The listing. The history of both listings keeps the reason.
#[derive(Debug, Args)]
pub struct MakeCurrentArgs {
    /// The listing's id.
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward listing …`.
pub fn run(command: ListingCommand, out: &mut dyn Write) -> Result<(), Failure> {
    let ListingCommand::MakeCurrent(args) = command;
    make_current(&args, out)
}

// S-6, rule (f)
fn make_current(args: &MakeCurrentArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let id = ListingId(args.id);
    let detail = CurrentDetail {
        reason: Some(args.output.reason()?.to_owned()),
    };
    let detail = serde_json::to_string(&detail).map_err(Failure::new)?;
    let listing = storage.write_blocking(move |write| {
        let found = listings::find_stored_listing(write, id)?;
        let found = found.filter(|found| found.deleted_at.is_none());
        let listing = found.ok_or_else(|| Failure::new(format!("there is no listing {id}")))?;
        let decision = Decision {
            actor: OPERATOR,
            // The time of the transaction (S-60).
            now: Clock::System.now_seconds(),
            detail: &detail,
        };
        current::make_current(write, &decision, listing.property, id)?;
        Ok::<_, Failure>(listing)
    })?;
    let document = json!({
        "listing": id.0, "uprn": listing.uprn.value(), "was_current": listing.standing.is_current,
    });
    let address = &listing.address.display_address;
    let text = if listing.standing.is_current {
        format!("Listing {id} was the current listing of {address} already")
    } else {
        format!("Listing {id} is now the current listing of {address}")
    };
    args.output.answer(out, &document, text);
    Ok(())
}
