//! The database is restarted while everybody calls, gently and as by a crash, and is away for a
//! while: requests wait, or the answers say when to come back, and all is well again by itself.

use std::sync::Arc;
use std::time::Duration;

use observe::clock::Stopwatch;

use super::Cluster;
use super::load::{Calls, Load, Tolerance};
use super::postgres_server::PostgresServer;
use crate::test_server::{At, Database, TestServer};

/// How long the database is away, once.
const AWAY: Duration = Duration::from_secs(3);
/// How soon after the database's return everybody is served again, at most.
const RECOVERY_MAX: Duration = Duration::from_secs(10);
/// How long a request may wait at most while the database is away. Its answer says when to come
/// back.
const WAIT_MAX: Duration = Duration::from_secs(12);
/// How long a request may wait at most for a database that has stopped: a statement, and then a
/// connection.
const STOPPED_WAIT_MAX: Duration = Duration::from_secs(18);
/// A time without refusals, by which a recovery is known.
const CALM: Duration = Duration::from_secs(2);

async fn control(postgres: &Arc<PostgresServer>, what: &'static str, mode: &'static str) {
    let postgres = Arc::clone(postgres);
    let controlling = tokio::task::spawn_blocking(move || postgres.control(what, mode));
    controlling.await.unwrap();
}

/// Waits until nobody was refused for a while; when it was that somebody was refused for the last
/// time, and how soon afterwards somebody was served.
pub(super) async fn recover(calls: &Calls) -> (Duration, Duration) {
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let past = calls.past();
        let last = past.refused.last().copied().unwrap_or_default();
        if calls.elapsed() > last + CALM {
            let served = past.served.iter().find(|at| **at > last);
            return (last, *served.expect("somebody is served"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_comes_back_and_nothing_acknowledged_is_lost() {
    let Some(postgres) = PostgresServer::start().await else {
        return;
    };
    let postgres = Arc::new(postgres);
    let database = Database::create_at(postgres.admin_url()).await;
    let cluster = Cluster::start(TestServer::on_database(database).await).await;
    let load = Load::begin(&cluster, Tolerance::RetryAfter).await;
    for (what, mode) in [
        ("restart", "fast"),
        ("restart", "immediate"),
        ("stop", "fast"),
    ] {
        load.go_on(Duration::from_secs(1)).await;
        let before = load.calls.past().refused.len();
        let begun = load.calls.elapsed();
        control(&postgres, what, mode).await;
        if what == "stop" {
            tokio::time::sleep(AWAY).await;
            // Whoever watches sees the node's own figures all the more.
            let http = reqwest::Client::builder().no_proxy().build().unwrap();
            let metrics = http
                .get(cluster.nodes[0].url(At::Ops, "/metrics"))
                .send()
                .await;
            let metrics = metrics.unwrap().text().await.unwrap();
            assert!(metrics.contains("\nonward_store_up 0\n"), "{metrics}");
            assert!(metrics.contains("\nonward_requests_total{"), "{metrics}");
            control(&postgres, "start", mode).await;
        }
        let back = load.calls.elapsed();
        let (last, next) = recover(&load.calls).await;
        let refused = load.calls.past().refused.len() - before;
        println!(
            "{what} {mode}: back after {:.2?}, {refused} were asked to come back, the last {:.2?} \
             after that, the next was served after {:.2?}",
            back.saturating_sub(begun),
            last.saturating_sub(back),
            next.saturating_sub(back),
        );
        assert!(refused > 0, "nobody noticed");
        assert!(last < back + RECOVERY_MAX, "{what} {mode}");
    }
    let past = load.end().await;
    past.assert_well("the database restarted");
    assert!(past.slowest < WAIT_MAX, "{:?}", past.slowest);
    cluster.end(&past).await;
}

/// The processes of the database stop, and its connections stay open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stops_answering_holds_nobody_up() {
    let Some(postgres) = PostgresServer::start().await else {
        return;
    };
    let server = TestServer::on_database(Database::create_at(postgres.admin_url()).await).await;
    let lender = server.register("lender", &["transaction-status"]).await;
    let token = server.token(&lender, None).await;
    let form = [("inputType", "uprn"), ("value[]", "1")];
    assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
    postgres.signal("STOP");
    let detail = server.wait_until_not_ready("store").await;
    assert!(detail.contains("did not answer within"), "{detail}");
    let waiting = Stopwatch::start();
    let answer = server.query_with(&lender, &token, &form).await;
    assert_eq!(answer.status, 503, "{}", answer.problem());
    assert_eq!(answer.header("retry-after"), "1");
    assert!(
        waiting.elapsed() < STOPPED_WAIT_MAX,
        "{:?}",
        waiting.elapsed()
    );
    postgres.signal("CONT");
    server.wait_until_ready().await;
    assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
    server.end().await;
}
