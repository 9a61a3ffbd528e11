//! The chances that something is done within 0, 1, 2 … days from today.

/// The days of the grid. Later days share one place, so a chance of "later" remains.
pub const GRID_DAYS: usize = 365;

/// For each day of the grid, the chance that something is done by then: it never falls.
///
/// Every operation keeps the order of its arguments: where one distribution is nowhere below
/// another, its result is nowhere below the other's, to the last bit. Sums and products of numbers
/// that are not negative round in the same direction. So forecasts never move by rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    chances: Vec<f64>,
}

impl Distribution {
    /// Done today.
    pub fn done() -> Self {
        Self {
            chances: vec![1.0; GRID_DAYS],
        }
    }

    /// A distribution of chances by day.
    pub(crate) fn from_chances(chance: impl Fn(usize) -> f64) -> Self {
        Self {
            chances: (0..GRID_DAYS).map(chance).collect(),
        }
    }

    /// The chance of being done by a day of the grid. It is 1 beyond the grid.
    pub fn chance_by(&self, day: usize) -> f64 {
        self.chances.get(day).copied().unwrap_or(1.0)
    }

    /// The first day by which the chance is at least `share`; `None` beyond the grid.
    pub fn quantile(&self, share: f64) -> Option<u32> {
        let day = self.chances.iter().position(|chance| *chance >= share)?;
        u32::try_from(day).ok()
    }

    /// Both are done, and neither depends on the other.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (chance, other) in self.chances.iter_mut().zip(&other.chances) {
            *chance *= *other;
        }
        self
    }

    /// Makes this nowhere earlier than another one.
    pub fn delay_to(&mut self, other: &Self) {
        for (chance, other) in self.chances.iter_mut().zip(&other.chances) {
            *chance = chance.min(*other);
        }
    }

    /// This, and then something that takes the days of `next`.
    #[must_use]
    pub fn then(&self, next: &Shares) -> Self {
        let mut chances = vec![0.0; GRID_DAYS];
        for (days, share) in next.0.iter().enumerate() {
            if *share > 0.0 {
                let later = chances.iter_mut().skip(days);
                for (sum, chance) in later.zip(&self.chances) {
                    *sum += share * chance;
                }
            }
        }
        // Many rounded shares may come to a little more than 1.
        for chance in &mut chances {
            *chance = chance.min(1.0);
        }
        Self { chances }
    }

    /// The share of each day.
    pub fn shares(&self) -> Shares {
        let mut before = 0.0;
        let shares = self.chances.iter().map(|chance| {
            let share = (chance - before).max(0.0);
            before = *chance;
            share
        });
        Shares(shares.collect())
    }

    /// The same spread around another median, in days from today. Days before today become today.
    #[must_use]
    pub fn around(&self, median: u32) -> Self {
        let last = GRID_DAYS - 1;
        let usual = self.quantile(0.5).map_or(last, |day| day as usize);
        let median = (median as usize).min(last);
        Self::from_chances(|day| {
            let at = (day + usual).checked_sub(median);
            at.map_or(0.0, |at| self.chances[at.min(last)])
        })
    }
}

/// The share of each day of the grid, which together come to at most 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares(Vec<f64>);

impl Shares {
    /// The shares from a day of the grid on.
    pub(crate) fn from(&self, day: usize) -> &[f64] {
        self.0.get(day..).unwrap_or_default()
    }

    /// The share of a day; beyond the grid, the share of all later days.
    pub(crate) fn of(&self, day: usize) -> f64 {
        match self.0.get(day) {
            Some(share) => *share,
            None => (1.0 - self.0.iter().sum::<f64>()).max(0.0),
        }
    }
}
