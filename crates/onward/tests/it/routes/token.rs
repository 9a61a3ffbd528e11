//! The token endpoint.

use crate::story;

story! {
    async fn a_client_gets_a_bound_token(world) {
        let lender = world.register("lender", &["transaction-status"]).await;
        let answer = world.request_token(&lender, &lender.assertion().sign(&lender.key), None).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        let body = answer.json();
        assert_eq!(body["token_type"], "Bearer");
        assert_eq!(body["expires_in"], 600);
        assert_eq!(body["scope"], "transaction-status");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}
