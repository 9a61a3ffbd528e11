//! A serializable transaction that stays open, and a node that freezes within a transaction, stop
//! nobody's writes beside an import.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use observe::clock::{Clock, Stopwatch};
use postgres::{Client as Connection, NoTls};

use super::postgres_server::PostgresServer;
use crate::commands::program::Program;
use crate::import::generated;
use crate::test_server::{Addresses, Client, Database, Node, PATIENCE, TestServer};

/// Writers at the node that freezes.
const WRITERS: i64 = 4;
const LISTINGS: u64 = 1_500;
/// How long a write may wait at most: until the server ends the frozen node's transaction.
const WAIT_MAX: Duration = Duration::from_secs(12);
/// A transaction that waits this long for its node is one of a frozen node.
const FROZEN: Duration = Duration::from_millis(300);
/// Transactions of nodes that wait for their next statement.
const WAITING: &str = "select pid, state_change::text from pg_stat_activity \
     where application_name = 'onward' and state like 'idle in transaction%'";

/// The same client at another node.
async fn at(client: &Client, node: &Node) -> Client {
    let node = Addresses::new(|at| node.url(at, ""));
    let now = Clock::System.now_seconds();
    let token = client.registration.request_token(&node.auth, now).await;
    Client {
        token,
        node,
        ..client.clone()
    }
}

/// Lets the server keep few predicate locks. Blocks.
fn keep_few_locks(postgres: &PostgresServer) {
    let mut admin = Connection::connect(&postgres.admin_url(), NoTls).unwrap();
    let set = "alter system set max_pred_locks_per_transaction = 10";
    admin.batch_execute(set).unwrap();
    drop(admin);
    postgres.control("restart", "fast");
}

/// Begins a serializable transaction, and leaves it open. Blocks.
fn leave_open(url: &str) -> Connection {
    let mut open = Connection::connect(url, NoTls).unwrap();
    open.batch_execute("begin isolation level serializable; select count(*) from listing")
        .unwrap();
    open
}

fn list_waiting(watcher: &mut Connection) -> Vec<(i32, String)> {
    let rows = watcher.query(WAITING, &[]).unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Freezes a node while a transaction of it is open; the process that serves this transaction.
fn freeze_in_transaction(node: &Node, watcher: &mut Connection) -> i32 {
    let since = Stopwatch::start();
    while since.elapsed() < PATIENCE {
        node.signal("STOP");
        let before = list_waiting(watcher);
        std::thread::sleep(FROZEN);
        let after = list_waiting(watcher);
        if let Some((process, _since)) = after.iter().find(|one| before.contains(one)) {
            return *process;
        }
        node.signal("CONT");
        std::thread::sleep(Duration::from_millis(7));
    }
    panic!("no transaction was open when the node froze");
}

/// Records until it is told to stop; how often, and how long the slowest recording took. Only the node
/// that freezes may refuse some.
async fn record(
    client: Client,
    listing: i64,
    may_refuse: bool,
    over: Arc<AtomicBool>,
) -> (i64, Duration) {
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while !over.load(Ordering::SeqCst) {
        count += 1;
        let date = format!("20{:02}-01-{:02}", count / 28 % 20, 1 + count % 28);
        let waited = Stopwatch::start();
        let answer = client.record(listing, "sstc", &date).await;
        let is_well = answer.status == 200 || may_refuse && answer.status == 503;
        assert!(is_well, "{}: {}", answer.status, answer.json());
        slowest = slowest.max(waited.elapsed());
    }
    (count, slowest)
}

async fn start_with_few_locks() -> Option<PostgresServer> {
    let postgres = PostgresServer::start().await?;
    let limiting = tokio::task::spawn_blocking(move || {
        keep_few_locks(&postgres);
        postgres
    });
    Some(limiting.await.unwrap())
}

/// Freezes a node in a transaction. Returns how long the server kept the transaction. Blocks.
fn freeze_until_ended(node: &Node, watcher: &mut Connection) -> Duration {
    let process = freeze_in_transaction(node, watcher);
    let since = Stopwatch::start();
    while list_waiting(watcher).iter().any(|one| one.0 == process) {
        assert!(since.elapsed() < PATIENCE, "its transaction stays open");
        std::thread::sleep(Duration::from_millis(50));
    }
    since.elapsed()
}

/// Starts two nodes.
async fn start_two(server: &TestServer) -> Vec<Node> {
    let mut nodes = Vec::new();
    for _node in 0..2 {
        nodes.push(Node::start(server.directory.path(), server.config.clone()).await);
    }
    nodes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_node_and_an_open_transaction_stop_no_writes_beside_an_import() {
    let Some(postgres) = start_with_few_locks().await else {
        return;
    };
    let server = TestServer::on_database(Database::create_at(postgres.admin_url()).await).await;
    let agent = server.agent("north").await;
    let mut listings = Vec::new();
    for uprn in 1..=WRITERS + 1 {
        listings.push(agent.list(uprn).await);
    }
    let mut nodes = start_two(&server).await;
    let (freezing, well) = (at(&agent, &nodes[0]).await, at(&agent, &nodes[1]).await);
    let url = server.config.store.clone();
    let opening = tokio::task::spawn_blocking(move || {
        let watcher = Connection::connect(&url, NoTls).unwrap();
        (leave_open(&url), watcher)
    });
    let (open, mut watcher) = opening.await.unwrap();
    let (writers_over, over) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let start = |listing: &i64| {
        let over = Arc::clone(&writers_over);
        tokio::spawn(record(freezing.clone(), *listing, true, over))
    };
    let writing: Vec<_> = listings[1..].iter().map(start).collect();
    let path = server.directory.path().join("many.ndjson");
    std::fs::write(&path, generated(LISTINGS, 5)).unwrap();
    let (file, path) = (nodes[1].file.clone(), path.display().to_string());
    let import = tokio::task::spawn_blocking(move || {
        Program::start(&["import", &path, "--config", &file]).wait()
    });
    let beside = tokio::spawn(record(well, listings[0], false, Arc::clone(&over)));

    let frozen = nodes.remove(0);
    let freezing = tokio::task::spawn_blocking(move || {
        let ended_after = freeze_until_ended(&frozen, &mut watcher);
        (frozen, ended_after)
    });
    let (mut frozen, ended_after) = freezing.await.unwrap();
    let imported = import.await.unwrap();
    assert_eq!(imported.status, Some(0), "{}", imported.err);
    over.store(true, Ordering::SeqCst);
    let (count, slowest) = beside.await.unwrap();
    println!(
        "the frozen node's transaction ended after {ended_after:.1?}; {count} writes at the other \
         node, the slowest took {slowest:.2?}"
    );
    assert!(count >= 20, "{count}");
    assert!(slowest < WAIT_MAX, "{slowest:?}");

    writers_over.store(true, Ordering::SeqCst);
    frozen.signal("CONT");
    for writer in writing {
        writer.await.unwrap();
    }
    tokio::task::spawn_blocking(move || drop(open))
        .await
        .unwrap();
    frozen.stop_at_once().await;
    let finished = nodes[0].stop_at_once().await;
    let said = "no room for more predicate locks";
    let is_said = finished.out.contains(said) || finished.err.contains(said);
    assert!(is_said, "{}", finished.err);
    server.end().await;
}
