//! `/sign-in`.

mod back;

use crate::story;

story! {
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
