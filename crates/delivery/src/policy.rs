//! The published retry policy: decides what follows an attempt (S-35, S-36).
//!
//! Times and durations are in milliseconds.

use storage::attempts::Next;
use storage::lanes::Health;

/// The pause after each failed attempt. After the last pause the eleventh attempt
/// follows, and it is the last.
pub const PAUSES: [i64; 10] = [
    5_000,
    30_000,
    120_000,
    600_000,
    1_800_000,
    3_600_000,
    3 * 3_600_000,
    6 * 3_600_000,
    12 * 3_600_000,
    24 * 3_600_000,
];
/// A pause grows at random by up to this share, so that deliveries that failed together are retried
/// at different times.
const JITTER: f64 = 0.2;
/// Failures in a row after which the lane pauses for all its deliveries.
const FAILURES_BEFORE_PAUSE: i64 = 5;
/// The first pause of a lane; each further failure doubles it.
const LANE_PAUSE_MIN: i64 = 15_000;
const LANE_PAUSE_MAX: i64 = 900_000;
/// How long a lane pauses after an event that could not be signed.
const OWN_PAUSE: i64 = 1_000;
/// A subscription is disabled after this long without a success.
pub const FAILING_MAX: i64 = 5 * 24 * 3_600_000;
/// So many attempts must have failed meanwhile: one failed event days ago says little about the receiver today.
pub const FAILURES_BEFORE_DISABLING: i64 = 10;

/// The facts of an attempt that the policy decides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptOutcome {
    /// HTTP status, if an answer came.
    pub status: Option<u16>,
    /// Whether the event was delivered: a complete answer with any 2xx status.
    pub is_success: bool,
    /// Whether nothing was sent because the event could not be signed.
    pub is_own_fault: bool,
    /// The wait that the subscriber asked for with `Retry-After`, bounded.
    pub retry_after: Option<i64>,
    /// When the attempt ended.
    pub ended_at: i64,
}

/// Why a subscription is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disabling {
    /// The subscriber answered 410.
    Gone,
    /// Every attempt failed for five days, and at least ten did.
    Failing,
}

impl Disabling {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::Gone, Self::Failing];

    /// The word in the store and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

impl AttemptOutcome {
    /// Decides what happens to the delivery after attempt `number`, counted from 1. `chance` is
    /// from 0 to 1.
    pub fn next(&self, number: i64, chance: f64) -> Next {
        if self.is_success {
            return Next::Delivered;
        }
        if self.is_own_fault {
            return Next::Retry(self.ended_at + lengthen(PAUSES[0], chance));
        }
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        let Some(pause) = PAUSES.get(index) else {
            return Next::Failed;
        };
        let asked = self.retry_after.unwrap_or(0);
        Next::Retry(self.ended_at + lengthen(*pause, chance).max(asked))
    }

    /// The lane's health after this attempt. An attempt that ends within a pause neither ends nor
    /// lengthens it, unless its answer asks for that.
    pub fn health(&self, before: &Health) -> Health {
        if self.is_own_fault {
            return Health {
                paused_until: before.paused_until.max(self.ended_at + OWN_PAUSE),
                ..*before
            };
        }
        if self.is_success {
            return Health {
                paused_until: before.paused_until,
                ..Health::default()
            };
        }
        let is_paused = before.paused_until > self.ended_at;
        let failures = before.failures + i64::from(!is_paused);
        let over = failures - FAILURES_BEFORE_PAUSE;
        let pause = if is_paused || over < 0 {
            0
        } else {
            let doubled = LANE_PAUSE_MIN << u32::try_from(over.min(16)).unwrap_or(16);
            doubled.min(LANE_PAUSE_MAX)
        };
        // A `Retry-After` pauses all events of the subscriber.
        let asked = self.retry_after.unwrap_or(0);
        Health {
            failures,
            failing_since: before.failing_since.or(Some(self.ended_at)),
            paused_until: before.paused_until.max(self.ended_at + pause.max(asked)),
        }
    }

    /// Why the subscription is disabled now, if it is. `health` is the health after this attempt.
    pub fn disabling(&self, health: &Health) -> Option<Disabling> {
        if self.status == Some(410) {
            return Some(Disabling::Gone);
        }
        let says_nothing = self.is_success || self.is_own_fault;
        let is_often = health.failures >= FAILURES_BEFORE_DISABLING;
        let since = health.failing_since.filter(|_| is_often && !says_nothing)?;
        (self.ended_at - since >= FAILING_MAX).then_some(Disabling::Failing)
    }
}

/// The number of deliveries that may be under way at once on a lane: one after failures, doubled by
/// each success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    size: usize,
    max: usize,
}

impl Window {
    /// The window of a lane in this health.
    pub fn new(health: &Health, max: usize) -> Self {
        let max = max.max(1);
        let size = if is_troubled(health) { 1 } else { max };
        Self { size, max }
    }

    /// The number of deliveries.
    pub fn size(self) -> usize {
        self.size
    }

    /// Adjusts the window to an attempt and to the lane's health after it.
    pub fn note(&mut self, is_success: bool, health: &Health) {
        if is_troubled(health) {
            self.size = 1;
        } else if is_success {
            self.size = (self.size * 2).min(self.max);
        }
    }
}

