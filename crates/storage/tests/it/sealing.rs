//! Each version of a chain is sealed once, before another one replaces it (S-60).

use std::collections::BTreeMap;

use chain::ids::{ChainId, ListingId};
use chain::link::{self, LinkRule};
use chain::milestone;
use chain::state::Link;
use storage::branch::Branch;
use storage::lease::Lease;
use storage::sealing::{self, Sealable, SealedVersion};
use storage::{Read, Result, Storage, Write, branch, changes, listings, milestones, sealed, state};
use uuid::Uuid;

use crate::database::{count, on_threads, read, seal, write};
use crate::on_both_engines;
use crate::rows::{
    NOW, chain_of, insert_listing, milestone_values, open_with_listings, uprn, version_of,
};

/// In milliseconds.
const DAY: i64 = 86_400_000;
/// More than any test has to seal.
const ALL: i64 = 1000;

on_both_engines! {
    fn a_write_seals_the_version_that_nobody_has_sealed(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let mut shown = vec![shown(&storage, listing)];
        for day in 1..=9 {
            write(&storage, move |write| record(write, listing, day, NOW + day));
            shown.push(self::shown(&storage, listing));
        }
        // Nobody has sealed the present one; it can be read all the same.
        assert_eq!(versions(&storage, shown[0].0), (1..=9).collect::<Vec<_>>());
        for (chain, version, document) in shown {
            let found = find(&storage, chain, version).unwrap();
            assert_eq!(found.sealed.document, document.into_bytes(), "version {version}");
        }
    }

    fn a_group_seals_what_waits_and_nothing_newer(database) {
        let (storage, _branch, ids) = open_with_listings(database, 2);
        let listing = ids[0];
        let chain = read(&storage, move |read| chain_of(read, listing));
        let late = waiting(&storage);
        assert_eq!(late.len(), 2);
        write(&storage, move |write| record(write, listing, 1, NOW + 1));
        assert!(store(&storage, "one", 0, late));
        // The second version still waits.
        let rest = waiting(&storage);
        let left: Vec<_> = rest.iter().map(|one| (one.chain, one.version)).collect();
        assert_eq!(left, [(chain, 2)]);
        assert!(store(&storage, "one", 0, rest));
        assert_eq!(waiting(&storage), []);
        assert_eq!(versions(&storage, chain), [1, 2]);
        // A write that finds its version sealed seals nothing.
        write(&storage, move |write| record(write, listing, 2, NOW + 2));
        assert_eq!(versions(&storage, chain), [1, 2]);
    }

    fn one_node_seals_until_its_lease_ends(database) {
        let (storage, _branch, _ids) = open_with_listings(database, 1);
        let group = waiting(&storage);
        assert!(store(&storage, "one", 1000, Vec::new()));
        assert!(!store(&storage, "two", 1000 + LEASE - 1, group.clone()));
        assert_eq!(waiting(&storage), group);
        assert!(store(&storage, "two", 1000 + LEASE, group));
        assert!(!store(&storage, "one", 1000 + LEASE, Vec::new()));
        assert_eq!(waiting(&storage), []);
    }

    fn a_clock_that_is_days_ahead_keeps_no_other_node_from_sealing(database) {
        let (storage, _branch, _ids) = open_with_listings(database, 1);
        let group = waiting(&storage);
        assert!(store(&storage, "ahead", 3 * DAY, Vec::new()));
        assert!(store(&storage, "right", 1000, group));
        assert_eq!(waiting(&storage), []);
        // A minute is a difference between right clocks.
        assert!(store(&storage, "ahead", 61_000, Vec::new()));
        assert!(!store(&storage, "right", 1000, Vec::new()));
        assert!(store(&storage, "right", 999, Vec::new()));
    }

    fn a_dissolved_chain_names_the_chain_that_has_its_listings(database) {
        let (storage, _branch, ids) = open_with_listings(database, 3);
        let chains = ids.clone().into_iter().map(|id| read(&storage, move |read| chain_of(read, id)));
        let chains: Vec<ChainId> = chains.collect();
        join(&storage, ids[1], ids[0], NOW + 10);
        join(&storage, ids[2], ids[1], NOW + 20);
        let survivor = read(&storage, { let id = ids[0]; move |read| chain_of(read, id) });
        for (index, chain) in chains.iter().copied().enumerate().filter(|(_, id)| *id != survivor) {
            assert_eq!(versions(&storage, chain), [1, 2], "{index}");
            let last = find(&storage, chain, 2).unwrap();
            assert_eq!(last.sealed.document, format!("into {survivor}").into_bytes());
            assert_eq!(find(&storage, chain, 1).unwrap().sealed.document, text(&[ids[index]], 0));
            assert_eq!(find(&storage, chain, 3), None);
        }
        // The chain of a property at a time.
        for (number, listing) in (1..).zip(&ids) {
            let place = |at| located(&storage, number, at);
            assert_eq!(place(NOW - 1_000_001), None, "nothing was listed");
            let first = place(NOW + 9).unwrap();
            assert_eq!(first, (chains[usize::try_from(number - 1).unwrap()], 1), "{listing}");
            assert_eq!(place(NOW + 20).unwrap(), (survivor, 3), "{listing}");
        }
        let link = Link { seller: ids[2], buyer: ids[1] };
        let fresh = ChainId(Uuid::new_v4());
        write(&storage, move |write| {
            let chain = state::find_chain(write, survivor)?.unwrap();
            let unlink = link::unlink(&chain, link, fresh).unwrap();
            changes::store_unlink(write, &unlink, NOW + 30)
        });
        let (was, moved) = (located(&storage, 3, NOW + 29), located(&storage, 3, NOW + 30));
        assert_eq!((was, moved), (Some((survivor, 3)), Some((fresh, 1))));
        assert_eq!(located(&storage, 1, NOW + 30), Some((survivor, 4)));
    }

    fn a_withdrawn_sale_leaves_an_empty_chain_and_no_current_listing(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let chain = read(&storage, move |read| chain_of(read, listing));
        write(&storage, move |write| {
            listings::delete_listing(write, listing, NOW + 5)?;
            let settling = storage::current_listings::Settling { now: NOW + 5, ..crate::rows::SETTLING };
            storage::current_listings::settle(write, &settling, listing, false)
        });
        assert_eq!(located(&storage, 1, NOW + 4), Some((chain, 1)));
        assert_eq!(located(&storage, 1, NOW + 5), None);
        assert_eq!(find(&storage, chain, 2).unwrap().sealed.document, b"empty");
        let group = waiting(&storage);
        assert!(store(&storage, "one", 0, group));
        assert_eq!(find(&storage, chain, 2).unwrap().sealed.document, b"empty");
    }

    fn times_never_go_back_and_find_their_version(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let chain = read(&storage, move |read| chain_of(read, listing));
        // The clock of the third write is behind.
        for (day, at) in [(1, 10), (2, 20), (3, 15), (4, 20), (5, 40)] {
            write(&storage, move |write| record(write, listing, day, NOW + at));
        }
        for (at, version) in [(-1, None), (0, Some(1)), (9, Some(1)), (10, Some(2)), (19, Some(2)),
            (20, Some(5)), (39, Some(5)), (40, Some(6)), (1000, Some(6))] {
            // The place of the property is noted since its first listing.
            let found = located(&storage, 1, NOW + at).map(|(_, version)| version);
            assert_eq!(found, version, "{at}");
        }
        let (total, page) = read(&storage, move |read| sealed::list_versions(read, chain, 2, 1));
        let page: Vec<_> = page.iter().map(|one| (one.version, one.recorded_at - NOW)).collect();
        assert_eq!((total, page), (5, vec![(2, 10), (3, 20)]));
    }

    fn a_branch_with_many_chains_changes_at_once(database) {
        let (storage, branch, ids) = open_with_listings(database, 40);
        let some = waiting(&storage).into_iter().take(20).collect();
        assert!(store(&storage, "one", 0, some));
        write(&storage, move |write| {
            let found = branch::find_branch(write, branch)?.unwrap();
            branch::update_branch(write, &Branch { name: "New".to_owned(), ..found }, NOW + 1)
        });
        assert_eq!(count(&storage, "select count(*) from sealed"), 40);
        assert_eq!(waiting(&storage).len(), 40);
        for listing in ids {
            let version = read(&storage, move |read| {
                let chain = chain_of(read, listing)?;
                version_of(read, chain)
            });
            assert_eq!(version, Some(2));
        }
    }

    fn nothing_is_lost_with_writers_and_two_sealers(database) {
        let (storage, _branch, ids) = open_with_listings(database, 6);
        let nodes = [storage, database.open()];
        let seen = std::sync::Mutex::new(BTreeMap::new());
        on_threads(8, &nodes, |node, number| {
            let owner = format!("sealer {number}");
            for round in 0..30_i64 {
                if number < 2 {
                    // Groups that were read some time ago are stored late.
                    let group = waiting(node);
                    std::thread::yield_now();
                    store(node, &owner, round * LEASE * 2, group);
                    continue;
                }
                let place = (number * 7 + usize::try_from(round).unwrap()) % ids.len();
                let listing = ids[place];
                let after = write(node, move |write| {
                    record(write, listing, 1 + round % 28, NOW + round)?;
                    shown_in(write, listing)
                });
                let (chain, version, document) = after;
                let earlier = seen.lock().unwrap().insert((chain, version), document);
                assert_eq!(earlier, None, "one version twice");
            }
        });
        let storage = &nodes[0];
        let rest = waiting(storage);
        assert!(store(storage, "last", i64::MAX / 2, rest));
        for ((chain, version), document) in seen.into_inner().unwrap() {
            let found = find(storage, chain, version);
            let found = found.unwrap_or_else(|| panic!("version {version} of {chain} is lost"));
            assert_eq!(found.sealed.document, document.into_bytes(), "{version}");
        }
        for listing in ids {
            let chain = read(storage, move |read| chain_of(read, listing));
            let last = read(storage, move |read| version_of(read, chain)).unwrap();
            assert_eq!(versions(storage, chain), (1..=last).collect::<Vec<_>>());
        }
    }

    fn a_new_listing_begins_its_place(database) {
        let (storage, branch, _ids) = open_with_listings(database, 1);
        let listing = write(&storage, move |write| insert_listing(write, branch, 9));
        let chain = read(&storage, move |read| chain_of(read, listing));
        assert_eq!(located(&storage, 9, NOW), Some((chain, 1)));
        assert_eq!(read(&storage, |read| sealed::find_by_uprn_at(read, uprn(77), NOW)).current, None);
    }
}

