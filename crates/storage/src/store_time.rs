//! The time that a store knows, with which a node compares its own clock.

/// The time that a store knows, in Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreTime {
    /// The database server's time.
    At(i64),
    /// A program noted this time in the file, so it is not earlier now.
    NotBefore(i64),
}

/// A clock to compare with the store's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnTime {
    /// What the clock shows, in Unix milliseconds.
    pub now: i64,
    /// Whether the time that a file keeps is replaced by this one, even by an earlier one.
    pub is_trusted: bool,
}

impl StoreTime {
    /// How far a clock is ahead of the store, in milliseconds, and behind it if negative. The clock
    /// showed these two times when the program asked the store, and when the store had answered.
    pub fn lead_of(self, asked_at: i64, answered_at: i64) -> i64 {
        match self {
            Self::At(time) | Self::NotBefore(time) if time > answered_at => answered_at - time,
            Self::At(time) if time < asked_at => asked_at - time,
            Self::At(_) | Self::NotBefore(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_answer_is_no_difference() {
        for (store, lead) in [
            (StoreTime::At(1_500), 0),
            (StoreTime::At(900), 100),
            (StoreTime::At(2_300), -300),
            (StoreTime::NotBefore(900), 0),
            (StoreTime::NotBefore(2_300), -300),
        ] {
            assert_eq!(store.lead_of(1_000, 2_000), lead, "{store:?}");
        }
    }
}
