//! Storing, withdrawing and listing milestones.

use chain::ids::ListingId;
use chain::milestone::{self, MilestoneType, Origin};
use storage::milestones::{self, MilestoneValues, NewMilestone, StoredMilestone};
use storage::{Storage, Write, listings};

use crate::database::{read, write};
use crate::on_both_engines;
use crate::rows::{
    CLIENT, NOW, chain_of, find_listing, insert_foreign_listing, milestone_values,
    open_with_listings, version_of,
};

on_both_engines! {
    fn a_milestone_is_stored_changed_withdrawn_and_stored_again(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let kind = kind("memo_of_sale_sent");
        let find = || read(&storage, move |read| milestones::find_milestone(read, listing, kind.id));
        assert_eq!(find(), None);

        let values = milestone_values("2026-03-02");
        store(&storage, listing, kind, values, NOW);
        let first = find().unwrap();
        assert_eq!(first, StoredMilestone {
            id: first.id,
            listing,
            property: first.property,
            kind,
            date: values.date,
            completed_at: None,
            origin: Origin::Agent,
            excluded: false,
            created_at: NOW,
            updated_at: NOW,
            deleted_at: None,
        });

        let exact = MilestoneValues {
            completed_at: Some(1_772_540_000),
            origin: Origin::Lender,
            excluded: true,
            ..milestone_values("2026-03-03")
        };
        store(&storage, listing, kind, exact, NOW + 1);
        let MilestoneValues { date, completed_at, origin, excluded } = exact;
        let updated_at = NOW + 1;
        let changed =
            StoredMilestone { date, completed_at, origin, excluded, updated_at, ..first.clone() };
        assert_eq!(find(), Some(changed.clone()));

        for at in [NOW + 2, NOW + 3] {
            withdraw(&storage, listing, kind.id, at);
        }
        let (updated_at, deleted_at) = (NOW + 2, Some(NOW + 2));
        assert_eq!(find(), Some(StoredMilestone { updated_at, deleted_at, ..changed }));
        assert!(list(&storage, listing).is_empty());

        store(&storage, listing, kind, MilestoneValues { date: None, ..values }, NOW + 4);
        assert_eq!(find(), Some(StoredMilestone { date: None, updated_at: NOW + 4, ..first }));
        assert_eq!(list(&storage, listing).len(), 1);
    }

    fn each_change_updates_the_listing_and_raises_the_version(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let check = |expected_time, expected_version| {
            let found = find_listing(&storage, listing);
            assert_eq!([found.updated_at, found.status_changed_at], [expected_time; 2]);
            let version = read(&storage, move |read| version_of(read, found.chain));
            assert_eq!(version, Some(expected_version));
        };
        store(&storage, listing, kind("sstc"), milestone_values("2026-03-02"), NOW);
        check(NOW, 2);
        store(&storage, listing, kind("contract_sent"), milestone_values("2026-03-02"), NOW + 5);
        check(NOW + 5, 3);
        withdraw(&storage, listing, kind("sstc").id, NOW + 7);
        check(NOW + 7, 4);
        // There is nothing to withdraw any more.
        withdraw(&storage, listing, kind("sstc").id, NOW + 8);
        withdraw(&storage, listing, kind("memo_of_sale_sent").id, NOW + 8);
        check(NOW + 7, 4);
    }

    fn an_imported_milestone_is_read_too(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let date = "2026-03-02".parse().unwrap();
        let (kind, origin) = (kind("sstc"), Origin::Import);
        let milestone = NewMilestone { listing: ids[0], kind, date, origin };
        let record = move |write: &mut Write<'_>| milestones::record_milestone(write, &milestone, NOW);
        assert_eq!([write(&storage, record), write(&storage, record)], [true, false]);
        let found = list(&storage, ids[0]);
        assert_eq!((found[0].origin, found[0].date), (origin, Some(date)));
    }

    fn lists_leave_out_withdrawn_milestones_and_deleted_listings(database) {
        let (storage, _branch, ids) = open_with_listings(database, 3);
        let [first, second, deleted] = ids[..] else { panic!("{ids:?}") };
        let foreign = write(&storage, insert_foreign_listing);
        let values = milestone_values("2026-03-02");
        // In reverse, so that no list is in the catalogue's order by chance.
        for kind in milestone::CATALOGUE.iter().rev() {
            store(&storage, first, kind, values, NOW);
        }
        for listing in [foreign, deleted, second] {
            store(&storage, listing, kind("sstc"), values, NOW);
        }
        store(&storage, second, kind("contract_sent"), values, NOW);
        withdraw(&storage, second, kind("contract_sent").id, NOW);
        write(&storage, move |write| listings::delete_listing(write, deleted, NOW));

        let found = list(&storage, first);
        let keys = found.iter().map(|milestone| milestone.kind.key);
        assert!(keys.eq(milestone::CATALOGUE.iter().map(|kind| kind.key)));
        let list_chain = |listing| read(&storage, move |read| {
            let chain = chain_of(read, listing)?;
            milestones::list_milestones_of_chain(read, chain)
        });
        assert_eq!(list_chain(second), list(&storage, second));
        assert_eq!(list_chain(deleted), []);

        for (key, limit, offset, total, expected) in [
            ("sstc", 10, 0, 2, &[first, second][..]),
            ("sstc", 1, 1, 2, &[second]),
            ("contract_sent", 10, 0, 1, &[first]),
        ] {
            let (found, page) = read(&storage, move |read| {
                milestones::list_milestones_of_type(read, CLIENT, kind(key).id, limit, offset)
            });
            assert_eq!(found, total, "{key}");
            assert!(page.iter().map(|milestone| &milestone.listing).eq(expected), "{key}");
        }
    }
}

fn kind(key: &str) -> &'static MilestoneType {
    milestone::find_by_key(key).unwrap()
}

fn store(
    storage: &Storage,
    listing: ListingId,
    kind: &'static MilestoneType,
    values: MilestoneValues,
    now: i64,
) {
    write(storage, move |write| {
        milestones::store_milestone(write, listing, kind, &values, now)
    });
}

fn withdraw(storage: &Storage, listing: ListingId, type_id: i64, now: i64) {
    write(storage, move |write| {
        milestones::withdraw_milestone(write, listing, type_id, now)
    });
}

fn list(storage: &Storage, listing: ListingId) -> Vec<StoredMilestone> {
    read(storage, move |read| {
        milestones::list_milestones_of_listing(read, listing)
    })
}
