//! `POST /changes/read`.

use crate::story;

story! {
    async fn changes_that_were_read_are_not_shown_again(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get("/changes").await;
        page.assert_shows("SSTC");
        let last = page.html.split("name=until value=").nth(1).or_else(|| {
            page.html.split("name=\"until\" value=\"").nth(1)
        });
        let last = last.unwrap().split(['"', '>', ' ']).next().unwrap().to_owned();
        let read = kim.post("/changes/read", &[("until", &last)]).await;
        assert_eq!(read.location, "/changes?done=read");
        kim.get("/changes").await.assert_hides("SSTC");
        assert_eq!(agent.record(ids[0], "exchange", "2026-11-20").await.status, 200);
        kim.get("/changes").await.assert_shows("Exchange");
        // A colleague has read nothing yet.
        let mut pat = server.sign_in_as("progressor", &["north"]).await;
        pat.get("/changes").await.assert_shows("SSTC");
    }
}
