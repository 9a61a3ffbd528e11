//! `/account/look-ups`.

use crate::story;

story! {
    async fn an_organisation_reads_the_look_ups_of_its_people(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        let mut sam = server.sign_in_as("conveyancer", &[]).await;
        lee.get("/account/look-ups").await.assert_shows("Nobody has looked a home up yet.");
        assert_eq!(lee.get(&format!("/chains/{chain}?uprn=1")).await.status, 200);
        let colleague = server.add_person("lender", &[]).await;
        let mut pat = server.browser();
        pat.enter(colleague).await;
        server
            .wait_until("a colleague reads it", async || {
                pat.get("/account/look-ups").await.text().contains("1 Row, Leeds")
            })
            .await;
        // Another organisation sees its own alone.
        sam.get("/account/look-ups").await.assert_shows("Nobody has looked a home up yet.");
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        assert_eq!(kim.get("/account/look-ups").await.status, 403);
    }
}
