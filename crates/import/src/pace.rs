//! How many rows a batch takes, by the time that the last one took.

use std::time::Duration;

use crate::limits::{
    IMPORT_BATCH_ROWS, IMPORT_BATCH_ROWS_FIRST, IMPORT_BATCH_ROWS_MIN, IMPORT_BATCH_TIME,
};

/// The pace of an import.
#[derive(Debug)]
pub(crate) struct Pace {
    rows: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            rows: IMPORT_BATCH_ROWS_FIRST,
        }
    }
}

impl Pace {
    /// The rows of the next batch.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Notes how long a batch of so many rows took.
    pub(crate) fn note(&mut self, rows: usize, took: Duration) {
        let wanted = IMPORT_BATCH_TIME.as_micros();
        let took = took.as_micros().max(1);
        // A batch that was cheap by chance must not make the next one much longer.
        let fitting = (rows as u128 * wanted / took).min(2 * self.rows as u128);
        let fitting = usize::try_from(fitting).unwrap_or(IMPORT_BATCH_ROWS);
        // The last batch of a file may be short, and tells nothing then.
        if rows >= self.rows || fitting < self.rows {
            self.rows = fitting.clamp(IMPORT_BATCH_ROWS_MIN, IMPORT_BATCH_ROWS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the next batch after these batches of the wanted number of rows, which took this
    /// many microseconds a row.
    fn check(costs: &[u64], expected: usize) {
        let mut pace = Pace::default();
        for cost in costs {
            let rows = pace.rows();
            pace.note(rows, Duration::from_micros(cost * rows as u64));
        }
        assert_eq!(pace.rows(), expected, "{costs:?}");
    }

    #[test]
    fn a_batch_takes_as_many_rows_as_fit_into_its_time() {
        check(&[], IMPORT_BATCH_ROWS_FIRST);
        check(&[100], 400);
        check(&[40], 1000);
        check(&[1], 1000);
        check(&[1, 1, 1], IMPORT_BATCH_ROWS);
        check(&[1, 1, 200], 200);
        check(&[1_000_000], IMPORT_BATCH_ROWS_MIN);
        check(&[0], 1000);
    }

    #[test]
    fn a_short_batch_makes_no_batch_longer() {
        let mut pace = Pace::default();
        pace.note(3, Duration::from_micros(3));
        assert_eq!(pace.rows(), IMPORT_BATCH_ROWS_FIRST);
        pace.note(3, Duration::from_secs(3));
        assert_eq!(pace.rows(), IMPORT_BATCH_ROWS_MIN);
    }
}
