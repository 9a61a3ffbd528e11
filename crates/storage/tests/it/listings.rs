//! Reading, paging, locking and deleting listings.

use chain::ids::{ListingId, Uprn};
use chain::milestone::{self, Origin};
use storage::listings::{ListingPage, StoredListing};
use storage::milestones::MilestoneValues;
use storage::{Read, Result, Storage, StorageError, listings, milestones};

use crate::on_both_engines;
use crate::rows::{
    CLIENT, THEN, address, chain_of, insert_branch, insert_listing, open_with_listings, version_of,
};

const NOW: i64 = THEN + 1_000_000;

on_both_engines! {
    fn a_listing_is_read_whole(place) {
        let (storage, branch, ids) = open_with_listings(place, 2);
        let id = ids[1];
        let found = find(&storage, id);
        let chain = storage.read_blocking(move |read| chain_of(read, id)).unwrap();
        assert_eq!(found, StoredListing {
            id,
            property: found.property,
            uprn: Uprn::new(2).unwrap(),
            branch,
            branch_name: "North".to_owned(),
            participant_id: found.participant_id,
            chain,
            external_id: Some("L2".to_owned()),
            price: 250_002,
            tenure: "freehold".to_owned(),
            transaction_type: "auction probate".to_owned(),
            seller_conveyancer: "Seller & Co".to_owned(),
            buyer_conveyancer: String::new(),
            is_locked: false,
            address: address(2),
            created_at: THEN + 2,
            updated_at: THEN + 2,
            deleted_at: None,
            status_changed_at: THEN + 2,
        });
        let nobody = storage.read_blocking(|read| {
            listings::find_stored_listing(read, ListingId(999))
        });
        assert_eq!(nobody.unwrap(), None);
    }

    fn the_status_changes_with_each_milestone_even_when_it_is_withdrawn(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let id = ids[0];
        let values = MilestoneValues {
            date: Some("2026-03-02".parse().unwrap()),
            completed_at: None,
            origin: Origin::Agent,
            excluded: false,
        };
        for (type_id, at) in [(1, NOW), (2, NOW + 5)] {
            let kind = milestone::find_by_id(type_id).unwrap();
            storage
                .write_blocking(move |write| {
                    milestones::store_milestone(write, id, kind, &values, at)
                })
                .unwrap();
            assert_eq!(find(&storage, id).status_changed_at, at);
        }
        storage
            .write_blocking(move |write| milestones::withdraw_milestone(write, id, 1, NOW + 9))
            .unwrap();
        let found = find(&storage, id);
        assert_eq!((found.status_changed_at, found.updated_at), (NOW + 9, NOW + 9));
    }

    fn a_deleted_listing_is_found_and_listed_nowhere(place) {
        let (storage, _branch, ids) = open_with_listings(place, 2);
        let id = ids[0];
        let before = storage.read_blocking(move |read| state_of(read, id)).unwrap();
        for now in [NOW, NOW + 50] {
            storage
                .write_blocking(move |write| listings::delete_listing(write, id, now))
                .unwrap();
        }
        let found = find(&storage, id);
        assert_eq!((found.deleted_at, found.updated_at), (Some(NOW), NOW));
        let after = storage.read_blocking(move |read| state_of(read, id)).unwrap();
        assert_eq!(after.1, before.1.map(|version| version + 1), "raised once");
        assert_eq!((before.0.len(), after.0.len()), (1, 0));
        assert_eq!(page(&storage, None, None, (10, 0)), (1, vec![ids[1]]));
        assert_eq!(page(&storage, None, Some("L1"), (10, 0)), (0, vec![]));
    }

    fn a_lock_is_set_and_cleared(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let id = ids[0];
        for (is_locked, now, version) in [
            (false, NOW, 1),
            (true, NOW + 1, 2),
            (true, NOW + 2, 2),
            (false, NOW + 3, 3),
        ] {
            let read = storage.write_blocking(move |write| {
                listings::set_locked(write, id, is_locked, now)?;
                let chain = chain_of(write, id)?;
                version_of(write, chain)
            });
            assert_eq!(read.unwrap(), Some(version));
            assert_eq!(find(&storage, id).is_locked, is_locked);
        }
        assert_eq!(find(&storage, id).updated_at, NOW + 3);
    }

    fn a_page_holds_the_clients_own_listings_by_their_last_change(place) {
        let (storage, _branch, ids) = open_with_listings(place, 5);
        storage
            .write_blocking(move |write| {
                let foreign = insert_branch(write, "South")?;
                insert_listing(write, foreign, 50)
            })
            .unwrap();
        let touched = ids[1];
        storage
            .write_blocking(move |write| listings::touch_listing(write, touched, THEN + 4))
            .unwrap();
        let order = [ids[0], ids[2], ids[1], ids[3], ids[4]];
        assert_eq!(page(&storage, None, None, (10, 0)), (5, order.to_vec()));
        assert_eq!(page(&storage, None, None, (2, 2)), (5, order[2..4].to_vec()));
        assert_eq!(page(&storage, None, None, (2, 9)), (5, vec![]));
        assert_eq!(page(&storage, Some(THEN + 4), None, (2, 0)), (3, order[2..4].to_vec()));
        assert_eq!(page(&storage, Some(THEN + 6), None, (2, 0)), (0, vec![]));
        assert_eq!(page(&storage, None, Some("L2"), (2, 0)), (1, vec![ids[1]]));
        assert_eq!(page(&storage, Some(THEN + 4), Some("L2"), (2, 0)), (1, vec![ids[1]]));
        assert_eq!(page(&storage, Some(THEN + 5), Some("L2"), (2, 0)), (0, vec![]));
        assert_eq!(page(&storage, None, Some("L50"), (2, 0)), (0, vec![]));
        let nobodys = storage.read_blocking(|read| {
            let page = ListingPage { client_id: "none", ..every(10) };
            listings::list_listings_of_client(read, &page)
        });
        assert_eq!(nobodys.unwrap(), (0, vec![]));
    }
}

fn every(limit: i64) -> ListingPage<'static> {
    ListingPage {
        client_id: CLIENT,
        updated_since: None,
        external_id: None,
        limit,
        offset: 0,
    }
}

fn page(
    storage: &Storage,
    updated_since: Option<i64>,
    external_id: Option<&'static str>,
    (limit, offset): (i64, i64),
) -> (i64, Vec<ListingId>) {
    let (total, found) = storage
        .read_blocking(move |read| {
            let page = ListingPage {
                updated_since,
                external_id,
                offset,
                ..every(limit)
            };
            listings::list_listings_of_client(read, &page)
        })
        .unwrap();
    (total, found.iter().map(|listing| listing.id).collect())
}

fn find(storage: &Storage, id: ListingId) -> StoredListing {
    let found = storage.read_blocking(move |read| listings::find_stored_listing(read, id));
    found.unwrap().unwrap()
}

/// The listings of a listing's chain, and the chain's version.
fn state_of(read: &mut Read<'_>, id: ListingId) -> Result<(Vec<StoredListing>, Option<i64>)> {
    let chain = chain_of(read, id)?;
    let found = listings::list_listings_of_chain(read, chain)?;
    Ok::<_, StorageError>((found, version_of(read, chain)?))
}
