//! `POST /api/v1/listing/chain/{listing}/add/bottom/{listing_link_id}`: S-41 to S-45.

use super::{assert_adds, assert_limit};
use crate::story;

story! {
    async fn a_listing_is_added_below_the_chain(server) {
        assert_adds(&server, "bottom", "IN_CHAIN 3: 1003 buys 1002, 1002 buys 1001, 1001").await;
    }
}

story! {
    async fn a_chain_has_a_hundred_listings_at_most(server) {
        assert_limit(&server, "bottom").await;
    }
}
