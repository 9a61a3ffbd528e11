//! `POST /api/v1/listing/chain/{listing}/add/top/{listing_link_id}`: S-41 to S-45.

use super::{assert_adds, assert_limit};
use crate::story;

story! {
    async fn a_listing_is_added_above_the_chain(server) {
        assert_adds(&server, "top", "IN_CHAIN 3: 1002 buys 1001, 1001 buys 1003, 1003").await;
    }
}

story! {
    async fn a_chain_has_a_hundred_listings_at_most(server) {
        assert_limit(&server, "top").await;
    }
}
