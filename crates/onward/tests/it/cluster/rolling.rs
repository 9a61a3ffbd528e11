//! Nodes are restarted one after the other while everybody calls.

use std::time::Duration;

use super::Cluster;
use super::load::{Load, Tolerance};
use crate::test_server::{At, TestServer};

/// Requests that a node answered since it began.
async fn count_answered(cluster: &Cluster, node: usize) -> u64 {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = cluster.nodes[node].url(At::Ops, "/metrics");
    let shown = http.get(url).send().await.unwrap().text().await.unwrap();
    let counts = shown
        .lines()
        .filter(|line| line.starts_with("onward_requests_total{"));
    let counts = counts.filter(|line| line.contains("door=\"base\""));
    counts
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}

/// How often it is looked, half a second apart, whether the balancer uses a node again.
const ASKED_LOOKS_MAX: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_restarted_in_turn_and_no_request_fails() {
    let Some(mut cluster) = Cluster::start_on_postgres().await else {
        return;
    };
    let load = Load::begin(&cluster, Tolerance::Nothing).await;
    for node in [0, 1, 0] {
        load.go_on(Duration::from_secs(1)).await;
        cluster.restart(node).await;
    }
    for node in 0..2 {
        let mut looks = 0..ASKED_LOOKS_MAX;
        while count_answered(&cluster, node).await <= 20 {
            assert!(looks.next().is_some(), "node {node} is asked again");
            load.go_on(Duration::from_millis(500)).await;
        }
    }
    let past = load.end().await;
    past.assert_well("rolling restart");
    cluster.end(&past).await;
}

/// How long after a node's death requests may be lost that were sent to it.
const DEATH: Duration = Duration::from_secs(2);
/// As many requests as there are callers are under way at once.
const LOST_MAX: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_dies_and_only_what_it_had_under_way_is_lost() {
    let Some(mut cluster) = Cluster::start_on_postgres().await else {
        return;
    };
    let load = Load::begin(&cluster, Tolerance::Nothing).await;
    load.go_on(Duration::from_secs(1)).await;
    let killed = load.calls.elapsed();
    cluster.nodes[0].kill().await;
    load.go_on(Duration::from_secs(2)).await;
    cluster.nodes[0].resume().await;
    cluster.balancer.wait_until_all_are_up().await;
    load.go_on(Duration::from_secs(1)).await;
    let mut past = load.end().await;
    let lost = std::mem::take(&mut past.lost);
    println!("{} requests were lost: {lost:.3?}", lost.len());
    assert!(lost.len() <= LOST_MAX);
    assert!(
        lost.iter().all(|at| *at >= killed && *at < killed + DEATH),
        "killed at {killed:?}"
    );
    past.faults
        .retain(|fault| !fault.contains("reqwest::Error"));
    past.assert_well("a node died");
    // Among others, the other node delivers what waits in the lanes of the dead one.
    cluster.end(&past).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_leaves_says_so_and_answers_until_it_stops() {
    let server = TestServer::on_sqlite().await;
    let lender = server.register("lender", &["transaction-status"]).await;
    let http1 = reqwest::Client::builder()
        .no_proxy()
        .http1_only()
        .build()
        .unwrap();
    let ready = async || {
        let url = server.url(At::Ops, "/health/ready");
        let answer = http1.get(url).send().await.unwrap();
        let closes = answer
            .headers()
            .get("connection")
            .is_some_and(|value| value == "close");
        (answer.status().as_u16(), closes)
    };
    assert_eq!(ready().await, (200, false));
    server.node.edge.drain.begin();
    assert_eq!(ready().await, (503, false));
    let token = server.token(&lender, None).await;
    let ask = async || {
        let form = [("inputType", "uprn"), ("value[]", "9")];
        server.query_with(&lender, &token, &form).await
    };
    assert_eq!(ask().await.status, 404, "it answers all the same");
    server.node.edge.drain.close_connections();
    assert_eq!(ready().await, (503, true));
    let answer = ask().await;
    // HTTP/2 has no such field (RFC 9113 section 8.2.2).
    assert_eq!((answer.status, answer.header("connection")), (404, ""));
    server.end().await;
}
