//! Joins, breaks and end checks: the stored chain is what the decision says.

use chain::ends::{self, End};
use chain::ids::{ChainId, ListingId};
use chain::link::{self, Join, LinkRule, Unlink};
use chain::state::{Chain, Link, Member};
use storage::changes::{self, EndMarks};
use storage::{Read, Result, Storage, Write, listings, state};
use uuid::Uuid;

use crate::on_both_engines;
use crate::rows::{THEN, chain_of, open_with_listings, version_of};

const NOW: i64 = THEN + 1_000_000;

on_both_engines! {
    fn a_join_moves_the_shorter_chain_and_clears_what_it_covers(place) {
        let (storage, _branch, ids) = open_with_listings(place, 4);
        check_all_ends(&storage, &ids);
        join(&storage, ids[1], ids[0]);
        join(&storage, ids[2], ids[1]);
        // The single one becomes the seller, and its chain ends.
        let before = [chain(&storage, ids[3]), chain(&storage, ids[2])];
        let (sellers, seller_version) = &before[0];
        let (buyers, buyer_version) = &before[1];
        let decision = join(&storage, ids[3], ids[2]);
        assert_eq!(decision.survivor, buyers.id());
        assert_eq!(decision.cleared.len(), 2);
        let (joined, version) = chain(&storage, ids[3]);
        assert_eq!(joined, joined_as_decided(sellers, buyers, &decision));
        assert_eq!((joined.top_checked(), joined.bottom_checked()), (true, true));
        assert!(version > *seller_version && version > *buyer_version);
        let dissolved = sellers.id();
        let gone = storage.read_blocking(move |read| version_of(read, dissolved));
        assert_eq!(gone.unwrap(), None);
        assert_eq!(
            ids.iter().map(|id| updated_at(&storage, *id)).collect::<Vec<_>>(),
            [NOW, NOW, NOW, NOW]
        );
    }

    fn a_join_within_one_chain_adds_the_link_alone(place) {
        let (storage, _branch, ids) = open_with_listings(place, 3);
        join(&storage, ids[1], ids[0]);
        join(&storage, ids[2], ids[1]);
        let (before, version) = chain(&storage, ids[0]);
        let decision = join(&storage, ids[2], ids[0]);
        assert_eq!(decision.dissolved, None);
        let (after, raised) = chain(&storage, ids[0]);
        assert_eq!(after, joined_as_decided(&before, &before, &decision));
        assert_eq!((after.links().len(), raised), (3, version + 1));
    }

    fn a_break_moves_the_shorter_part_into_a_fresh_chain(place) {
        let (storage, _branch, ids) = open_with_listings(place, 4);
        for pair in ids.windows(2) {
            join(&storage, pair[1], pair[0]);
        }
        check_ends(&storage, ids[0], true);
        let (before, version) = chain(&storage, ids[0]);
        let decision = unlink(&storage, ids[1], ids[0], NOW + 5);
        let (fresh, moved) = decision.new_chain.clone().unwrap();
        assert_eq!(moved, [ids[0]]);
        let (kept, kept_version) = chain(&storage, ids[1]);
        let (new, new_version) = chain(&storage, ids[0]);
        assert_eq!(kept, part(&before, before.id(), &ids[1..]));
        assert_eq!(new, part(&before, fresh, &ids[..1]));
        assert_eq!((kept_version, new_version), (version + 1, 1));
        assert_eq!((kept.top_checked(), kept.bottom_checked()), (true, false));
        assert_eq!((new.top_checked(), new.bottom_checked()), (false, true));
        let times: Vec<_> = ids.iter().map(|id| updated_at(&storage, *id)).collect();
        assert_eq!(times, [NOW + 5, NOW + 5, NOW, NOW]);
    }

    fn a_break_that_leaves_one_piece_moves_nothing(place) {
        let (storage, _branch, ids) = open_with_listings(place, 3);
        for (seller, buyer) in [(1, 0), (2, 1), (2, 0)] {
            join(&storage, ids[seller], ids[buyer]);
        }
        let (before, version) = chain(&storage, ids[0]);
        let decision = unlink(&storage, ids[2], ids[0], NOW);
        assert_eq!(decision.new_chain, None);
        let (after, raised) = chain(&storage, ids[0]);
        assert_eq!((after.id(), after.links().len()), (before.id(), 2));
        assert_eq!(raised, version + 1);
    }

    fn end_checks_are_set_and_cleared_as_decided(place) {
        let (storage, _branch, ids) = open_with_listings(place, 2);
        join(&storage, ids[1], ids[0]);
        let (before, version) = chain(&storage, ids[0]);
        assert_eq!((before.top_checked(), before.bottom_checked()), (false, false));
        let touched = updated_at(&storage, ids[1]);
        for (is_checked, raised) in [(true, 2), (true, 2), (false, 4), (false, 4)] {
            check_ends(&storage, ids[0], is_checked);
            let (after, now) = chain(&storage, ids[0]);
            assert_eq!((after.top_checked(), after.bottom_checked()), (is_checked, is_checked));
            assert_eq!(now, version + raised, "once for each end that changed");
        }
        assert_eq!(updated_at(&storage, ids[1]), touched);
    }

    fn marks_that_stand_already_raise_no_version(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let listing = ids[0];
        let marked = move |write: &mut Write<'_>| -> Result<_> {
            let chain = chain_of(write, listing)?;
            let listings = &[listing];
            let marks = EndMarks { chain, listings, end: End::Top, is_checked: true };
            changes::store_end_checks(write, &marks, NOW)?;
            version_of(write, chain)
        };
        assert_eq!(storage.write_blocking(marked).unwrap(), Some(2));
        assert_eq!(storage.write_blocking(marked).unwrap(), Some(2));
    }
}

