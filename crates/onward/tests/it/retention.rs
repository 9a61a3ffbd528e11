//! One round of housekeeping removes all old rows, however many there are, and holds nobody up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use observe::clock::Stopwatch;
use server::housekeeping::clean_store;
use storage::StorageError;
use storage::retention::OldRows;

use crate::story;
use crate::test_server::{BEGINNING, Client, TestServer};

/// Old rows of each kind.
const ROWS: u64 = 200_000;
/// Their Unix time, which is before any retention.
const OLD_TIME: i64 = BEGINNING - 400 * 86_400;
/// As many listings have enough pairs for proposals.
const LISTINGS: i64 = 450;
/// The recordings pause so long, because without a pause they take most of the test's time.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a recording may take meanwhile. Alone it takes some milliseconds.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Rows to which old rows refer.
const REFERRED: [&str; 1] = [
    "insert into person (id, participant_id, name, role, created_at) select 1, min(id), 'Kim', \
      'progressor', 0 from participant",
];

/// Inserts of each kind. The test puts the number of rows in the place of ROWS, and their Unix time in the
/// place of TIME.
const OLD: [&str; 12] = [
    "insert into used_assertion (client_id, jti_digest, expires_at) with recursive n (v) as \
     (select 1 union all select v + 1 from n where v < ROWS) select 'c', cast(v as text), TIME from n",
    "insert into revoked_token (token_id, expires_at, revision) with recursive n (v) as \
     (select 1 union all select v + 1 from n where v < ROWS) select cast(v as text), TIME, 0 from n",
    "insert into idempotency (client_id, path, request_key, body_digest, status, body, expires_at) \
     with recursive n (v) as (select 1 union all select v + 1 from n where v < ROWS) \
     select 'c', '/', cast(v as text), '', 200, '{}', TIME from n",
    "insert into link_proposal (seller_listing_id, buyer_listing_id, side, branch_id, created_at, \
     expires_at) select s.id, b.id, 1, s.branch_id, 0, TIME from listing s cross join listing b limit ROWS",
    "insert into used (holder, kind, slot, amount) with recursive n (v) as \
     (select 1 union all select v + 1 from n where v < ROWS) select cast(v as text), 3, TIME, 1 from n",
    "insert into console_session (digest, person_id, signed_in_at, seen_at, expires_at) \
     with recursive n (v) as (select 1 union all select v + 1 from n where v < ROWS) \
     select cast(v as text), 1, 0, 0, TIME from n",
    "insert into event (event_id, event_type, property_id, uprn, date, recorded_at) \
     with recursive n (v) as (select 1 union all select v + 1 from n where v < ROWS) \
     select 'old ' || cast(v as text), 'fallthrough', 1, 1, '2020-01-01', TIME from n",
    "insert into delivery (subscription_id, event_row, property_id, state, attempts, not_before, \
     created_at, ended_at) select (select min(id) from subscription), e.id, 1, 'delivered', 1, 0, 0, \
     cast(TIME as bigint) * 1000 from event e where e.event_id like 'old %' limit ROWS",
    "insert into attempt (delivery_id, number, begun_at, duration) \
     select d.id, 1, TIME, 1 from delivery d where d.created_at = 0 limit ROWS",
    "insert into access (property_id, accessed_at, client_id) with recursive n (v) as \
     (select 1 union all select v + 1 from n where v < ROWS) select v, TIME, 'client' from n",
    "insert into access (property_id, accessed_at, client_id) with recursive n (v) as \
     (select 1 union all select v + 1 from n where v < ROWS) select v, TIME, 'person:1' from n",
    // They entered the log long ago.
    "insert into sealed (chain_id, version, recorded_at, form, digest, document, log_number, log_index) \
     with recursive n (v) as (select 1 union all select v + 1 from n where v < ROWS) \
     select 'c', v, TIME, 1, '', '', 1, v + 1000000000 from n",
];

async fn insert(server: &TestServer, sql: &str) -> u64 {
    let sql = sql.replace("ROWS", &ROWS.to_string());
    let sql: &'static str = sql.replace("TIME", &OLD_TIME.to_string()).leak();
    let url = server.config.store.clone();
    if url.starts_with("postgres") {
        // A statement of the node has a time limit, and a busy machine may need longer.
        let insert = move || postgres::Client::connect(&url, postgres::NoTls)?.execute(sql, &[]);
        return tokio::task::spawn_blocking(insert).await.unwrap().unwrap();
    }
    let inserting = server.storage.write(move |write| write.execute(sql, &[]));
    let inserted: Result<u64, StorageError> = inserting.await;
    inserted.unwrap()
}

async fn count_rows(server: &TestServer, sql: &'static str) -> i64 {
    let counting = server
        .storage
        .read(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    let counted: Result<i64, StorageError> = counting.await;
    counted.unwrap()
}

/// Records until it is over. Returns the number of recordings and the time of the slowest.
async fn record(agent: Client, listing: i64, over: Arc<AtomicBool>) -> (usize, Duration) {
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while !over.load(Ordering::SeqCst) {
        let since = Stopwatch::start();
        let date = format!("{}-06-01", 2000 + count % 20);
        agent.record(listing, "searches_ordered", &date).await;
        slowest = slowest.max(since.elapsed());
        count += 1;
        tokio::time::sleep(PAUSE).await;
    }
    (count, slowest)
}

story! {
    async fn old_rows_of_each_kind_go_in_one_round(server) {
        server = server.reconfigure(|config| {
            config.access_log_days = 365;
            config.sealed_retention_days = 365;
        }).await;
        let (_receiver, _key, _subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        for uprn in 1..=LISTINGS {
            agent.list(uprn).await;
        }
        let listing = agent.list(LISTINGS + 1).await;
        for sql in REFERRED {
            insert(&server, sql).await;
        }
        for sql in OLD {
            assert_eq!(insert(&server, sql).await, ROWS, "{sql}");
        }
        let over = Arc::<AtomicBool>::default();
        let recording = tokio::spawn(record(agent, listing, Arc::clone(&over)));
        let (_stop, stopping) = tokio::sync::watch::channel(false);
        let since = Stopwatch::start();
        let housekeeping = server.node.foundation.housekeeping();
        // A busy store ends a round, and the next one goes on.
        while let Err(error) = clean_store(&housekeeping, &stopping).await {
            assert!(matches!(error, StorageError::Busy), "{error}");
        }
        let took = since.elapsed();
        over.store(true, Ordering::SeqCst);
        let (count, slowest) = recording.await.unwrap();
        println!("one round took {took:.1?}; {count} recordings, the slowest took {slowest:.2?}");
        for rows in OldRows::ALL {
            let finding = server.storage.read(move |read| rows.find_oldest(read, OLD_TIME + 1));
            let oldest: Result<_, StorageError> = finding.await;
            assert_eq!(oldest.unwrap(), None, "{rows:?}");
        }
        // The last version was the state until now (S-63).
        let left = "select count(*) from sealed where chain_id = 'c'";
        assert_eq!(count_rows(&server, left).await, 1);
        assert!(count >= 20, "{count}");
        assert!(slowest < WAIT_MAX, "{slowest:?}");
    }
}
