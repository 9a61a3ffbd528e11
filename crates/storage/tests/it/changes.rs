//! Joins, breaks and end checks. The stored chain is the one that crate `chain` decided, also with
//! many writers at the same time.

use chain::ends::{self, End};
use chain::ids::{ChainId, ListingId};
use chain::link::{self, Join, LinkRule, Unlink};
use chain::milestone;
use chain::state::{Chain, Link, Member};
use storage::changes::{self, EndMarks};
use storage::history::{self, NewEntry};
use storage::{Read, Result, Storage, Write, milestones, state};
use uuid::Uuid;

use crate::database::{on_threads, read, write};
use crate::on_both_engines;
use crate::rows::{
    CLIENT, NOW, chain_of, find_listing, milestone_values, open_with_listings, version_of,
};

on_both_engines! {
    fn a_join_moves_the_shorter_chain_and_clears_inner_end_checks(database) {
        let (storage, _branch, ids) = open_with_listings(database, 4);
        for id in ids.clone() {
            write(&storage, move |write| check_ends(write, id, true));
        }
        join(&storage, ids[1], ids[0]);
        join(&storage, ids[2], ids[1]);
        // The chain of the single seller is dissolved.
        let (sellers, seller_version) = chain(&storage, ids[3]);
        let (buyers, buyer_version) = chain(&storage, ids[2]);
        let decision = join(&storage, ids[3], ids[2]);
        assert_eq!(decision.survivor, buyers.id());
        assert_eq!(decision.cleared.len(), 2);
        let (joined, version) = chain(&storage, ids[3]);
        assert_eq!(joined, line(&joined, buyers.id(), &ids, [true, true]));
        assert!(version > seller_version && version > buyer_version);
        assert_eq!(read(&storage, move |read| version_of(read, sellers.id())), None);
        assert_eq!(updated_at(&storage, &ids), [NOW; 4]);
    }

    fn a_break_moves_the_shorter_part_into_a_new_chain(database) {
        let (storage, _branch, ids) = open_with_listings(database, 4);
        for pair in ids.windows(2) {
            join(&storage, pair[1], pair[0]);
        }
        let bottom = ids[0];
        write(&storage, move |write| check_ends(write, bottom, true));
        let (before, version) = chain(&storage, bottom);
        let decision = unlink(&storage, ids[1], bottom, NOW + 5);
        let (new_id, moved) = decision.new_chain.unwrap();
        assert_eq!(moved, [bottom]);
        let (kept, kept_version) = chain(&storage, ids[1]);
        let (new, new_version) = chain(&storage, bottom);
        assert_eq!(kept, line(&before, before.id(), &ids[1..], [true, false]));
        assert_eq!(new, line(&before, new_id, &ids[..1], [false, true]));
        assert_eq!((kept_version, new_version), (version + 1, 1));
        assert_eq!(updated_at(&storage, &ids), [NOW + 5, NOW + 5, NOW, NOW]);
    }

    fn a_link_within_one_chain_comes_and_goes_without_moving_listings(database) {
        let (storage, _branch, ids) = open_with_listings(database, 3);
        join(&storage, ids[1], ids[0]);
        join(&storage, ids[2], ids[1]);
        let (before, version) = chain(&storage, ids[0]);
        let joined = join(&storage, ids[2], ids[0]);
        assert_eq!(joined.dissolved, None);
        let (after, raised) = chain(&storage, ids[0]);
        let links = [before.links(), &[joined.link]].concat();
        let expected = Chain::new(before.id(), before.members().to_vec(), links).unwrap();
        assert_eq!((after, raised), (expected, version + 1));
        let broken = unlink(&storage, ids[2], ids[0], NOW);
        assert_eq!(broken.new_chain, None);
        assert_eq!(chain(&storage, ids[0]), (before, version + 2));
    }

    fn end_checks_are_set_and_cleared_and_only_a_change_raises_the_version(database) {
        let (storage, _branch, ids) = open_with_listings(database, 2);
        join(&storage, ids[1], ids[0]);
        let (before, version) = chain(&storage, ids[0]);
        assert_eq!(before, line(&before, before.id(), &ids, [false, false]));
        let (touched, bottom) = (updated_at(&storage, &ids), ids[0]);
        for (is_checked, raised) in [(true, 1), (true, 1), (false, 2), (false, 2)] {
            write(&storage, move |write| check_ends(write, bottom, is_checked));
            let (after, now) = chain(&storage, bottom);
            assert_eq!(after, line(&before, before.id(), &ids, [is_checked; 2]));
            assert_eq!(now, version + raised, "once in a transaction");
        }
        assert_eq!(updated_at(&storage, &ids), touched);

        // Another writer may have set the same check after the decision.
        let (top, chain) = (ids[1], before.id());
        for _ in 0..2 {
            write(&storage, move |write| {
                let (end, listings) = (End::Top, &[top]);
                let marks = EndMarks { chain, listings, end, is_checked: true, branch: None };
                changes::store_end_checks(write, &marks, NOW)
            });
            assert_eq!(read(&storage, move |read| version_of(read, chain)), Some(version + 3));
        }
    }

    fn many_writers_on_few_listings_all_succeed(database) {
        let (storage, _branch, ids) = open_with_listings(database, 24);
        let nodes = [storage, database.open()];
        on_threads(32, &nodes, |node, writer| {
            for round in 0..6 {
                let seller = ids[(writer * 5 + round * 7) % ids.len()];
                let buyer = ids[(writer * 3 + round + 1) % ids.len()];
                write(node, move |write| change(write, writer + round, seller, buyer));
            }
        });
        let mut entries = 0;
        for listing in ids {
            // Loading a chain checks it.
            assert!(chain(&nodes[0], listing).0.listings().contains(&listing));
            entries += read(&nodes[0], move |read| history::list_history(read, listing, 1, 0)).0;
        }
        assert_eq!(entries, 32 * 6, "one for each write");
    }
}

