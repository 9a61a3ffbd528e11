//! A commit that no standby confirmed is not acknowledged: it would be lost with its postgres.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::{Client, NoTls};
use serde_json::json;

use super::postgres_server::PostgresServer;
use crate::test_server::{Answer, Database, TestServer};

/// Sets the standbys that must confirm each commit. The postgres takes note a moment later. Blocks.
fn set_standbys(url: &str, names: &str) {
    let mut client = Client::connect(url, NoTls).unwrap();
    let set = format!("alter system set synchronous_standby_names = '{names}'");
    client.batch_execute(&set).unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
}

/// Commits small changes until one of them waits for a standby, and releases it. Blocks.
fn wait_until_commits_wait(url: &str) {
    let mut client = Client::connect(url, NoTls).unwrap();
    let release =
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
    for _change in 0..3_000 {
        let mut other = Client::connect(url, NoTls).unwrap();
        let change = std::thread::spawn(move || {
            other.batch_execute("select pg_logical_emit_message(true, 'test', 'a change')")
        });
        while !change.is_finished() {
            if !client.query(release, &[]).unwrap().is_empty() {
                return;
            }
        }
    }
    panic!("no commit waits for a standby");
}

/// Does this to each session whose commit waits for a standby, until it is over: commits of the node's
/// own work wait too. Blocks.
fn interrupt(url: &str, how: &str, over: &AtomicBool) {
    let mut client = Client::connect(url, NoTls).unwrap();
    let sql = format!("select {how}(pid) from pg_stat_activity where wait_event = 'SyncRep'");
    for _look in 0..3_000 {
        client.query(&sql, &[]).unwrap();
        if over.load(Ordering::SeqCst) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no answer came");
}

fn outcome(answer: &Answer) -> (u16, &str, String) {
    let code = answer.json()["errors"][0]["code"]
        .as_str()
        .unwrap()
        .to_owned();
    (answer.status, answer.header("retry-after"), code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_standby_has_is_not_acknowledged() {
    let Some(postgres) = PostgresServer::start().await else {
        return;
    };
    let admin = postgres.admin_url();
    let server = TestServer::on_database(Database::create_at(admin.clone()).await).await;
    let (agent, listing) = server.agent_with_listing().await;
    let path = format!("/listing/{listing}/milestone/sstc");
    // The postgres gives up waiting and calls the commit done; or the connection ends before the
    // answer. Neither says that the change will last.
    for (number, how) in ["pg_cancel_backend", "pg_terminate_backend"]
        .into_iter()
        .enumerate()
    {
        let url = admin.clone();
        let set = tokio::task::spawn_blocking(move || {
            set_standbys(&url, "nobody");
            wait_until_commits_wait(&url);
        });
        set.await.unwrap();
        let url = admin.clone();
        let over = Arc::<AtomicBool>::default();
        let is_over = Arc::clone(&over);
        let interrupting = tokio::task::spawn_blocking(move || {
            interrupt(&url, how, &is_over);
            set_standbys(&url, "");
        });
        let date = format!("2026-11-0{}", number + 1);
        let answer = agent.put(&path, json!({"date": date})).await;
        over.store(true, Ordering::SeqCst);
        interrupting.await.unwrap();
        assert_eq!(
            outcome(&answer),
            (503, "1", "unconfirmed".to_owned()),
            "{how}"
        );
        // Whatever became of it, the same once more is right.
        let again = agent.put(&path, json!({"date": date})).await;
        assert_eq!(again.status, 200, "{how}");
    }
    let dates: Vec<_> = server
        .events()
        .await
        .into_iter()
        .map(|one| one.date.to_string())
        .collect();
    assert_eq!(dates, ["2026-11-01", "2026-11-02"]);
    server.end().await;
}
