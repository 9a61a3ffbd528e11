//! How long the steps of a sale take.

use std::ops::RangeInclusive;

use super::random::Random;

/// The pace of a sale.
#[derive(Debug, Clone)]
pub(super) enum Pace {
    /// Each number of days between two bounds is as likely as another.
    Even,
    /// Most steps take about their usual days, a few take several times as long, and some stall.
    LongTailed {
        /// How long the steps of this chain take, in percent of the usual days.
        percent: i32,
        /// The numbers of this pace. The numbers of the sample stay the same with either pace, so its
        /// properties and chains stay the same too.
        own: Random,
    },
}

impl Pace {
    /// Draws the pace of a chain with long tails: its sales are slow or quick together.
    pub(super) fn long_tailed(paces: &mut Random) -> Self {
        let mut own = Random::new(paces.below(u64::MAX));
        Self::LongTailed {
            percent: own.between(70, 130),
            own,
        }
    }

    /// The pace of another sale of the same chain.
    pub(super) fn of_next_sale(&mut self) -> Self {
        match self {
            Self::Even => Self::Even,
            Self::LongTailed { percent, own } => Self::LongTailed {
                percent: *percent,
                own: Random::new(own.below(u64::MAX)),
            },
        }
    }

    /// Draws the days of a step that usually takes `usual` days.
    pub(super) fn days(&mut self, random: &mut Random, usual: RangeInclusive<i32>) -> i32 {
        let (low, high) = usual.into_inner();
        let even = random.between(low, high);
        match self {
            Self::Even => even,
            Self::LongTailed { percent, own } => {
                let place = own.index(PERCENTS.len() - 1);
                let drawn = own.between(PERCENTS[place], PERCENTS[place + 1]);
                let stalled = if own.chance(STALLS_PER_THOUSAND) {
                    own.between(STALL_DAYS[0], STALL_DAYS[1])
                } else {
                    0
                };
                (low + high) * drawn * *percent / 20_000 + stalled
            }
        }
    }
}

/// The quantiles of a step's days in twentieths, in percent of its usual days: a log-normal
/// distribution, cut at both ends. Whole numbers give the same sample on every machine.
const PERCENTS: [i32; 21] = [
    20, 38, 48, 55, 62, 68, 74, 80, 86, 93, 100, 108, 116, 125, 135, 147, 162, 181, 208, 257, 400,
];

const STALLS_PER_THOUSAND: u64 = 25;
const STALL_DAYS: [i32; 2] = [20, 120];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tails_keep_the_middle() {
        let mut random = Random::new(1);
        let mut pace = Pace::LongTailed {
            percent: 100,
            own: Random::new(2),
        };
        let mut days: Vec<i32> = (0..10_000)
            .map(|_| pace.days(&mut random, 14..=60))
            .collect();
        days.sort_unstable();
        assert!((35..=40).contains(&days[5_000]), "{}", days[5_000]);
        assert!((70..=110).contains(&days[9_500]), "{}", days[9_500]);
        assert!(
            days[0] >= 7 && days[9_999] > 150,
            "{} {}",
            days[0],
            days[9_999]
        );
    }
}
