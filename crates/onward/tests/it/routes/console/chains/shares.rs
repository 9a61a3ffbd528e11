//! `POST /chains/{chain}/shares`: makes share links.

use crate::story;

story! {
    async fn wrong_days_are_named(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        for days in ["0", "91", "-1", "x", ""] {
            let path = format!("/chains/{chain}/shares");
            let refused = kim.post(&path, &[("days", days)]).await;
            assert_eq!(refused.status, 422, "{days}");
            refused.assert_shows("Type a number of days from 1 to 90.");
        }
        let mut lee = server.sign_in_as("lender", &[]).await;
        let refused = lee.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        assert_eq!(refused.status, 404);
    }
}
