//! Storing, withdrawing and listing milestones.

use chain::ids::ListingId;
use chain::milestone::{self, MilestoneType, Origin};
use storage::milestones::{MilestoneValues, NewMilestone, StoredMilestone};
use storage::{Result, Storage, Write, listings, milestones};

use crate::on_both_engines;
use crate::rows::{
    CLIENT, THEN, chain_of, insert_branch, insert_listing, open_with_listings, version_of,
};

const NOW: i64 = THEN + 1_000_000;

on_both_engines! {
    fn a_milestone_is_stored_changed_withdrawn_and_stored_again(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let listing = ids[0];
        let kind = kind("memo_of_sale_sent");
        assert_eq!(find(&storage, listing, kind), None);

        store(&storage, listing, kind, dated("2026-03-02"), NOW);
        let first = find(&storage, listing, kind).unwrap();
        assert_eq!(first, StoredMilestone {
            id: first.id,
            listing,
            property: first.property,
            kind,
            date: Some("2026-03-02".parse().unwrap()),
            completed_at: None,
            origin: Origin::Agent,
            excluded: false,
            created_at: NOW,
            updated_at: NOW,
            deleted_at: None,
        });

        let exact = MilestoneValues {
            date: Some("2026-03-03".parse().unwrap()),
            completed_at: Some(1_772_540_000),
            origin: Origin::Lender,
            excluded: true,
        };
        store(&storage, listing, kind, exact, NOW + 1);
        let changed = StoredMilestone {
            date: exact.date,
            completed_at: exact.completed_at,
            origin: exact.origin,
            excluded: exact.excluded,
            updated_at: NOW + 1,
            ..first.clone()
        };
        assert_eq!(find(&storage, listing, kind), Some(changed.clone()));

        for at in [NOW + 2, NOW + 3] {
            storage
                .write_blocking(move |write| {
                    milestones::withdraw_milestone(write, listing, kind.id, at)
                })
                .unwrap();
        }
        let withdrawn = StoredMilestone {
            updated_at: NOW + 2,
            deleted_at: Some(NOW + 2),
            ..changed
        };
        assert_eq!(find(&storage, listing, kind), Some(withdrawn));
        assert!(list(&storage, listing).is_empty());

        let undated = MilestoneValues { date: None, ..dated("2026-03-02") };
        store(&storage, listing, kind, undated, NOW + 4);
        let again = StoredMilestone { date: None, updated_at: NOW + 4, ..first };
        assert_eq!(find(&storage, listing, kind), Some(again));
        assert_eq!(list(&storage, listing).len(), 1);
    }

    fn each_change_touches_the_listing_and_raises_the_version(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let listing = ids[0];
        let kind = kind("sstc");
        store(&storage, listing, kind, dated("2026-03-02"), NOW);
        assert_eq!(marks(&storage, listing), (NOW, 2));
        let withdraw = move |write: &mut Write<'_>, type_id: i64, at: i64| {
            milestones::withdraw_milestone(write, listing, type_id, at)
        };
        storage.write_blocking(move |write| withdraw(write, kind.id, NOW + 7)).unwrap();
        assert_eq!(marks(&storage, listing), (NOW + 7, 3));
        storage.write_blocking(move |write| withdraw(write, kind.id, NOW + 8)).unwrap();
        storage.write_blocking(move |write| withdraw(write, 2, NOW + 8)).unwrap();
        assert_eq!(marks(&storage, listing), (NOW + 7, 3), "nothing was there to withdraw");
    }

    fn what_the_import_records_is_read_too(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let milestone = NewMilestone {
            listing: ids[0],
            kind: kind("sstc"),
            date: "2026-03-02".parse().unwrap(),
            origin: Origin::Import,
        };
        let record = move |write: &mut Write<'_>| {
            milestones::record_milestone(write, &milestone, NOW)
        };
        assert!(storage.write_blocking(record).unwrap());
        assert!(!storage.write_blocking(record).unwrap());
        let found = list(&storage, ids[0]);
        assert_eq!((found[0].origin, found[0].date), (Origin::Import, Some(milestone.date)));
    }

    fn lists_hold_what_is_not_withdrawn(place) {
        let (storage, _branch, ids) = open_with_listings(place, 3);
        let (first, second, deleted) = (ids[0], ids[1], ids[2]);
        let foreign = storage
            .write_blocking(|write| {
                let branch = insert_branch(write, "South")?;
                insert_listing(write, branch, 70)
            })
            .unwrap();
        // Against the catalogue's order, so that no list is in order by chance.
        for kind in milestone::CATALOGUE.iter().rev() {
            store(&storage, first, kind, dated("2026-03-02"), NOW);
        }
        for listing in [foreign, deleted, second] {
            store(&storage, listing, kind("sstc"), dated("2026-03-04"), NOW);
        }
        store(&storage, second, kind("contract_sent"), dated("2026-03-04"), NOW);
        storage
            .write_blocking(move |write| {
                milestones::withdraw_milestone(write, second, kind("contract_sent").id, NOW)?;
                listings::delete_listing(write, deleted, NOW)
            })
            .unwrap();

        let keys: Vec<_> = list(&storage, first).iter().map(|one| one.kind.key).collect();
        let catalogue: Vec<_> = milestone::CATALOGUE.iter().map(|kind| kind.key).collect();
        assert_eq!(keys, catalogue);
        let of_chain = storage.read_blocking(move |read| {
            let chain = chain_of(read, second)?;
            milestones::list_milestones_of_chain(read, chain)
        });
        assert_eq!(of_chain.unwrap(), list(&storage, second));
        let of_deleted = storage.read_blocking(move |read| {
            let chain = chain_of(read, deleted)?;
            milestones::list_milestones_of_chain(read, chain)
        });
        assert_eq!(of_deleted.unwrap(), []);

        let page = |key: &str, limit, offset| {
            let type_id = kind(key).id;
            let found = storage.read_blocking(move |read| {
                milestones::list_milestones_of_type(read, CLIENT, type_id, limit, offset)
            });
            let (total, found) = found.unwrap();
            (total, found.iter().map(|one| one.listing).collect::<Vec<_>>())
        };
        assert_eq!(page("sstc", 10, 0), (2, vec![first, second]));
        assert_eq!(page("sstc", 1, 1), (2, vec![second]));
        assert_eq!(page("contract_sent", 10, 0), (1, vec![first]));
    }
}