/// How long a lease lasts, in milliseconds.
const LEASE: i64 = 50;

/// Withdraws or records a milestone, so that each write changes what the chain shows.
fn record(write: &mut Write<'_>, listing: ListingId, day: i64, now: i64) -> Result<()> {
    let kind = milestone::find_by_id(101 + day % 5).unwrap();
    let found = milestones::find_milestone(write, listing, kind.id)?;
    if found.is_some_and(|found| found.deleted_at.is_none()) {
        return milestones::withdraw_milestone(write, listing, kind.id, now);
    }
    let values = milestone_values("2026-03-01");
    milestones::store_milestone(write, listing, kind, &values, now)
}

fn join(storage: &Storage, seller: ListingId, buyer: ListingId, now: i64) {
    write(storage, move |write| {
        let (sellers, buyers) = (chain_of(write, seller)?, chain_of(write, buyer)?);
        let sellers = state::find_chain(write, sellers)?.unwrap();
        let buyers = state::find_chain(write, buyers)?.unwrap();
        let link = Link { seller, buyer };
        let join = link::join(&sellers, &buyers, link, LinkRule::OneToOne).unwrap();
        changes::store_join(write, &join, now)
    });
}

/// The document that `seal` makes of a chain with these listings, all with so many milestones.
fn text(listings: &[ListingId], milestones: usize) -> Vec<u8> {
    let shown = listings.iter().map(|one| (one.0, milestones));
    format!("{:?}", shown.collect::<Vec<_>>()).into_bytes()
}

