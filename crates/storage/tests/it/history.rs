//! Lines of history, the newest first.

use chain::ids::ListingId;
use storage::history::{self, NewEntry};
use storage::{Result, Write};

use crate::database::{read, write};
use crate::on_both_engines;
use crate::rows::{CLIENT, NOW, chain_of, open_with_listings};

/// Nobody: others see only the lines that everybody in the chain may read.
const STRANGER: i64 = 999;

on_both_engines! {
    fn a_page_looks_at_a_part_of_a_long_history(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        write(&storage, move |write| {
            append(write, listing, "link.added")?;
            for _line in 0..2_500 {
                append(write, listing, "listing.changed")?;
            }
            append(write, listing, "link.broken")
        });
        let chain = read(&storage, move |read| chain_of(read, listing));
        let page = move |before| {
            read(&storage, move |read| {
                history::list_newest_of_chain(read, chain, STRANGER, [0, before], 20)
            })
        };
        let mut before = i64::MAX;
        let mut pages = Vec::new();
        loop {
            let found = page(before);
            pages.push(found.entries.iter().map(|entry| entry.action.clone()).collect::<Vec<_>>());
            match found.next {
                Some(next) => before = next,
                None => break,
            }
        }
        assert_eq!(pages, [vec!["link.broken".to_owned()], vec![], vec!["link.added".to_owned()]]);
    }

    fn the_newest_lines_of_a_listing_come_first_without_proposals(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let newest = write(&storage, move |write| {
            for action in ["first", "second", "third", "link.proposed", "proposal.withdrawn"] {
                append(write, listing, action)?;
            }
            history::list_newest(write, listing, 2)
        });
        let actions: Vec<_> = newest.iter().map(|entry| entry.action.as_str()).collect();
        assert_eq!(actions, ["third", "second"]);
    }
}

fn append(write: &mut Write<'_>, listing: ListingId, action: &str) -> Result<()> {
    let entry = NewEntry {
        listing,
        chain: chain_of(write, listing)?,
        action,
        actor: CLIENT,
        detail: "{}",
    };
    history::append_history(write, &entry, NOW)
}
