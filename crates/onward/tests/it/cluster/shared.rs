//! What one process grants or takes away counts at the other one at once.

use std::time::Duration;

use observe::clock::Clock;

use super::Cluster;
use super::load::{Load, Tolerance};
use crate::test_server::{Answer, At, send, token_form};

/// A call of one node's token address with an assertion; `about` is the token it is about.
async fn prove(cluster: &Cluster, node: usize, path: &str, assertion: &str, about: &str) -> Answer {
    let mut form = token_form(assertion);
    if !about.is_empty() {
        form[0] = ("token", about);
    }
    let request = cluster
        .cast
        .lender
        .http
        .post(cluster.nodes[node].url(At::Auth, path));
    send(request.form(&form)).await
}

fn sign_assertion(cluster: &Cluster) -> String {
    cluster
        .cast
        .lender
        .assertion_at(Clock::System.now_seconds())
}

async fn query(cluster: &Cluster, node: usize, token: &str) -> u16 {
    let url = cluster.nodes[node].url(At::Base, "/api/v1/standard/chains");
    let form = [("inputType", "uprn"), ("value[]", "1")];
    let request = cluster
        .cast
        .lender
        .http
        .post(url)
        .bearer_auth(token)
        .form(&form);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_used_assertions_and_revocations_count_at_both_nodes() {
    let Some(cluster) = Cluster::start_on_postgres().await else {
        return;
    };
    for (here, there) in [(0, 1), (1, 0)] {
        let assertion = sign_assertion(&cluster);
        let granted = prove(&cluster, here, "/token", &assertion, "").await;
        assert_eq!(granted.oauth(), "200 -");
        let token = granted.access_token();
        for node in [there, here] {
            assert_eq!(query(&cluster, node, &token).await, 200, "node {node}");
            let replayed = prove(&cluster, node, "/token", &assertion, "").await;
            assert_eq!(replayed.oauth(), "401 invalid_client", "node {node}");
        }
        let assertion = sign_assertion(&cluster);
        let revoked = prove(&cluster, here, "/revoke", &assertion, &token).await;
        assert_eq!(revoked.status, 200);
        for node in [there, here] {
            assert_eq!(query(&cluster, node, &token).await, 401, "node {node}");
            let assertion = sign_assertion(&cluster);
            let shown = prove(&cluster, node, "/introspect", &assertion, &token).await;
            assert_eq!(shown.json()["active"], false, "node {node}");
        }
    }
    // What was granted while a node was away counts there as well when it is back.
    let load = Load::begin(&cluster, Tolerance::Nothing).await;
    load.go_on(Duration::from_secs(5)).await;
    let past = load.end().await;
    past.assert_well("nothing else");
    cluster.end(&past).await;
}
