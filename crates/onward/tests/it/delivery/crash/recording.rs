//! Milestones that are recorded through whichever node lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use serde_json::json;

use super::nodes::{Entrance, Entrances};
use crate::random::Random;

/// Key and label of what is recorded. The event of a fall through has no label.
const KINDS: [(&str, &str); 5] = [
    ("sstc", "SSTC"),
    ("mortgage_offered", "Mortgage Offered"),
    ("proposed_exchange", "Proposed Exchange"),
    ("exchange", "Exchange"),
    ("fall_through", ""),
];
const FIRST_DATE: Date = date(2001, 1, 1);
/// How long an answer may take before its outcome counts as unknown.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const PAUSE_BEFORE_REPEATING: Duration = Duration::from_millis(30);
/// The longest pause between two recordings.
const PAUSE_MILLISECONDS_MAX: usize = 320;

/// A recording that was acknowledged: listing, label and date. No other one has all three.
pub(super) type Recorded = (i64, &'static str, String);

/// Records on listings that nobody else records on, so that the order is known.
pub(super) struct Recorder {
    pub(super) entrances: Entrances,
    pub(super) http: reqwest::Client,
    /// The remainder that the numbers of its properties have in common.
    pub(super) share: i64,
    pub(super) listings: Vec<i64>,
    pub(super) random: Random,
    /// What was acknowledged, in order.
    pub(super) recorded: Vec<Recorded>,
    /// Requests of which nobody knows whether they were carried out.
    pub(super) unknown: usize,
}

impl Recorder {
    /// Records until it is asked to stop; nothing is left unknown then.
    pub(super) async fn work(mut self, is_over: Arc<AtomicBool>) -> Self {
        while !is_over.load(Ordering::SeqCst) {
            self.record().await;
            let pause = self
                .random
                .below(PAUSE_MILLISECONDS_MAX)
                .try_into()
                .unwrap();
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        self
    }

    /// Records one milestone. Where the answer is lost, the same is recorded again: that changes
    /// nothing if it was recorded before (S-38).
    pub(super) async fn record(&mut self) {
        let listing = *self.random.pick(&self.listings);
        let (key, label) = *self.random.pick(&KINDS);
        let days = i64::try_from(self.recorded.len()).unwrap();
        let date = FIRST_DATE.checked_add(days.days()).unwrap().to_string();
        let path = format!("/api/v1/listing/{listing}/milestone/{key}");
        loop {
            let living = self.entrances.lock().unwrap().clone();
            if !living.is_empty() {
                let entrance = self.random.pick(&living).clone();
                if self.try_once(&entrance, &path, &date).await {
                    break;
                }
            }
            tokio::time::sleep(PAUSE_BEFORE_REPEATING).await;
        }
        self.recorded.push((listing, label, date));
    }

    fn lives(&self, entrance: &Entrance) -> bool {
        let living = self.entrances.lock().unwrap();
        living.iter().any(|one| one.node == entrance.node)
    }

    async fn try_once(&mut self, entrance: &Entrance, path: &str, date: &str) -> bool {
        let request = self.http.put(format!("{}{path}", entrance.listing_url));
        let request = request
            .bearer_auth(&entrance.token)
            .json(&json!({"date": date}));
        match request.timeout(ANSWER_TIMEOUT).send().await {
            Ok(answer) => {
                let status = answer.status().as_u16();
                let is_gone = !self.lives(entrance);
                // A node that is too busy says so, and one that came back where another was killed
                // does not take the other's token; nothing else may be wrong.
                let is_right = [200, 503].contains(&status) || (is_gone && status == 401);
                assert!(is_right, "{status}: {path} {date}");
                status == 200
            }
            Err(_lost) => {
                self.unknown += 1;
                false
            }
        }
    }
}
