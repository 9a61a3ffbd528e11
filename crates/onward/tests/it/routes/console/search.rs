//! `/search`: look-ups.

use storage::accesses::{AccessFilter, list_accesses};

use crate::story;

const ALL: AccessFilter = AccessFilter {
    after: 0,
    since: 0,
    until: i64::MAX,
    client: String::new(),
    uprn: 0,
};

story! {
    async fn a_reader_is_led_to_the_chain_and_the_log_knows(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2, 3], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        for asked in ["2", "2+Row%2C+Leeds+LS1+4AP"] {
            let found = lee.get(&format!("/search?q={asked}")).await;
            assert_eq!(found.location, format!("/chains/{chain}?uprn=2"), "{asked}");
            server.clock.advance(1);
            assert_eq!(lee.get(&found.location).await.status, 200);
            server.clock.advance(1);
        }
        let several = lee.get("/search?q=Row+Leeds").await;
        assert_eq!(several.status, 200);
        lee.get("/search?q=77").await.assert_shows("No home");
        assert_eq!(lee.get("/search").await.status, 200);
        assert_eq!(lee.get(&format!("/search?q={}", "x".repeat(2000))).await.status, 200);
        let list = async || {
            let listing = server.storage.read(|read| list_accesses(read, &ALL, 10));
            listing.await.unwrap()
        };
        // Two searches that name a chain, two chains, and a list of three homes.
        server.wait_until("the look-ups are stored", async || list().await.len() == 7).await;
        let log = list().await;
        assert!(log.iter().all(|line| line.access.client.starts_with("person:")));
    }
}

story! {
    async fn a_progressor_opens_own_chains_only(server) {
        server.agent("north").await;
        let south = server.agent("south").await;
        server.import_sales("north", [1], &[]).await;
        let sold = server.import_sales("south", [8], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        assert!(kim.get("/search?q=1").await.location.starts_with("/chains/"));
        let foreign = kim.get("/search?q=8").await;
        assert_eq!((foreign.status, foreign.location.as_str()), (200, ""));
        foreign.assert_shows("UPRN 8, no sale of yours");
        // A known home without a sale looks the same.
        south.withdraw(sold[0]).await;
        assert_eq!(kim.get("/search?q=8").await.text(), foreign.text());
        let mut pat = server.sign_in_as("integrator", &[]).await;
        assert_eq!(pat.get("/search?q=1").await.status, 403);
    }
}

story! {
    async fn no_other_site_looks_up_in_the_name_of_a_reader(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[]).await;
        let chains = [agent.chain_of(ids[0]).await, agent.chain_of(ids[1]).await];
        let mut lee = server.sign_in_as("lender", &[]).await;
        let chain = format!("/chains/{}?uprn=1", chains[0]);
        let file = format!("/chains/{}.json?uprn=1", chains[0]);
        for site in ["cross-site", "same-site"] {
            for path in ["/search?q=1", &chain, &file] {
                let asked = lee.get_led_by(site, path).await;
                assert_eq!((asked.status, asked.location.as_str()), (200, ""), "{site} {path}");
                asked.assert_shows("Look up “1”?");
                asked.assert_hides("1 Row");
            }
        }
        // A browser that does not say who led to the page.
        let request = lee.request(reqwest::Method::GET, "/search?q=1");
        lee.send(request).await.assert_shows("Look up “1”?");
        let request = lee.request(reqwest::Method::GET, "/search?q=2");
        let referrer = format!("{}/search", crate::test_server::CONSOLE_URL);
        let led = lee.send(request.header("referer", referrer)).await;
        assert_eq!(led.location, format!("/chains/{}?uprn=2", chains[1]));
        server.clock.advance(1);
        // A bookmark is the person's own.
        assert_eq!(lee.get_led_by("none", &led.location).await.status, 200);
        let list = async || {
            let listing = server.storage.read(|read| list_accesses(read, &ALL, 10));
            listing.await.unwrap()
        };
        // The search and the page of the chain.
        server.wait_until("the look-ups are stored", async || list().await.len() == 2).await;
        let logged: Vec<_> = list().await.into_iter().map(|line| line.uprn.unwrap().value()).collect();
        assert_eq!(logged, [2, 2]);
    }
}

story! {
    async fn a_postcode_lists_its_homes(server) {
        server.agent("north").await;
        server.import_sales("north", [1, 2], &[]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        let listed = lee.get("/search?q=LS1+4AP").await;
        assert_eq!(listed.status, 200);
        listed.assert_shows("1 Row");
        listed.assert_shows("2 Row");
        // A home without a sale is known all the same.
        server.import(&serde_json::json!({"type": "property", "uprn": 3, "line1": "3 Row",
            "post_town": "Leeds", "postcode": "LS1 4AP"}).to_string()).await;
        lee.get("/search?q=3").await.assert_shows("3 Row");
    }
}
