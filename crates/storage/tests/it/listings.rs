//! Reading, paging, locking and deleting listings.

use chain::ids::ListingId;
use storage::listings::{self, ListingPage, Standing, StoredListing};
use storage::{Read, Result};

use crate::database::{read, write};
use crate::on_both_engines;
use crate::rows::{
    CLIENT, NOW, THEN, address, chain_of, find_listing, insert_foreign_listing, open_with_listings,
    uprn, version_of,
};

const FIRST_TEN: ListingPage<'_> = ListingPage {
    client_id: CLIENT,
    updated_since: None,
    external_id: None,
    limit: 10,
    offset: 0,
};

on_both_engines! {
    fn a_listing_is_read_with_its_property_and_branch(database) {
        let (storage, branch, ids) = open_with_listings(database, 2);
        let id = ids[1];
        let found = find_listing(&storage, id);
        assert_eq!(found, StoredListing {
            id,
            property: found.property,
            uprn: uprn(2),
            branch,
            branch_name: "North".to_owned(),
            participant_id: found.participant_id,
            chain: read(&storage, move |read| chain_of(read, id)),
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
            is_verified: true,
            standing: Standing { is_current: true, is_under_offer: false, is_contested: false },
            status_changed_at: THEN + 2,
        });
        let none = read(&storage, |read| listings::find_stored_listing(read, ListingId(9)));
        assert_eq!(none, None);
    }

    fn a_deleted_listing_is_found_by_its_id_alone(database) {
        let (storage, _branch, ids) = open_with_listings(database, 2);
        let id = ids[0];
        assert_eq!(read(&storage, move |read| count_and_version(read, id)), (1, Some(1)));
        for now in [NOW, NOW + 50] {
            write(&storage, move |write| listings::delete_listing(write, id, now));
        }
        let found = find_listing(&storage, id);
        assert_eq!((found.deleted_at, found.updated_at), (Some(NOW), NOW));
        assert_eq!(read(&storage, move |read| count_and_version(read, id)), (0, Some(2)));
        let list = |page| read(&storage, move |read| list_page(read, &page));
        assert_eq!(list(FIRST_TEN), (1, vec![ids[1]]));
        assert_eq!(list(ListingPage { external_id: Some("L1"), ..FIRST_TEN }), (0, vec![]));
    }

    fn a_lock_is_set_and_cleared(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let id = ids[0];
        for (is_locked, now, version) in [
            (false, NOW, 1),
            (true, NOW + 1, 2),
            (true, NOW + 2, 2),
            (false, NOW + 3, 3),
        ] {
            write(&storage, move |write| listings::set_locked(write, id, is_locked, now));
            let (_, found) = read(&storage, move |read| count_and_version(read, id));
            assert_eq!(found, Some(version));
            assert_eq!(find_listing(&storage, id).is_locked, is_locked);
        }
        assert_eq!(find_listing(&storage, id).updated_at, NOW + 3);
    }

    fn a_page_holds_the_clients_listings_by_their_last_change(database) {
        let (storage, _branch, ids) = open_with_listings(database, 5);
        write(&storage, insert_foreign_listing);
        let touched = ids[1];
        write(&storage, move |write| listings::touch_listing(write, touched, THEN + 4));
        let order = [ids[0], ids[2], ids[1], ids[3], ids[4]];
        for (since, external_id, limit, offset, total, expected) in [
            (None, None, 10, 0, 5, &order[..]),
            (None, None, 2, 2, 5, &order[2..4]),
            (None, None, 2, 9, 5, &[]),
            (Some(4), None, 2, 0, 3, &order[2..4]),
            (Some(6), None, 2, 0, 0, &[]),
            (None, Some("L2"), 2, 0, 1, &ids[1..2]),
            (Some(4), Some("L2"), 2, 0, 1, &ids[1..2]),
            (Some(5), Some("L2"), 2, 0, 0, &[]),
            (None, Some("L70"), 2, 0, 0, &[]),
        ] {
            let updated_since = since.map(|seconds| THEN + seconds);
            let page = ListingPage { updated_since, external_id, limit, offset, ..FIRST_TEN };
            let found = read(&storage, move |read| list_page(read, &page));
            assert_eq!(found, (total, expected.to_vec()), "{page:?}");
        }
        let other_client = ListingPage { client_id: "none", ..FIRST_TEN };
        assert_eq!(read(&storage, move |read| list_page(read, &other_client)), (0, vec![]));
    }
}

fn list_page(read: &mut Read<'_>, page: &ListingPage<'_>) -> Result<(i64, Vec<ListingId>)> {
    let (total, found) = listings::list_listings_of_client(read, page)?;
    Ok((total, found.iter().map(|listing| listing.id).collect()))
}

/// The number of listings in a listing's chain, and the chain's version.
fn count_and_version(read: &mut Read<'_>, id: ListingId) -> Result<(usize, Option<i64>)> {
    let chain = chain_of(read, id)?;
    let found = listings::list_listings_of_chain(read, chain)?;
    Ok((found.len(), version_of(read, chain)?))
}
