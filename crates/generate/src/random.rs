//! The random numbers of a sample: `SplitMix64`, equal for equal seeds on every machine.

/// `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014). It is small and fast, passes the usual test batteries, and gives the same sample with any
/// version of any library. It is predictable, so nothing secret may depend on it.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Makes a generator. Its sequence follows from `seed` alone.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Draws a number from 0 to `bound - 1`; 0 when `bound` is 0.
    ///
    /// The multiply-and-shift reduction has a bias below `bound / 2^64`, which no sample can show.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next_number()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Draws a number from `low` to `high`, both included; `low` when `low` exceeds `high`.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        let span = u64::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(0);
        i32::try_from(self.below(span)).map_or(low, |offset| low.saturating_add(offset))
    }

    /// Returns true in `per_thousand` of 1,000 cases.
    pub fn chance(&mut self, per_thousand: u64) -> bool {
        self.below(1_000) < per_thousand
    }

    /// Picks one of `choices`; `None` only when it is empty.
    pub(super) fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.index(choices.len()))
    }

    /// Draws a position from 0 to `length - 1`; 0 when `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        let bound = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(bound)).unwrap_or(0)
    }

    fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        mix(self.state)
    }
}

/// Scatters the bits of `number`: close numbers give unrelated results.
pub(super) const fn mix(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
