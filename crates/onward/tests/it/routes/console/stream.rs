//! `/stream`: news of a newer version of a chain.

use crate::story;

story! {
    async fn a_newer_version_is_announced(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        for query in ["", "?chain=x&version=1", "?version=1"] {
            assert_eq!(kim.get(&format!("/stream{query}")).await.status, 404, "{query}");
        }
        let page = kim.get(&format!("/chains/{chain}")).await;
        let path = page.html.split("data-stream=\"").nth(1).unwrap().split('"').next().unwrap();
        let path = path.replace("&amp;", "&");
        let version: i64 = path.rsplit('=').next().unwrap().parse().unwrap();
        let mut news = kim.open(&path).await;
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        let told = news.chunk().await.unwrap().unwrap();
        let told = String::from_utf8(told.to_vec()).unwrap();
        assert!(told.contains(&format!("\"version\":{}", version + 1)), "{told}");
        // The page of a sale listens too.
        let sale = kim.get(&format!("/listings/{}", ids[0])).await;
        let begin = format!("data-stream=\"/stream?chain={chain}&amp;version=");
        assert!(sale.html.contains(&begin), "{}", sale.html);
        let mut pat = server.sign_in_as("integrator", &[]).await;
        assert_eq!(pat.get(&path).await.status, 404);
        server.agent("south").await;
        let mut sam = server.sign_in_as("progressor", &["south"]).await;
        assert_eq!(sam.get(&path).await.status, 404);
        let mut nobody = server.browser();
        assert_eq!(nobody.get(&path).await.status, 303);
    }
}

story! {
    async fn a_session_has_five_streams(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/stream?chain={chain}&version=1000");
        let mut open = Vec::new();
        for _page in 0..5 {
            open.push(kim.open(&path).await);
        }
        assert!(open.iter().all(|stream| stream.status() == 200));
        let refused = kim.get(&path).await;
        assert_eq!(refused.status, 429);
        refused.assert_shows("Too many pages are open.");
        // A page that was closed makes room.
        open.pop();
        server
            .wait_until("the stream has ended", async || kim.open(&path).await.status() == 200)
            .await;
    }
}

story! {
    async fn the_end_of_a_session_ends_its_streams(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&format!("/chains/{chain}")).await;
        let path = page.html.split("data-stream=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut news = kim.open(&path.replace("&amp;", "&")).await;
        assert_eq!(news.status(), 200);
        kim.post("/sign-out", &[]).await;
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        while let Some(told) = news.chunk().await.unwrap() {
            assert!(!String::from_utf8_lossy(&told).contains("version"), "{told:?}");
        }
    }
}
