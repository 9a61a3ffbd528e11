//! Measures the statement that finds the subscriptions of an event (S-39) among 1,000 that watch 10,000
//! UPRNs each. Ten watch each UPRN, and half of them its chain. The same statement then finds as many
//! subscriptions without a watch. It runs inside this process, on the store of a sandbox that has stopped.

use chain::event::EventType;
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};
use observe::clock::Stopwatch;
use storage::enqueue::{QueuedEvent, enqueue_event};
use storage::events::{NewEvent, insert_event};
use storage::{OpenOptions, Storage, StorageError, StoreUrl, Write};
use uuid::Uuid;

use crate::process::{Node, Settings};
use crate::{engine, median, read_setting};

/// Events in a transaction, so that its commit counts little.
const EVENTS: usize = 200;
/// Parts in which the watched UPRNs are inserted.
const PARTS: i64 = 50;
/// The cost with watches may be so many times the cost without (S-39).
const RATIO_MAX: f64 = 2.0;

/// An event's place.
#[derive(Clone, Copy)]
struct Sold {
    listing: ListingId,
    property: PropertyId,
    uprn: Uprn,
    chain: ChainId,
}

pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    println!(
        "subscriptions of an event, {listings} listings on {}",
        engine()
    );
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::new(directory.path(), listings);
    let node = Node::start(&settings).await;
    node.stop().await;
    let file = directory.path().join("onward.db").display().to_string();
    let url = settings.store.unwrap_or(file).parse().unwrap();
    let comparing = tokio::task::spawn_blocking(move || compare(&url));
    comparing.await.unwrap();
}

fn compare(url: &StoreUrl) {
    let storage = Storage::open(url, &OpenOptions::new(server::SEAL)).unwrap();
    let sold = list_sold(&storage);
    subscribe(&storage, 1_000);
    watch(&storage);
    let [watched, received] = measure_rounds(&storage, &sold);
    println!("  1,000 with 10,000 UPRNs each: {watched:.1} µs an event, {received:.2} deliveries");
    clear(&storage);
    let count = received.round() as i64;
    subscribe(&storage, count);
    let [unwatched, received] = measure_rounds(&storage, &sold);
    println!("  {count} without a watch: {unwatched:.1} µs an event, {received:.2} deliveries");
    let ratio = watched / unwatched;
    println!("  ratio {ratio:.2} (limit {RATIO_MAX})");
}

/// The listings that events are about.
fn list_sold(storage: &Storage) -> Vec<Sold> {
    let listed = storage.read_blocking(|read| {
        read.query(
            "select l.id, p.id, p.uprn, l.chain_id from listing l \
             join property p on p.current_listing_id = l.id order by l.id limit 1000",
            &[],
            |row| {
                Ok(Sold {
                    listing: ListingId(row.integer(0)?),
                    property: PropertyId(row.integer(1)?),
                    uprn: Uprn::new(row.integer(2)?).unwrap(),
                    chain: ChainId(row.text(3)?.parse().unwrap()),
                })
            },
        )
    });
    let listed: Result<_, StorageError> = listed;
    listed.unwrap()
}

fn subscribe(storage: &Storage, count: i64) {
    run(
        storage,
        "insert into subscription (reference, api_key_id, participant_name, callback_url, \
         status, created_at, updated_at) \
         with recursive number (value) as (select 1 union all select value + 1 from number \
         where value < $1) select cast(value as text), (select min(id) from api_key), 'bench', \
         cast(value as text), 'active', 0, 0 from number",
        &[count],
    );
    run(
        storage,
        "insert into subscribed_type (subscription_id, event_type) \
         select id, 'milestone.updated' from subscription where participant_name = 'bench'",
        &[],
    );
}

/// Lets each subscription watch 10,000 UPRNs, and every second one the chains. A store has fewer
/// listings, so most UPRNs are unknown to it.
fn watch(storage: &Storage) {
    let reach = "update subscription set watched_uprns = 10000, watch_reach = \
         case when id % 2 = 0 then 'chain' else 'property' end";
    run(storage, reach, &[]);
    for part in 0..PARTS {
        let (first, last) = (part * 20_000, part * 20_000 + 19_999);
        run(
            storage,
            "insert into watched (uprn, subscription_id) \
             with recursive number (value) as (select cast($1 as bigint) union all \
             select value + 1 from number where value < $2), \
             watcher (value) as (select 0 union all select value + 1 from watcher where value < 9) \
             select coalesce(p.uprn, 700000000000 + number.value), \
             (select min(id) from subscription) + (number.value + watcher.value * 101) % 1000 \
             from number cross join watcher left join property p on p.id = number.value",
            &[first, last],
        );
    }
    run(storage, "analyze", &[]);
}

fn clear(storage: &Storage) {
    run(storage, "delete from delivery", &[]);
    run(storage, "delete from watched", &[]);
    run(storage, "delete from subscription", &[]);
}

fn run(storage: &Storage, sql: &'static str, parameters: &[i64]) {
    let parameters = parameters.to_vec();
    let done: Result<u64, StorageError> = storage.write_blocking(move |write| {
        let parameters: Vec<_> = parameters.iter().map(|value| (*value).into()).collect();
        write.execute(sql, &parameters)
    });
    done.unwrap();
}

/// The median time of an event in microseconds, and its mean number of deliveries.
fn measure_rounds(storage: &Storage, sold: &[Sold]) -> [f64; 2] {
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 15) as usize;
    let mut times = Vec::new();
    let mut deliveries = 0;
    // The first round fills caches.
    for round in 0..=rounds {
        let part: Vec<Sold> = sold
            .iter()
            .copied()
            .cycle()
            .skip(round * EVENTS)
            .take(EVENTS)
            .collect();
        let stopwatch = Stopwatch::start();
        let made: Result<u64, StorageError> = storage.write_blocking(move |write| {
            let mut made = 0;
            for one in &part {
                made += record(write, one)?;
            }
            Ok(made)
        });
        deliveries += made.unwrap();
        times.push(stopwatch.elapsed().as_secs_f64() * 1e6 / EVENTS as f64);
    }
    times.remove(0);
    [
        median(times),
        deliveries as f64 / ((rounds + 1) * EVENTS) as f64,
    ]
}

fn record(write: &mut Write<'_>, sold: &Sold) -> Result<u64, StorageError> {
    let event = NewEvent {
        event_id: &Uuid::new_v4().to_string(),
        event_type: EventType::MilestoneUpdated,
        listing: sold.listing,
        property: sold.property,
        uprn: sold.uprn,
        label: Some("SSTC"),
        date: "2026-11-24".parse().unwrap(),
        detail: None,
    };
    let queued = QueuedEvent {
        row: insert_event(write, &event, 0)?,
        event_type: event.event_type,
        property: sold.property,
        uprn: sold.uprn,
        chains: [sold.chain; 2],
    };
    enqueue_event(write, &queued, 0)
}
