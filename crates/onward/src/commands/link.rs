//! `onward link` and `onward unlink`: link and break as the operator (S-46).

use std::io::Write;

use chain::ids::{ChainId, ListingId};
use chain::link::LinkRule;
use chain::state::Link;
use clap::Args;
use listing_management::history::OPERATOR;
use listing_management::links;
use observe::clock::Clock;
use serde_json::json;
use server::config::Config;
use storage::current_listings::Settling;
use web::problem::Problem;

use super::{Failure, OperatorArgs, ReasonArgs, open_for_operator};

/// The two listings to link.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// The id of the listing that is bought: the upper one.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    seller: i64,
    /// The id of the lower listing. Its seller buys the upper one.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    buyer: i64,
    /// Allows a split chain: several buyers of one listing, or several purchases by one seller.
    #[arg(long)]
    split: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward link`.
pub fn run(args: &LinkArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let link = Link {
        seller: ListingId(args.seller),
        buyer: ListingId(args.buyer),
    };
    let rule = if args.split {
        LinkRule::Split
    } else {
        LinkRule::OneToOne
    };
    let config = args.output.config.load()?;
    let chain = link_listings(&config, &args.output.why, link, rule)?;
    let document = json!({
        "seller": args.seller, "buyer": args.buyer, "chain_link_id": chain.to_string(),
    });
    let text = format!(
        "Linked seller listing {} and buyer listing {} in chain {chain}",
        args.seller, args.buyer
    );
    args.output.answer(out, &document, text);
    Ok(())
}

/// Links two listings as the operator, and returns their chain. Blocks.
pub(super) fn link_listings(
    config: &Config,
    why: &ReasonArgs,
    link: Link,
    rule: LinkRule,
) -> Result<ChainId, Failure> {
    let storage = open_for_operator(config, why)?;
    let idle_seconds = config.offer_idle_seconds();
    let linked = storage.write_blocking(move |write| {
        links::add_link_as_operator(write, &settling(idle_seconds), link, rule)?;
        let chain = storage::chains::find_chain_of_listing(write, link.seller)?;
        chain.ok_or_else(|| Problem::Internal("a linked listing has no chain".to_owned()))
    });
    linked.map_err(|problem| failure_of(&problem))
}

/// The link to break.
#[derive(Debug, Args)]
pub struct UnlinkArgs {
    /// The id of the listing that is bought: the upper one.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    seller: i64,
    /// The id of the lower listing.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    buyer: i64,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward unlink`.
pub fn break_link(args: &UnlinkArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let link = Link {
        seller: ListingId(args.seller),
        buyer: ListingId(args.buyer),
    };
    let config = args.output.config.load()?;
    let storage = open_for_operator(&config, &args.output.why)?;
    let idle_seconds = config.offer_idle_seconds();
    let reason = args.output.reason()?.to_owned();
    let document = json!({ "seller": args.seller, "buyer": args.buyer, "reason": reason });
    let broken = storage.write_blocking(move |write| {
        links::remove_link_as_operator(write, &settling(idle_seconds), link, &reason)
    });
    broken.map_err(|problem| failure_of(&problem))?;
    let text = format!(
        "Broke the link of seller listing {} and buyer listing {}",
        args.seller, args.buyer
    );
    args.output.answer(out, &document, text);
    Ok(())
}

/// The settling of a transaction that has begun: a version has the time of its transaction (S-60).
pub(super) fn settling(idle_seconds: i64) -> Settling<'static> {
    Settling {
        actor: OPERATOR,
        now: Clock::System.now_seconds(),
        idle_seconds,
    }
}

pub(super) fn failure_of(problem: &Problem) -> Failure {
    match problem.log_text() {
        Some(inside) => Failure::new(inside),
        None => Failure::new(problem.to_failure().1.message),
    }
}