/// Decides and stores in one transaction, as the routes do.
fn join(storage: &Storage, seller: ListingId, buyer: ListingId) -> Join {
    let joined = storage.write_blocking(move |write| -> Result<_> {
        let (sellers, _) = find_chain(write, seller)?;
        let (buyers, _) = find_chain(write, buyer)?;
        let join = link::join((&sellers, seller), (&buyers, buyer), LinkRule::Split).unwrap();
        changes::store_join(write, &join, NOW)?;
        Ok(join)
    });
    joined.unwrap()
}

fn unlink(storage: &Storage, seller: ListingId, buyer: ListingId, now: i64) -> Unlink {
    let broken = storage.write_blocking(move |write| -> Result<_> {
        let (chain, _) = find_chain(write, seller)?;
        let fresh = ChainId(Uuid::new_v4());
        let unlink = link::unlink(&chain, seller, buyer, fresh).unwrap();
        changes::store_unlink(write, &unlink, now)?;
        Ok(unlink)
    });
    broken.unwrap()
}

/// Checks or unchecks both ends of a listing's chain.
fn check_ends(storage: &Storage, listing: ListingId, is_checked: bool) {
    let checked = storage.write_blocking(move |write| -> Result<()> {
        let (chain, _) = find_chain(write, listing)?;
        for end in [End::Top, End::Bottom] {
            let decide = if is_checked {
                ends::check
            } else {
                ends::uncheck
            };
            let marks = EndMarks {
                chain: chain.id(),
                listings: &decide(&chain, end).unwrap(),
                end,
                is_checked,
            };
            changes::store_end_checks(write, &marks, NOW)?;
        }
        Ok(())
    });
    checked.unwrap();
}

fn check_all_ends(storage: &Storage, listings: &[ListingId]) {
    for listing in listings {
        check_ends(storage, *listing, true);
    }
}

fn chain(storage: &Storage, listing: ListingId) -> (Chain, i64) {
    storage
        .read_blocking(move |read| find_chain(read, listing))
        .unwrap()
}

fn find_chain(read: &mut Read<'_>, listing: ListingId) -> Result<(Chain, i64)> {
    let id = chain_of(read, listing)?;
    let chain = state::find_chain(read, id)?.unwrap();
    Ok((chain, version_of(read, id)?.unwrap()))
}

fn updated_at(storage: &Storage, listing: ListingId) -> i64 {
    let found = storage.read_blocking(move |read| listings::find_stored_listing(read, listing));
    found.unwrap().unwrap().updated_at
}

/// The chain that a join makes of two, worked out without the store.
fn joined_as_decided(sellers: &Chain, buyers: &Chain, join: &Join) -> Chain {
    let mut members = sellers.members().to_vec();
    let mut links = sellers.links().to_vec();
    if sellers.id() != buyers.id() {
        members.extend_from_slice(buyers.members());
        links.extend_from_slice(buyers.links());
    }
    links.push(join.link);
    for (listing, end) in &join.cleared {
        for member in &mut members {
            clear(member, *listing, *end);
        }
    }
    Chain::new(join.survivor, members, links).unwrap()
}

fn clear(member: &mut Member, listing: ListingId, end: End) {
    if member.listing == listing {
        match end {
            End::Top => member.top_checked = false,
            End::Bottom => member.bottom_checked = false,
        }
    }
}

/// Some listings of a chain with the links between them, as a chain.
fn part(whole: &Chain, id: ChainId, listings: &[ListingId]) -> Chain {
    let is_in = |link: &&Link| listings.contains(&link.seller) && listings.contains(&link.buyer);
    let members = listings
        .iter()
        .map(|listing| *whole.member(*listing).unwrap());
    let links = whole.links().iter().filter(is_in).copied();
    Chain::new(id, members.collect(), links.collect()).unwrap()
}
