//! A token that its client gave up (RFC 7009).

use serde_json::json;
use server::housekeeping::clean_store;
use storage::registry::find_revision;
use storage::revoked_tokens::list_revoked_tokens;

use super::introspect::{check_authentication, form};
use super::token::{ACCEPTED, INVALID_TOKEN, call_with};
use crate::story;
use crate::test_server::{At, Registration, TestServer, send};

/// Revokes a token, or does nothing: both look the same.
async fn revoke(server: &TestServer, client: &Registration, token: &str) {
    let answer = server.ask_about(client, "/revoke", token).await;
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    assert_eq!(answer.header("cache-control"), "no-store");
}

async fn count_revoked(server: &TestServer) -> usize {
    let all = server.storage.read(|read| list_revoked_tokens(read, 0));
    all.await.unwrap().len()
}

/// The outcome of a chain query at any node.
async fn call_at(url: &str, client: &Registration, token: &str) -> u16 {
    let form = [("inputType", "uprn"), ("value[]", "9")];
    let request = client.http.post(url).bearer_auth(token).form(&form);
    request.send().await.unwrap().status().as_u16()
}

story! {
    async fn it_is_refused_on_every_node_at_once(server) {
        let node = server.start_node().await;
        let lender = server.register("lender", &["transaction-status", "listing"]).await;
        let token = server.token(&lender, None).await;
        let kept = server.token(&lender, None).await;
        let chains = "/api/v1/standard/chains";
        let there = server.url_of_node(node, At::Base, chains);
        let listings = server.url_of_node(node, At::Listing, "/api/v1/milestone_type");
        let list = async |token: &str| {
            let request = lender.http.get(&listings).bearer_auth(token);
            send(request).await
        };
        // Both nodes have seen and remember the token.
        assert_eq!(call_with(&server, &lender, &token).await, ACCEPTED);
        assert_eq!(call_at(&there, &lender, &token).await, 404);
        assert_eq!(list(&token).await.status, 200);
        revoke(&server, &lender, &token).await;
        assert_eq!(call_at(&there, &lender, &token).await, 401);
        let refused = list(&token).await;
        assert_eq!(refused.status, 401);
        assert!(refused.failure().contains("The token was revoked. Get a new token."));
        assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN);
        assert_eq!(call_with(&server, &lender, &kept).await, ACCEPTED, "another token");
        assert_eq!(call_at(&there, &lender, &kept).await, 404, "another token");
        // A node that starts later knows it too.
        let late = server.start_node().await;
        let late = server.url_of_node(late, At::Base, chains);
        assert_eq!(call_at(&late, &lender, &token).await, 401);
        assert_eq!(call_at(&late, &lender, &kept).await, 404);
        // Twice is as good as once.
        revoke(&server, &lender, &token).await;
        assert_eq!(count_revoked(&server).await, 1);
    }
}

story! {
    async fn a_registry_that_changed_besides_forgets_nothing(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        revoke(&server, &lender, &token).await;
        server.register("another", &[]).await;
        assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN);
        let second = server.token(&lender, None).await;
        assert_eq!(call_with(&server, &lender, &second).await, ACCEPTED);
        revoke(&server, &lender, &second).await;
        assert_eq!(call_with(&server, &lender, &second).await, INVALID_TOKEN);
        assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN);
    }
}

story! {
    async fn only_a_token_that_counts_changes_the_registry(server) {
        let node = server.start_node().await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let revision = async || server.storage.read(find_revision).await.unwrap();
        let (token, kept) = (server.token(&lender, None).await, server.token(&lender, None).await);
        let before = revision().await;
        revoke(&server, &lender, &token).await;
        let once = revision().await;
        assert_eq!(once, before + 1);
        let there = server.url_of_node(node, At::Auth, "/revoke");
        for nothing in [token.as_str(), "garbage", &kept[..kept.len() - 4], ""] {
            let assertion = lender.assertion().sign(&lender.key);
            let answer = send(lender.http.post(&there).form(&form(nothing, &assertion))).await;
            assert_eq!(answer.status, if nothing.is_empty() { 400 } else { 200 });
        }
        revoke(&server, &lender, &token).await;
        revoke(&server, &other, &kept).await;
        assert_eq!(revision().await, once, "revoked already, nothing, and another's");
        assert_eq!(call_with(&server, &lender, &kept).await, ACCEPTED);
        server.clock.advance(600);
        for expired in [&token, &kept] {
            revoke(&server, &lender, expired).await;
        }
        assert_eq!(revision().await, once, "expired");
    }
}

story! {
    async fn the_caller_must_prove_itself(server) {
        check_authentication(&server, "/revoke").await;
        assert_eq!(count_revoked(&server).await, 0);
    }
}

story! {
    async fn an_assertion_revokes_once(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let tokens = [server.token(&lender, None).await, server.token(&lender, None).await];
        let assertion = lender.assertion().sign(&lender.key);
        for (token, expected) in tokens.iter().zip([200, 401]) {
            let mut form = form(token, &assertion);
            form.push(("token_type_hint", "refresh_token".to_owned()));
            let request = lender.http.post(server.url(At::Auth, "/revoke")).form(&form);
            assert_eq!(send(request).await.status, expected);
        }
        assert_eq!(call_with(&server, &lender, &tokens[0]).await, INVALID_TOKEN);
        assert_eq!(call_with(&server, &lender, &tokens[1]).await, ACCEPTED);
    }
}

story! {
    async fn a_revoked_token_is_remembered_until_it_has_ended(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        revoke(&server, &lender, &token).await;
        for (seconds, left) in [(600, 1), (60, 1), (1, 0)] {
            server.clock.advance(seconds);
            let (_stop, stopping) = tokio::sync::watch::channel(false);
            clean_store(&server.node.foundation.housekeeping(), &stopping).await.unwrap();
            assert_eq!(count_revoked(&server).await, left, "{}", json!(seconds));
            assert_eq!(call_with(&server, &lender, &token).await, INVALID_TOKEN);
        }
    }
}
