//! `/changes`: the changes in the chains of a progressor.

mod read;

use crate::story;

story! {
    async fn changes_of_own_chains_are_told(server) {
        let agent = server.agent("north").await;
        let other = server.agent("south").await;
        let own = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let foreign = server.import_sales("south", [8], &[]).await;
        assert_eq!(agent.record(own[0], "sstc", "2026-11-19").await.status, 200);
        assert_eq!(other.record(foreign[0], "exchange", "2026-11-18").await.status, 200);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get("/changes").await;
        page.assert_shows("SSTC");
        page.assert_shows("1 Row");
        page.assert_hides("8 Row");
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get("/changes").await.status, 403);
    }
}
