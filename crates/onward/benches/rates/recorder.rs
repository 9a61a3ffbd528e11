//! Records milestones; each causes one event with a number of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use jiff::civil::Date;
use serde_json::json;

use crate::agent::{Agent, Call};
use crate::connection::Connection;
use crate::load::{join_all, now};
use crate::process::Node;

/// The listings that take turns, each with a property.
const LISTINGS: usize = 1_000;
const WRITERS: usize = 32;
/// The types and dates that an event's number stands for: a type has so many days from the first one
/// that S-55 allows, and all of them lie in the past.
const TYPES: [&str; 4] = [
    "searches_ordered",
    "la_search_delivered",
    "environmental_search_delivered",
    "water_search_delivered",
];
const DAYS: u64 = 13_000;
const FIRST_DAY: Date = jiff::civil::date(1990, 1, 1);

/// A client that records the events of a complete run.
pub(crate) struct Recorder {
    agent: Agent,
    writers: Vec<Connection>,
    listings: Vec<i64>,
    next: u64,
}

/// An event, and the time of the answer that confirmed its recording.
#[derive(Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) number: u64,
    pub(crate) at: Instant,
}

/// The number of the event with this label of document 1 and this date, `YYYY-MM-DD`.
pub(crate) fn number_of(label: &str, date: &str) -> u64 {
    let key = chain::milestone::find_by_label(label).unwrap().key;
    let index = TYPES.iter().position(|known| *known == key).unwrap();
    let day: Date = date.parse().unwrap();
    let days = FIRST_DAY.duration_until(day).as_hours() / 24;
    index as u64 * DAYS + u64::try_from(days).unwrap()
}

impl Recorder {
    /// Gets an access token and creates the listings.
    pub(crate) async fn open(node: &Node) -> Self {
        let agent = Agent::open(node).await;
        let mut writers = Vec::new();
        for _writer in 0..WRITERS {
            writers.push(agent.connect().await);
        }
        let share = LISTINGS.div_ceil(WRITERS);
        let listing = writers.iter_mut().enumerate().map(|(number, writer)| {
            let agent = &agent;
            async move {
                let mut listed = Vec::new();
                for at in 0..share {
                    listed.push(agent.list(writer, number * share + at).await);
                }
                listed
            }
        });
        let listings = join_all(listing).await.into_iter().flatten().collect();
        Self {
            agent,
            writers,
            listings,
            next: 0,
        }
    }

    /// The number of events so far.
    pub(crate) fn count(&self) -> u64 {
        self.next
    }

    /// Records this many events as fast as the answers come.
    pub(crate) async fn record_at_once(&mut self, count: u64) -> Vec<Recorded> {
        self.record(count, None).await
    }

    /// Records events at a fixed rate, even while earlier answers are missing.
    pub(crate) async fn record_steadily(&mut self, rate: u64, length: Duration) -> Vec<Recorded> {
        let count = (rate as f64 * length.as_secs_f64()) as u64;
        self.record(count, Some(rate)).await
    }

    async fn record(&mut self, count: u64, rate: Option<u64>) -> Vec<Recorded> {
        let first = self.next;
        self.next += count;
        let counter = AtomicU64::new(0);
        let (agent, listings, counter) = (&self.agent, &self.listings, &counter);
        let begun = now();
        let writers = self.writers.iter_mut().map(|writer| async move {
            let mut recorded = Vec::new();
            loop {
                let index = counter.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return recorded;
                }
                if let Some(rate) = rate {
                    let due = begun + Duration::from_secs_f64(index as f64 / rate as f64);
                    tokio::time::sleep_until(due.into()).await;
                }
                let number = first + index;
                agent.send(writer, milestone(listings, number)).await;
                recorded.push(Recorded { number, at: now() });
            }
        });
        join_all(writers).await.into_iter().flatten().collect()
    }
}

fn milestone(listings: &[i64], number: u64) -> Call {
    let listing = listings[usize::try_from(number).unwrap() % listings.len()];
    let key = TYPES[usize::try_from(number / DAYS).unwrap()];
    let days = jiff::Span::new().days(i64::try_from(number % DAYS).unwrap());
    Call {
        method: Method::PUT,
        path: format!("/listing/{listing}/milestone/{key}"),
        body: Some(json!({ "date": FIRST_DAY.checked_add(days).unwrap().to_string() })),
    }
}