fn is_troubled(health: &Health) -> bool {
    health.failures >= FAILURES_BEFORE_PAUSE
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a pause of a day has few digits"
)]
fn lengthen(pause: i64, chance: f64) -> i64 {
    pause + (pause as f64 * JITTER * chance.clamp(0.0, 1.0)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000;
    const PAGE: &str = include_str!("../../../docs/webhooks.md");

    /// The pauses in the table of the published page, in seconds.
    fn published_pauses() -> Vec<i64> {
        let mut rows = PAGE.lines();
        let row = rows.find_map(|line| line.strip_prefix("| Onward tries again after |"));
        let cells = row.unwrap().trim().trim_end_matches('|').split('|');
        let seconds = cells.map(|cell| {
            let (number, unit) = cell.trim().split_once(' ').unwrap();
            let unit = match unit {
                "s" => 1,
                "min" => 60,
                "h" => 3600,
                other => panic!("{other} is no unit of the table"),
            };
            number.parse::<i64>().unwrap() * unit
        });
        seconds.collect()
    }

    fn answered(status: u16) -> AttemptOutcome {
        AttemptOutcome {
            status: Some(status),
            is_success: (200..300).contains(&status),
            is_own_fault: false,
            retry_after: None,
            ended_at: NOW,
        }
    }

    #[test]
    fn the_schedule_is_that_of_s_35_and_of_the_page() {
        let seconds = published_pauses();
        assert_eq!(seconds.len(), 10);
        for (number, pause) in (1..).zip(seconds) {
            let shortest = answered(500).next(number, 0.0);
            assert_eq!(shortest, Next::Retry(NOW + pause * 1000));
            let longest = answered(500).next(number, 1.0);
            assert_eq!(longest, Next::Retry(NOW + pause * 1200));
        }
        assert_eq!(answered(500).next(11, 0.5), Next::Failed);
        assert_eq!(answered(204).next(11, 0.5), Next::Delivered);
    }

    #[test]
    fn retry_after_lengthens_a_pause() {
        let asks = |milliseconds| AttemptOutcome {
            retry_after: Some(milliseconds),
            ..answered(429)
        };
        assert_eq!(asks(60_000).next(1, 0.0), Next::Retry(NOW + 60_000));
        assert_eq!(asks(1_000).next(1, 0.0), Next::Retry(NOW + 5_000));
        let health = asks(60_000).health(&Health::default());
        assert_eq!(health.paused_until, NOW + 60_000);
    }

    #[test]
    fn a_lane_pauses_after_five_failures_and_longer_with_each() {
        let mut health = Health::default();
        let mut pauses = Vec::new();
        let mut now = NOW;
        for _failure in 0..13 {
            let failed = AttemptOutcome {
                ended_at: now,
                ..answered(500)
            };
            health = failed.health(&health);
            pauses.push((health.paused_until - now) / 1000);
            if health.paused_until > now {
                // What ends during the pause was under way before.
                assert_eq!(failed.health(&health), health);
            }
            now = health.paused_until;
        }
        let expected = [0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900];
        assert_eq!(pauses, expected);
        assert_eq!(health.failing_since, Some(NOW));
        let well = answered(200).health(&health);
        assert_eq!((well.failures, well.failing_since), (0, None));
    }

    #[test]
    fn what_was_under_way_does_not_end_a_pause() {
        let asked = AttemptOutcome {
            retry_after: Some(60_000),
            ..answered(429)
        };
        let paused = asked.health(&Health::default());
        assert_eq!(answered(200).health(&paused).paused_until, NOW + 60_000);
        let longer = AttemptOutcome {
            retry_after: Some(90_000),
            ..answered(429)
        };
        assert_eq!(longer.health(&paused).paused_until, NOW + 90_000);
    }

    #[test]
    fn the_subscriber_does_not_answer_for_what_is_no_fault_of_its() {
        let unsigned = AttemptOutcome {
            status: None,
            is_own_fault: true,
            ..answered(500)
        };
        let troubled = Health {
            failures: 4,
            failing_since: Some(0),
            paused_until: 0,
        };
        let paused = Health {
            paused_until: NOW + 1_000,
            ..troubled
        };
        assert_eq!(unsigned.health(&troubled), paused);
        assert_eq!(unsigned.next(11, 0.0), Next::Retry(NOW + 5_000));
        let long = Health {
            failures: FAILURES_BEFORE_DISABLING,
            failing_since: Some(NOW - FAILING_MAX),
            ..troubled
        };
        assert_eq!(unsigned.disabling(&long), None);
    }

    #[test]
    fn gone_disables_at_once_and_failures_after_five_days() {
        let failing = |since| Health {
            failures: FAILURES_BEFORE_DISABLING,
            failing_since: Some(since),
            paused_until: 0,
        };
        let health = Health::default();
        assert_eq!(answered(410).disabling(&health), Some(Disabling::Gone));
        assert_eq!(
            answered(500).disabling(&failing(NOW - FAILING_MAX + 1)),
            None
        );
        let long = failing(NOW - FAILING_MAX);
        assert_eq!(answered(500).disabling(&long), Some(Disabling::Failing));
        assert_eq!(answered(200).disabling(&long), None);
        let few = Health {
            failures: FAILURES_BEFORE_DISABLING - 1,
            ..long
        };
        assert_eq!(answered(500).disabling(&few), None);
    }

    #[test]
    fn a_lane_comes_back_slowly() {
        let troubled = Health {
            failures: 5,
            failing_since: Some(0),
            paused_until: 0,
        };
        let mut window = Window::new(&troubled, 8);
        let mut sizes = vec![window.size()];
        for _success in 0..4 {
            window.note(true, &Health::default());
            sizes.push(window.size());
        }
        window.note(false, &troubled);
        sizes.push(window.size());
        assert_eq!(sizes, [1, 2, 4, 8, 8, 1]);
        assert_eq!(Window::new(&Health::default(), 8).size(), 8);
    }
}
