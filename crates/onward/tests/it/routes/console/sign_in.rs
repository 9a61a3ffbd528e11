//! `/sign-in`.

mod back;

use crate::sqlite_story;

sqlite_story! {
    async fn a_console_without_a_provider_says_so(server) {
        let mut browser = server.browser();
        let page = browser.get("/sign-in").await;
        assert_eq!(page.status, 200);
        page.assert_shows("Nobody signs in to a sandbox: choose somebody to be .");
        // Browsers apply the policy to the provider's redirects as well.
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("form-action 'self' https:;"), "{policy}");
        let refused = browser.post("/sign-in", &[("to", "/account")]).await;
        assert_eq!(refused.status, 404);
        refused.assert_shows("no provider for sign-in");
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get("/sign-in").await.location, "/");
    }
}

sqlite_story! {
    async fn nobody_queues_for_a_provider_that_does_not_answer(server) {
        const METADATA: &str = "/.well-known/openid-configuration";
        let provider;
        (server, provider) = server.with_provider().await;
        let browser = server.browser();
        provider.fail(true);
        provider.hold(true);
        let press = || {
            let mut browser = browser.clone();
            async move { browser.post("/sign-in", &[]).await.status }
        };
        let waiting: Vec<_> = (0..20).map(|_person| tokio::spawn(press())).collect();
        provider.wait_for(METADATA, 1).await;
        provider.hold(false);
        for one in waiting {
            assert_eq!(one.await.unwrap(), 503);
        }
        // The failure counts for 5 s, and nobody asks the provider meanwhile.
        provider.fail(false);
        assert_eq!(press().await, 503);
        assert_eq!(provider.calls(METADATA), 1);
        server.clock.advance(5);
        assert_eq!(press().await, 303);
        assert_eq!(press().await, 303);
        assert_eq!(provider.calls(METADATA), 2);
    }
}
