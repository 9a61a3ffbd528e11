//! `/sign-in/back`; `scripts/test-console` signs in with real providers.

use crate::story;

story! {
    async fn nobody_comes_back_without_a_provider(server) {
        let mut browser = server.browser();
        let refused = browser.get("/sign-in/back?code=x&state=y").await;
        assert_eq!(refused.status, 404);
        assert_eq!(browser.cookie(), None);
    }
}
