//! `/changes`: the changes in the chains of a progressor.

mod read;

use crate::story;
use crate::test_server::Page;

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

story! {
    async fn many_changes_have_pages(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", 1..=30, &[]).await;
        for listing in &ids {
            assert_eq!(agent.record(*listing, "sstc", "2026-11-19").await.status, 200);
        }
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let count = |page: &Page| page.html.matches("<section>").count();
        let first = kim.get("/changes").await;
        assert_eq!(count(&first), 25);
        let link = first.html.split("href=\"/changes?before=").nth(1).unwrap();
        let before = link.split('"').next().unwrap();
        let second = kim.get(&format!("/changes?before={before}")).await;
        assert_eq!(count(&second), 5);
        second.assert_hides("Next chains");
        second.assert_hides("Mark all as read");
        let until = first.html.split("name=\"until\" value=\"").nth(1).unwrap();
        kim.post("/changes/read", &[("until", until.split('"').next().unwrap())]).await;
        kim.get("/changes").await.assert_shows("Nothing changed in your chains.");
        // A change of another branch's sale in the chain is told too.
        let south = server.agent("south").await;
        let theirs = south.list(901).await;
        agent.link(ids[4], theirs).await;
        kim.get("/changes").await.assert_shows("5 Row");
        kim.post("/changes/read", &[("until", "999999")]).await;
        kim.get("/changes").await.assert_hides("5 Row");
    }
}
