//! A sandbox that does whatever the contract allows and few clients expect (`--pedantic`).
//!
//! `calls` disturbs the calls of clients, and `background` rotates keys and sends old events again.

use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use generate::random::Random;
use outbound::client::{Disturbance, Disturbed};

pub(crate) mod background;
pub(super) mod calls;
mod member_order;

/// One call of so many is refused, one is slow, one event is late, and one answer of a subscriber is lost.
const CALLS_TO_REFUSAL: RangeInclusive<i32> = 10..=30;
const CALLS_TO_SLOW_ANSWER: RangeInclusive<i32> = 3..=10;
const ATTEMPTS_TO_LATE_EVENT: RangeInclusive<i32> = 2..=4;
const ATTEMPTS_TO_LOST_ANSWER: RangeInclusive<i32> = 3..=8;
/// How slow a slow answer is, and how late a late event.
const SLOW_MILLISECONDS: RangeInclusive<i32> = 200..=2_500;
const LATE_MILLISECONDS: RangeInclusive<i32> = 200..=3_000;
/// A client renews tokens of this lifetime in three minutes as often as usual ones in an hour.
pub(super) const TOKEN_LIFETIME_SECONDS: i64 = 60;

/// Draws what goes wrong next. The same seed gives the same choices in the same order.
#[derive(Debug)]
pub struct Pedantry {
    /// The seed of all choices.
    pub seed: u64,
    choices: Mutex<Choices>,
}

/// Calls, attempts and the background have choices of their own, so that none depends on the others.
#[derive(Debug)]
struct Choices {
    calls: Random,
    attempts: Random,
    background: Random,
    refusal: Countdown,
    slow_answer: Countdown,
    late_event: Countdown,
    lost_answer: Countdown,
}

/// Counts the calls until something goes wrong.
#[derive(Debug)]
struct Countdown {
    range: RangeInclusive<i32>,
    left: i32,
}

impl Countdown {
    fn new(range: RangeInclusive<i32>) -> Self {
        Self { range, left: 0 }
    }

    /// Whether it goes wrong now. It never does so twice in a row.
    fn is_over(&mut self, random: &mut Random) -> bool {
        if self.left == 0 {
            self.left = random.between(*self.range.start(), *self.range.end());
        }
        self.left -= 1;
        self.left == 0
    }
}

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DisturbedCall {
    delay: Duration,
    is_refused: bool,
    /// Whether the refusal is 429, and not 503.
    is_rate_limited: bool,
    /// The seed of the order of members.
    order: u64,
}

impl Pedantry {
    /// Begins with the first choice of this seed.
    pub fn new(seed: u64) -> Self {
        let choices = Choices {
            calls: Random::new(seed),
            attempts: Random::new(seed.wrapping_add(1)),
            background: Random::new(seed.wrapping_add(2)),
            refusal: Countdown::new(CALLS_TO_REFUSAL),
            slow_answer: Countdown::new(CALLS_TO_SLOW_ANSWER),
            late_event: Countdown::new(ATTEMPTS_TO_LATE_EVENT),
            lost_answer: Countdown::new(ATTEMPTS_TO_LOST_ANSWER),
        };
        Self {
            seed,
            choices: Mutex::new(choices),
        }
    }

    fn draw<T>(&self, choose: impl FnOnce(&mut Choices) -> T) -> T {
        let choices = self.choices.lock();
        choose(&mut choices.unwrap_or_else(PoisonError::into_inner))
    }

    fn draw_call(&self) -> DisturbedCall {
        self.draw(|choices| {
            let random = &mut choices.calls;
            let is_slow = choices.slow_answer.is_over(random);
            DisturbedCall {
                delay: draw_milliseconds(random, &SLOW_MILLISECONDS) * u32::from(is_slow),
                is_refused: choices.refusal.is_over(random),
                is_rate_limited: random.chance(500),
                order: random.below(u64::MAX),
            }
        })
    }
}

impl Disturbance for Pedantry {
    /// Only first answers are lost, because the pauses after further failures are long (S-35).
    fn draw_attempt(&self, number: u32) -> Disturbed {
        self.draw(|choices| {
            let random = &mut choices.attempts;
            let is_late = choices.late_event.is_over(random);
            Disturbed {
                delay: draw_milliseconds(random, &LATE_MILLISECONDS) * u32::from(is_late),
                loses_answer: number == 1 && choices.lost_answer.is_over(random),
            }
        })
    }
}

fn draw_milliseconds(random: &mut Random, range: &RangeInclusive<i32>) -> Duration {
    let drawn = random.between(*range.start(), *range.end());
    Duration::from_millis(u64::from(drawn.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_choices() {
        let draw = |seed| {
            let pedantry = Pedantry::new(seed);
            let draws = (0..100).map(|_| (pedantry.draw_call(), pedantry.draw_attempt(1)));
            draws.collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn each_kind_of_trouble_comes_now_and_then_and_never_twice_in_a_row() {
        let pedantry = Pedantry::new(7);
        let calls: Vec<_> = (0..1_000).map(|_| pedantry.draw_call()).collect();
        let attempts: Vec<_> = (0..1_000).map(|_| pedantry.draw_attempt(1)).collect();
        let check = |trouble: Vec<bool>, expected: RangeInclusive<usize>| {
            let count = trouble.iter().filter(|is_there| **is_there).count();
            assert!(expected.contains(&count), "{count}");
            assert!(!trouble.windows(2).any(|pair| pair[0] && pair[1]));
        };
        let refused = |call: &DisturbedCall| call.is_refused;
        check(calls.iter().map(refused).collect(), 33..=100);
        check(
            calls.iter().map(|call| !call.delay.is_zero()).collect(),
            100..=333,
        );
        check(
            attempts.iter().map(|one| !one.delay.is_zero()).collect(),
            250..=500,
        );
        check(
            attempts.iter().map(|one| one.loses_answer).collect(),
            125..=333,
        );
        let limited = calls
            .iter()
            .filter(|call| refused(call) && call.is_rate_limited);
        assert!((10..=60).contains(&limited.count()));
        let latest = attempts.iter().map(|one| one.delay).max();
        assert!((2..=3).contains(&latest.unwrap_or_default().as_secs()));
    }

    #[test]
    fn only_the_first_answer_to_an_event_is_lost() {
        let pedantry = Pedantry::new(7);
        let mut later = (0..1_000).map(|_| pedantry.draw_attempt(2));
        assert!(!later.any(|one| one.loses_answer));
    }
}
