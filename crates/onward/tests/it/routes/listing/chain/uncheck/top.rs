//! `POST /api/v1/listing/chain/{listing}/uncheck/top`: S-43 to S-45.

use crate::routes::listing::chain::assert_marks;
use crate::story;

story! {
    async fn the_top_is_unchecked_through_any_listing_of_the_chain(server) {
        let shown = [
            "IN_CHAIN 2: 1002 bottom buys 1001, 1001",
            "SPLIT_CHAIN 3: 1 bottom buys 2 buys 3, 2, 3",
        ];
        assert_marks(&server, "uncheck", "top", shown).await;
    }
}