/// Decides and stores in one transaction, as the routes do.
fn join(storage: &Storage, seller: ListingId, buyer: ListingId) -> Join {
    write(storage, move |write| {
        let (sellers, _) = find_chain(write, seller)?;
        let (buyers, _) = find_chain(write, buyer)?;
        let link = Link { seller, buyer };
        let join = link::join(&sellers, &buyers, link, LinkRule::Split).unwrap();
        changes::store_join(write, &join, NOW)?;
        Ok(join)
    })
}

fn unlink(storage: &Storage, seller: ListingId, buyer: ListingId, now: i64) -> Unlink {
    write(storage, move |write| {
        let (chain, _) = find_chain(write, seller)?;
        let new = ChainId(Uuid::new_v4());
        let unlink = link::unlink(&chain, Link { seller, buyer }, new).unwrap();
        changes::store_unlink(write, &unlink, now)?;
        Ok(unlink)
    })
}

/// Checks or unchecks both ends of a listing's chain.
fn check_ends(write: &mut Write<'_>, listing: ListingId, is_checked: bool) -> Result<()> {
    let (chain, _) = find_chain(write, listing)?;
    let decide = if is_checked {
        ends::check
    } else {
        ends::uncheck
    };
    for end in [End::Top, End::Bottom] {
        let marks = EndMarks {
            chain: chain.id(),
            listings: &decide(&chain, end).unwrap(),
            end,
            is_checked,
            branch: None,
        };
        changes::store_end_checks(write, &marks, NOW)?;
    }
    Ok(())
}

/// Links, breaks, checks or records, depending on `number`, and adds a line of history.
fn change(write: &mut Write<'_>, number: usize, seller: ListingId, buyer: ListingId) -> Result<()> {
    let (sellers, _) = find_chain(write, seller)?;
    match (number % 4, sellers.buyers_sales(seller).first()) {
        (0 | 1, Some(buyer)) => {
            let new = ChainId(Uuid::new_v4());
            let unlink = link::unlink(
                &sellers,
                Link {
                    seller,
                    buyer: *buyer,
                },
                new,
            )
            .unwrap();
            changes::store_unlink(write, &unlink, NOW)?;
        }
        (0 | 1, None) => {
            let (buyers, _) = find_chain(write, buyer)?;
            let link = Link { seller, buyer };
            if let Ok(join) = link::join(&sellers, &buyers, link, LinkRule::OneToOne) {
                changes::store_join(write, &join, NOW)?;
            }
        }
        (2, _) => check_ends(write, seller, !sellers.top_checked())?,
        _ => {
            let kind = milestone::find_by_key("sstc").unwrap();
            let values = milestone_values("2026-03-02");
            milestones::store_milestone(write, seller, kind, &values, NOW)?;
        }
    }
    let entry = NewEntry {
        listing: seller,
        chain: chain_of(write, seller)?,
        action: "change",
        actor: CLIENT,
        detail: "{}",
    };
    history::append_history(write, &entry, NOW)
}

/// A listing's chain and its version.
fn chain(storage: &Storage, listing: ListingId) -> (Chain, i64) {
    read(storage, move |read| find_chain(read, listing))
}

fn find_chain(read: &mut Read<'_>, listing: ListingId) -> Result<(Chain, i64)> {
    let id = chain_of(read, listing)?;
    let chain = state::find_chain(read, id)?.unwrap();
    Ok((chain, version_of(read, id)?.unwrap()))
}

fn updated_at(storage: &Storage, listings: &[ListingId]) -> Vec<i64> {
    let times = listings.iter().map(|id| find_listing(storage, *id));
    times.map(|listing| listing.updated_at).collect()
}

/// A chain of these members of another chain, in a line from bottom to top. Only its ends are
/// checked, as the flags for top and bottom say.
fn line(from: &Chain, id: ChainId, listings: &[ListingId], [top, bottom]: [bool; 2]) -> Chain {
    let members = listings.iter().map(|listing| Member {
        top_checked: top && listings.last() == Some(listing),
        bottom_checked: bottom && listings.first() == Some(listing),
        checked_by: [None; 2],
        ..*from.member(*listing).unwrap()
    });
    let links = listings.windows(2).map(|pair| Link {
        buyer: pair[0],
        seller: pair[1],
    });
    Chain::new(id, members.collect(), links.collect()).unwrap()
}
