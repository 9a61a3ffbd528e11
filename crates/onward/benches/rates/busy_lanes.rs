//! Measures how evenly one node serves more busy subscriptions than it delivers to at once: how long the last
//! of them waits for its first event, and how many events the busiest and the idlest one receive.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use crate::load;
use crate::process::{Node, Settings, raise_own_limit};
use crate::rows::{fill, now, run};
use crate::{engine, read_setting};

const SUBSCRIPTIONS: u64 = 5_000;
/// Events that wait for each subscription, each about another property.
const EVENTS: u64 = 200;
/// How long the node delivers.
const SECONDS: u64 = 60;
/// Connections between the node and the receiver.
const FILES: u64 = 60_000;
/// The busiest subscription may receive so many times as many events as the idlest one.
const RATIO_MAX: f64 = 3.0;

/// The seconds until the first event of each subscription, and the number of its events.
type Received = Arc<Mutex<HashMap<String, (f64, u64)>>>;

pub(crate) async fn measure() {
    let subscriptions = read_setting("ONWARD_BENCH_SUBSCRIPTIONS", SUBSCRIPTIONS);
    let length = Duration::from_secs(read_setting("ONWARD_BENCH_BUSY_SECONDS", SECONDS));
    println!("{subscriptions} busy subscriptions on {}", engine());
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::new(directory.path(), 1_000);
    let file = directory.path().join("onward.db").display().to_string();
    let url = settings.store.clone().unwrap_or(file).parse().unwrap();
    let node = Node::start(&settings).await;
    let tls = node.subscriber_tls();
    node.stop().await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    fill(&url, SUBSCRIBE, subscriptions, &[port.into(), now()]).await;
    run(&url, ADD_LANES, Vec::new()).await;
    run(&url, ADD_TYPES, Vec::new()).await;
    fill(&url, RECORD, EVENTS, &[now()]).await;
    let each = i64::try_from(EVENTS).unwrap();
    fill(&url, ENQUEUE, EVENTS * subscriptions, &[each, now() * 1000]).await;
    raise_own_limit(FILES);
    let received = Received::default();
    let receiving = tokio::spawn(receive(listener, tls, Arc::clone(&received)));
    let node = Node::start(&settings).await;
    node.raise_limit(FILES);
    sleep(length).await;
    report(&received.lock().unwrap(), subscriptions, length);
    println!("  the node used {:.1} s of CPU time", node.cpu_seconds());
    receiving.abort();
    node.stop().await;
}

/// Counts the requests by their paths, each of a subscription.
async fn receive(listener: TcpListener, tls: Arc<rustls::ServerConfig>, received: Received) {
    let acceptor = TlsAcceptor::from(tls);
    let begun = load::now();
    let mut connections = JoinSet::new();
    loop {
        let (stream, _peer) = listener.accept().await.unwrap();
        let (acceptor, received) = (acceptor.clone(), Arc::clone(&received));
        connections.spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let received = &received;
            let count = service_fn(|request: Request<Incoming>| async move {
                let path = request.uri().path().to_owned();
                if request.into_body().collect().await.is_ok() {
                    let first = (begun.elapsed().as_secs_f64(), 0);
                    received.lock().unwrap().entry(path).or_insert(first).1 += 1;
                }
                Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
            });
            let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), count);
            drop(serving.await);
        });
    }
}

fn report(received: &HashMap<String, (f64, u64)>, subscriptions: u64, length: Duration) {
    let counts = received.values().map(|(_first, count)| *count);
    let all: u64 = counts.clone().sum();
    println!("  {:.0} events a second", all as f64 / length.as_secs_f64());
    let missing = subscriptions - received.len() as u64;
    let last = received.values().map(|(first, _count)| *first);
    println!(
        "  {missing} received nothing; the last one received its first event after {:.1} s",
        last.fold(0.0, f64::max)
    );
    let (idlest, busiest) = (counts.clone().min(), counts.max());
    let (idlest, busiest) = (idlest.unwrap_or_default(), busiest.unwrap_or_default());
    let ratio = busiest as f64 / idlest as f64;
    let verdict = if missing == 0 && ratio <= RATIO_MAX {
        "within"
    } else {
        "PAST"
    };
    println!(
        "  the idlest received {idlest}, the busiest {busiest}, {ratio:.1} times as many: {verdict} the \
         bound of {RATIO_MAX}"
    );
}

/// Subscriptions of one API key. $3 is the port of their receiver, $4 the Unix time.
const SUBSCRIBE: &str = "insert into subscription (reference, api_key_id, participant_name, \
     callback_url, status, created_at, updated_at) \
     with recursive number (value) as (select cast($1 as bigint) union all \
     select value + 1 from number where value < $2) select 'busy-' || cast(value as text), \
     (select min(id) from api_key), 'busy', 'https://localhost:' || cast($3 as text) || '/' || \
     cast(value as text), 'active', $4, $4 from number";

const ADD_TYPES: &str = "insert into subscribed_type (subscription_id, event_type) \
     select id, 'milestone.updated' from subscription where participant_name = 'busy'";

const ADD_LANES: &str = "insert into lane (subscription_id, owner, lease_until, epoch, failures, \
     open_until) select id, '', 0, 0, 0, 0 from subscription where participant_name = 'busy'";

/// Events of current listings. $3 is the Unix time.
const RECORD: &str = "insert into event (event_id, event_type, listing_id, property_id, uprn, label, \
     date, recorded_at) with recursive number (value) as (select cast($1 as bigint) union all \
     select value + 1 from number where value < $2), sold (place, listing, property, uprn) as \
     (select row_number() over (order by p.id) - 1, p.current_listing_id, p.id, p.uprn \
     from property p where p.current_listing_id is not null) select 'busy-' || cast(value as text), \
     'milestone.updated', listing, property, uprn, 'SSTC', '2026-01-05', $3 \
     from number join sold on place = value";

/// Deliveries of all these events to all these subscriptions. $3 is the number of events, $4 the Unix time in
/// milliseconds.
const ENQUEUE: &str = "insert into delivery (subscription_id, event_row, property_id, state, \
     attempts, not_before, created_at) with recursive number (value) as (select cast($1 as bigint) \
     union all select value + 1 from number where value < $2), \
     first (subscription, event) as (select (select min(id) from subscription \
     where participant_name = 'busy'), (select min(id) from event where event_id like 'busy-%')) \
     select first.subscription + value / $3, e.id, e.property_id, 'waiting', 0, $4, $4 \
     from number cross join first join event e on e.id = first.event + value % $3";
