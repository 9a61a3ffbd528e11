//! `POST /changes/read`.

use storage::seen::find_seen;

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
        // An older tab makes nothing unread.
        let newer = (last.parse::<i64>().unwrap() + 1).to_string();
        kim.post("/changes/read", &[("until", &newer)]).await;
        kim.post("/changes/read", &[("until", &last)]).await;
        kim.get("/changes").await.assert_hides("Exchange");
        // Nobody reads what is not written yet.
        for until in ["9223372036854775807", "-9223372036854775808", "all"] {
            let read = kim.post("/changes/read", &[("until", until)]).await;
            assert_eq!(read.location, "/changes?done=read", "{until}");
            assert_eq!(kim.get("/changes").await.status, 200, "{until}");
        }
        assert_eq!(agent.record(ids[0], "completion", "2026-11-21").await.status, 200);
        kim.get("/changes").await.assert_shows("Completion");
        // A colleague has read nothing yet.
        let mut pat = server.sign_in_as("progressor", &["north"]).await;
        pat.get("/changes").await.assert_shows("SSTC");
    }
}

story! {
    async fn only_own_chains_are_marked_as_read(server) {
        server.agent("north").await;
        let other = server.agent("south").await;
        server.import_sales("north", [1], &[]).await;
        let foreign = server.import_sales("south", [8], &[]).await;
        let foreign = other.chain_of(foreign[0]).await;
        let invented = uuid::Uuid::new_v4().to_string();
        let person = server.add_person("progressor", &["north"]).await;
        let mut kim = server.browser();
        kim.enter(person).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        for (chain, status) in [(&foreign, 403), (&invented, 404)] {
            let fields = [("chain", chain.as_str()), ("until", "9")];
            assert_eq!(kim.post("/changes/read", &fields).await.status, status, "{chain}");
            assert_eq!(lee.post("/changes/read", &fields).await.status, 403, "{chain}");
            let id = chain.parse().unwrap();
            let seen = server.storage.read(move |read| find_seen(read, person, id));
            assert_eq!(seen.await.unwrap(), None, "{chain}");
        }
        // A chain that nobody can read is no reason to mark all chains as read.
        let malformed = kim.post("/changes/read", &[("chain", "x"), ("until", "9")]).await;
        assert_eq!(malformed.status, 404);
    }
}
