//! `POST /api/v1/listing/chain/{listing}/check/bottom`: S-43 to S-45.

use crate::routes::listing::chain::assert_marks;
use crate::story;

story! {
    async fn the_bottom_is_checked_through_any_listing_of_the_chain(server) {
        let shown = [
            "IN_CHAIN 2: 1002 bottom buys 1001, 1001",
            "SPLIT_CHAIN 3: 1 bottom buys 3, 2 bottom buys 3, 3",
        ];
        assert_marks(&server, "check", "bottom", shown).await;
    }
}
