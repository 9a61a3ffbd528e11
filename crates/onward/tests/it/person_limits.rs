//! The limits of people (S-65).

use http::header::RETRY_AFTER;

use crate::story;

story! {
    async fn a_person_past_the_limit_waits_and_nobody_else(server) {
        server = server
            .reconfigure(|config| {
                config.rate_limit_enabled = true;
                config.person_requests_per_second = 1;
            })
            .await;
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let mut sam = server.sign_in_as("progressor", &["north"]).await;
        let mut lists = 0;
        let refused = loop {
            let page = kim.get("/chains?q=zzzz").await;
            if page.status != 200 {
                break page;
            }
            lists += 1;
            // Each list costs five requests, and ten are there at first.
            assert!(lists < 10, "nothing is refused");
        };
        assert!(lists >= 2, "{lists}");
        assert_eq!(refused.status, 429);
        let wait: u64 = refused.headers[RETRY_AFTER].to_str().unwrap().parse().unwrap();
        assert!((1..=5).contains(&wait), "{wait}");
        refused.assert_shows("Rate limit exceeded");
        // Another person of the same branch, and a client, go on.
        assert_eq!(sam.get("/chains?q=zzzz").await.status, 200);
        assert_eq!(agent.record(ids[0], "sstc", "2026-11-20").await.status, 200);
        // A page or form costs one. What somebody typed is kept.
        let path = format!("/listings/{}/notes", ids[0]);
        let mut notes = 0;
        let kept = loop {
            let page = kim.post(&path, &[("text", "Left word")]).await;
            if page.status != 303 {
                break page;
            }
            notes += 1;
            assert!(notes < 40, "nothing is refused");
        };
        assert_eq!(kept.status, 429);
        assert!(kept.headers.contains_key(RETRY_AFTER));
        kept.assert_shows("Too many requests");
        assert!(kept.html.contains("Left word</textarea>"), "{}", kept.html);
        // Whoever uses up the limit keeps nobody from ending sessions.
        assert_eq!(kim.post("/account/end-all", &[]).await.status, 303);
        assert!(kim.get("/account").await.location.starts_with("/sign-in"));
    }
}

story! {
    async fn without_rate_limits_people_have_none(server) {
        server = server
            .reconfigure(|config| {
                config.rate_limit_enabled = false;
                config.person_requests_per_second = 1;
            })
            .await;
        server.agent("north").await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        for _list in 0..12 {
            assert_eq!(kim.get("/chains").await.status, 200);
        }
    }
}
