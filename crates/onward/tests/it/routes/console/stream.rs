//! `/stream`: news of a newer version of a chain.

use storage::accesses::{AccessFilter, list_accesses};
use storage::{StorageError, Write};

use crate::story;
use crate::test_server::PATIENCE;

/// Reads a stream to its end; everything that it said.
async fn read_to_end(mut stream: reqwest::Response) -> String {
    let mut said = String::new();
    let reading = async {
        while let Some(chunk) = stream.chunk().await.unwrap() {
            said.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    let ended = tokio::time::timeout(PATIENCE, reading).await;
    assert!(ended.is_ok(), "the stream goes on: {said}");
    said
}

/// The path of the stream that a page opens.
fn stream_of(html: &str) -> String {
    let path = html.split("data-stream=\"").nth(1).unwrap();
    path.split('"').next().unwrap().replace("&amp;", "&")
}

story! {
    async fn a_newer_version_is_announced(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        for query in ["", "?chain=x&version=1", "?version=1"] {
            assert_eq!(kim.get(&format!("/stream{query}")).await.status, 404, "{query}");
        }
        let page = kim.get(&format!("/chains/{chain}")).await;
        let path = stream_of(&page.html);
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
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
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
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let page = kim.get(&format!("/chains/{chain}")).await;
        let mut news = kim.open(&stream_of(&page.html)).await;
        assert_eq!(news.status(), 200);
        kim.post("/sign-out", &[]).await;
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        while let Some(told) = news.chunk().await.unwrap() {
            assert!(!String::from_utf8_lossy(&told).contains("version"), "{told:?}");
        }
    }
}

story! {
    async fn no_page_hears_of_a_version_that_somebody_else_claims(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let page = kim.get(&format!("/chains/{chain}")).await;
        let path = stream_of(&page.html);
        let version: i64 = path.rsplit('=').next().unwrap().parse().unwrap();
        let lee = server.sign_in_as("lender", &[]).await;
        let claimed = format!("/stream?chain={chain}&version={}&uprn=1", i64::MAX);
        let mut claiming = lee.open(&claimed).await;
        assert_eq!(claiming.status(), 200);
        let mut news = kim.open(&path).await;
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        let told = news.chunk().await.unwrap().unwrap();
        let told = String::from_utf8(told.to_vec()).unwrap();
        assert!(told.contains(&format!("\"version\":{}", version + 1)), "{told}");
        let told = claiming.chunk().await.unwrap().unwrap();
        let told = String::from_utf8(told.to_vec()).unwrap();
        assert!(told.contains("\"version\":"), "{told}");
        assert!(!told.contains(&i64::MAX.to_string()), "{told}");
    }
}

story! {
    async fn a_reader_hears_of_document_1s_facts_only(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        let page = format!("/chains/{}?uprn=1", agent.chain_of(ids[0]).await);
        let before = stream_of(&lee.get(&page).await.html);
        let mut news = lee.open(&before).await;
        // Document 1 has no valuations.
        let hidden = agent.record(ids[0], "valuation_booked", "2026-11-19").await;
        assert_eq!(hidden.status, 200);
        assert_eq!(stream_of(&lee.get(&page).await.html), before);
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-19").await.status, 200);
        let after = stream_of(&lee.get(&page).await.html);
        assert_ne!(after, before);
        let told = news.chunk().await.unwrap().unwrap();
        let told = String::from_utf8(told.to_vec()).unwrap();
        let version = after.split("version=").nth(1).unwrap().split('&').next().unwrap();
        assert!(told.contains(&format!("\"version\":{version}}}")), "{told}");
    }
}

story! {
    async fn a_readers_stream_counts_and_is_logged_as_a_view(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        server = server.limited_to(5).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        // A reader names the home that was looked up.
        let path = format!("/stream?chain={chain}&version=1");
        assert_eq!(lee.open(&path).await.status(), 404);
        assert_eq!(lee.open(&format!("{path}&uprn=2")).await.status(), 404);
        // Nor does another site open one in the reader's name.
        let led = lee.open_led_by("cross-site", &format!("{path}&uprn=1")).await;
        assert_eq!(led.status(), 403);
        let page = lee.get(&format!("/chains/{chain}?uprn=1")).await;
        assert!(page.html.contains("data-stream=\"/stream?chain="), "{}", page.html);
        assert!(page.html.contains("&amp;uprn=1\""), "{}", page.html);
        let path = format!("{path}&uprn=1");
        let mut open = Vec::new();
        for status in [200, 200, 200, 429] {
            let stream = lee.open(&path).await;
            assert_eq!(stream.status(), status);
            open.push(stream);
        }
        let all = AccessFilter {
            after: 0,
            since: 0,
            until: i64::MAX,
            client: String::new(),
            uprn: 0,
        };
        // The page and three streams.
        let count = async || {
            let all = all.clone();
            let listing = server.storage.read(move |read| list_accesses(read, &all, 10));
            listing.await.unwrap().len()
        };
        server.wait_until("all are stored", async || count().await >= 4).await;
        assert_eq!(count().await, 4);
    }
}

story! {
    async fn an_open_stream_looks_at_session_and_person_again(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let path = format!("/stream?chain={chain}&version=1000");
        let person = server.add_person("progressor", &["north"]).await;
        let mut kim = server.browser();
        kim.enter(person).await;
        let dismissed = kim.open(&path).await;
        let (storage, person) = (server.storage.clone(), person);
        let dismissing = storage.write(move |write: &mut Write<'_>| {
            write.execute("delete from person_branch where person_id = $1", &[person.into()])?;
            Ok::<_, StorageError>(())
        });
        dismissing.await.unwrap();
        let mut pat = server.sign_in_as("progressor", &["north"]).await;
        let signed_out = pat.open(&path).await;
        assert_eq!((dismissed.status().as_u16(), signed_out.status().as_u16()), (200, 200));
        pat.post("/sign-out", &[]).await;
        let mut idle = server.sign_in_as("lender", &[]).await;
        let page = idle.get(&format!("/chains/{chain}?uprn=1")).await;
        let idle = idle.open(&stream_of(&page.html)).await;
        server.clock.advance(30);
        for stream in [dismissed, signed_out] {
            let said = read_to_end(stream).await;
            assert!(!said.contains("version"), "{said}");
        }
        // A session without a request for 12 hours has ended, and so has its stream.
        server.clock.advance(12 * 3600);
        let said = read_to_end(idle).await;
        assert!(!said.contains("version"), "{said}");
    }
}

story! {
    async fn the_last_news_of_a_chain_is_that_it_lost_the_viewers_home(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[]).await;
        let chains = [agent.chain_of(ids[0]).await, agent.chain_of(ids[1]).await];
        let kim = server.sign_in_as("progressor", &["north"]).await;
        let open = async |chain: &str| kim.open(&format!("/stream?chain={chain}&version=1000")).await;
        let streams = [open(&chains[0]).await, open(&chains[1]).await];
        agent.link(ids[0], ids[1]).await;
        // One of the two chains is no more.
        let left = agent.chain_of(ids[0]).await;
        let [first, second] = streams;
        let gone = if left == chains[0] { second } else { first };
        let said = read_to_end(gone).await;
        assert!(said.contains("version"), "{said}");
    }
}