fn kind(key: &str) -> &'static MilestoneType {
    milestone::find_by_key(key).unwrap()
}

fn dated(date: &str) -> MilestoneValues {
    MilestoneValues {
        date: Some(date.parse().unwrap()),
        completed_at: None,
        origin: Origin::Agent,
        excluded: false,
    }
}

fn store(
    storage: &Storage,
    listing: ListingId,
    kind: &'static MilestoneType,
    values: MilestoneValues,
    now: i64,
) {
    storage
        .write_blocking(move |write| {
            milestones::store_milestone(write, listing, kind, &values, now)
        })
        .unwrap();
}

fn find(
    storage: &Storage,
    listing: ListingId,
    kind: &'static MilestoneType,
) -> Option<StoredMilestone> {
    let found =
        storage.read_blocking(move |read| milestones::find_milestone(read, listing, kind.id));
    found.unwrap()
}

fn list(storage: &Storage, listing: ListingId) -> Vec<StoredMilestone> {
    let found =
        storage.read_blocking(move |read| milestones::list_milestones_of_listing(read, listing));
    found.unwrap()
}

/// When the listing last changed, and the version of its chain.
fn marks(storage: &Storage, listing: ListingId) -> (i64, i64) {
    let read = storage.read_blocking(move |read| -> Result<_> {
        let found = listings::find_stored_listing(read, listing)?.unwrap();
        Ok((found.updated_at, version_of(read, found.chain)?.unwrap()))
    });
    read.unwrap()
}
