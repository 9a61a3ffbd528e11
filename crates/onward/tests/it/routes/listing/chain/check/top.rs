//! `POST /api/v1/listing/chain/{listing}/check/top`: S-43 to S-45.

use crate::routes::listing::chain::assert_marks;
use crate::story;

story! {
    async fn the_top_is_checked_through_any_listing_of_the_chain(server) {
        let shown = [
            "IN_CHAIN 2: 1002 buys 1001, 1001 top",
            "SPLIT_CHAIN 3: 1 buys 2 buys 3, 2 top, 3 top",
        ];
        assert_marks(&server, "check", "top", shown).await;
    }
}
