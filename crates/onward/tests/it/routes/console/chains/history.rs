//! `/chains/{chain}/history`, and changes since the last visit.

use crate::story;

story! {
    async fn changes_are_told_in_words(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let first = kim.get(&format!("/chains/{chain}")).await;
        first.assert_hides("Since your visit");
        assert_eq!(agent.record(ids[0], "searches_ordered", "2026-11-20").await.status, 200);
        let second = kim.get(&format!("/chains/{chain}")).await;
        second.assert_shows("Since your visit on 21 Nov");
        second.assert_shows("Searches Ordered");
        let all = kim.get(&format!("/chains/{chain}/history")).await;
        all.assert_shows("Searches Ordered");
        // A step that no signed answer has is shown to its own branch alone.
        assert_eq!(agent.record(ids[0], "contract_sent", "2026-11-20").await.status, 200);
        let history = format!("/chains/{chain}/history");
        kim.get(&history).await.assert_shows("Contract Sent");
        server.agent("south").await;
        let theirs = server.import_sales("south", [8], &[]).await;
        assert_eq!(agent.link(ids[0], theirs[0]).await.status, 200);
        let mut sam = server.sign_in_as("progressor", &["south"]).await;
        let shared = sam.get(&history).await;
        shared.assert_shows("Searches Ordered");
        shared.assert_hides("Contract Sent");
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get(&format!("/chains/{chain}/history")).await.status, 403);
    }
}
