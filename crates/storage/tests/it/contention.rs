//! Many writers on a few listings: each gets its turn, and no chain is damaged.

use chain::ends::{self, End};
use chain::ids::{ChainId, ListingId};
use chain::link::{self, LinkRule};
use chain::milestone::{self, Origin};
use chain::state::Chain;
use storage::changes::{self, EndMarks};
use storage::history::{self, NewEntry};
use storage::milestones::{self, MilestoneValues};
use storage::{Read, Result, Storage, Write, listings, state};
use uuid::Uuid;

use crate::on_both_engines;
use crate::place::beside;
use crate::rows::{CLIENT, THEN, chain_of, open_with_listings};

const WRITERS: usize = 32;
const LISTINGS: i64 = 24;
const ROUNDS: usize = 6;

on_both_engines! {
    fn many_writers_on_few_listings_all_succeed(place) {
        let (storage, _branch, ids) = open_with_listings(place, LISTINGS);
        // Two handles are two nodes, or two processes on one file.
        let nodes = [storage.clone(), place.open()];
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let node = nodes[writer % 2].clone();
                let ids = ids.clone();
                beside(move || work(&node, &ids, writer))
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        let whole = ids.clone();
        let (found, entries) = storage
            .read_blocking(move |read| -> Result<_> {
                let mut found = 0;
                let mut entries = 0;
                for listing in &whole {
                    // Each is sound, or this fails.
                    let chain = find_chain(read, *listing)?;
                    found += usize::from(chain.listings().contains(listing));
                    entries += history::list_history(read, *listing, 1, 0)?.0;
                }
                Ok((found, entries))
            })
            .unwrap();
        assert_eq!(found, ids.len());
        assert_eq!(entries, i64::try_from(WRITERS * ROUNDS).unwrap(), "one for each write");
    }
}

/// Links, breaks, checks and records on pairs that all writers share.
fn work(storage: &Storage, ids: &[ListingId], writer: usize) {
    for round in 0..ROUNDS {
        let seller = ids[(writer * 5 + round * 7) % ids.len()];
        let buyer = ids[(writer * 3 + round + 1) % ids.len()];
        storage
            .write_blocking(move |write| {
                match (writer + round) % 4 {
                    0 | 1 => link_or_break(write, seller, buyer)?,
                    2 => check_top(write, seller)?,
                    _ => record(write, seller)?,
                }
                let entry = NewEntry {
                    listing: seller,
                    chain: chain_of(write, seller)?,
                    action: "work",
                    actor: CLIENT,
                    detail: "{}",
                };
                history::append_history(write, &entry, THEN)
            })
            .unwrap();
    }
}

fn link_or_break(write: &mut Write<'_>, seller: ListingId, buyer: ListingId) -> Result<()> {
    let sellers = find_chain(write, seller)?;
    if let Some(buyer) = sellers.buyers_sales(seller).first() {
        let fresh = ChainId(Uuid::new_v4());
        let unlink = link::unlink(&sellers, seller, *buyer, fresh).unwrap();
        return changes::store_unlink(write, &unlink, THEN);
    }
    let buyers = find_chain(write, buyer)?;
    match link::join((&sellers, seller), (&buyers, buyer), LinkRule::OneToOne) {
        Ok(join) => changes::store_join(write, &join, THEN),
        Err(_refused) => Ok(()),
    }
}

fn check_top(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    let chain = find_chain(write, listing)?;
    let is_checked = !chain.top_checked();
    let decide = if is_checked {
        ends::check
    } else {
        ends::uncheck
    };
    let marks = EndMarks {
        chain: chain.id(),
        listings: &decide(&chain, End::Top).unwrap(),
        end: End::Top,
        is_checked,
    };
    changes::store_end_checks(write, &marks, THEN)
}

fn record(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    let values = MilestoneValues {
        date: Some("2026-03-02".parse().unwrap()),
        completed_at: None,
        origin: Origin::Agent,
        excluded: false,
    };
    let kind = milestone::find_by_key("sstc").unwrap();
    milestones::store_milestone(write, listing, kind, &values, THEN)
}

fn find_chain(read: &mut Read<'_>, listing: ListingId) -> Result<Chain> {
    let stored = listings::find_stored_listing(read, listing)?.unwrap();
    Ok(state::find_chain(read, stored.chain)?.unwrap())
}