/// The chain of a listing, its version, and the document of its present state.
fn shown_in(read: &mut Read<'_>, listing: ListingId) -> Result<(ChainId, i64, String)> {
    let state = state::find_chain_state_of_listing(read, listing)?.unwrap();
    let document = seal(&Sealable::State(&state)).unwrap().document;
    let document = String::from_utf8(document).unwrap();
    Ok((state.chain.id(), state.version, document))
}

fn shown(storage: &Storage, listing: ListingId) -> (ChainId, i64, String) {
    read(storage, move |read| shown_in(read, listing))
}

fn find(storage: &Storage, chain: ChainId, version: i64) -> Option<SealedVersion> {
    read(storage, move |read| {
        sealed::find_version(read, seal, chain, version)
    })
}

/// The sealed versions of a chain.
fn versions(storage: &Storage, chain: ChainId) -> Vec<i64> {
    let (_, found) = read(storage, move |read| {
        sealed::list_versions(read, chain, ALL, 0)
    });
    found.iter().map(|one| one.version).collect()
}

/// The chain and version that a property's current listing had at a time.
fn located(storage: &Storage, number: i64, at: i64) -> Option<(ChainId, i64)> {
    let found = read(storage, move |read| {
        sealed::find_by_uprn_at(read, uprn(number), at)
    });
    found
        .current
        .map(|current| (current.chain, current.version))
}

fn waiting(storage: &Storage) -> Vec<SealedVersion> {
    let (group, damage) = read(storage, |read| sealing::read_unsealed(read, seal, ALL));
    assert!(damage.is_none(), "{damage:?}");
    group
}

fn store(storage: &Storage, owner: &str, now: i64, group: Vec<SealedVersion>) -> bool {
    let owner = owner.to_owned();
    let storing = storage.write_under_row_locks_blocking(move |write| {
        let lease = Lease {
            owner: &owner,
            now,
            until: now + LEASE,
        };
        sealing::store_sealed(write, lease, &group)
    });
    let stored: Result<bool> = storing;
    stored.unwrap()
}
