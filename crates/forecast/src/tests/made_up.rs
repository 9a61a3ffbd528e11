//! Made-up tables and sales for tests.

use std::sync::LazyLock;

use chain::ids::ListingId;
use chain::listing::Tenure;
use chain::milestone::{CATALOGUE, find_by_key};
use jiff::civil::date;
use proptest::prelude::*;

use crate::counts::{Counts, CountsRow, Stratum};
use crate::day::Day;
use crate::durations::DurationCounts;
use crate::sale::Sale;
use crate::step::Step;
use crate::tables::Tables;

/// The day on which all tests look at their chains.
pub(super) fn today() -> Day {
    Day::from(date(2026, 11, 21))
}

/// Tables of many shapes: steps that take days or months, with and without long tails.
pub(super) static ANY_TABLES: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let tables = (1..=10).map(|seed| Tables::new(any_counts(&mut Numbers(seed))));
    tables.collect()
});

/// Pseudo-random numbers, the same in every run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(bound)).unwrap()
    }
}

fn any_counts(numbers: &mut Numbers) -> Counts {
    let mut rows = Vec::new();
    for step in Step::ALL {
        for stratum in Stratum::ALL {
            // Some strata have too few cases, and take the table of all sales.
            let cases = if stratum == Stratum::All {
                200
            } else {
                20 + numbers.below(60)
            };
            let (shortest, spread) = (numbers.below(20), 1 + numbers.below(60));
            let (tail, open) = (numbers.below(60), numbers.below(40));
            let mut counts = DurationCounts::default();
            for _ in 0..cases {
                let is_stalled = numbers.below(100) < tail;
                let stall = if is_stalled { numbers.below(300) } else { 0 };
                let days = shortest + numbers.below(spread) + stall;
                counts.add(days, numbers.below(100) >= open);
            }
            if stratum == Stratum::All {
                (0..30).for_each(|days| counts.add(days, true));
            }
            rows.push(CountsRow {
                series: step.key().to_owned(),
                stratum: stratum.as_str().to_owned(),
                counts: counts.to_string(),
            });
        }
    }
    let mut ready = DurationCounts::default();
    (0..200).for_each(|_| ready.add(60 + numbers.below(200), numbers.below(100) > 10));
    rows.push(CountsRow {
        series: "ready".to_owned(),
        stratum: String::new(),
        counts: ready.to_string(),
    });
    Counts::from_rows(&rows).unwrap()
}

/// A sale as proptest draws it.
#[derive(Debug, Clone)]
pub(super) struct DrawnSale {
    agreed_ago: i32,
    tenure: Option<Tenure>,
    /// For each type of the catalogue: 0 leaves it out, 1 excludes it, 2 records it without a date, and
    /// more records it.
    states: Vec<u8>,
    /// The days ago of each type, before and after SSTC.
    ago: Vec<i32>,
}

impl Arbitrary for DrawnSale {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> BoxedStrategy<Self> {
        let tenure = prop_oneof![
            Just(None),
            Just(Some(Tenure::Freehold)),
            Just(Some(Tenure::Leasehold)),
        ];
        let length = CATALOGUE.len();
        // How much of the sale is done differs from sale to sale.
        let states = (1..30_u8).prop_flat_map(move |most| {
            proptest::collection::vec(0..40_u8, length).prop_map(move |drawn| {
                drawn
                    .into_iter()
                    .map(|one| one.saturating_sub(most))
                    .collect()
            })
        });
        let ago = proptest::collection::vec(-60..400_i32, length);
        (0..400_i32, tenure, states, ago)
            .prop_map(|(agreed_ago, tenure, states, ago)| Self {
                agreed_ago,
                tenure,
                states,
                ago,
            })
            .boxed()
    }
}

/// A chain of drawn sales, each with a buyer, none exchanged or fallen through.
pub(super) fn draw_chain(drawn: &[DrawnSale]) -> Vec<Sale> {
    let numbered = (1..).zip(drawn);
    numbered
        .map(|(number, drawn)| draw_sale(ListingId(number), drawn))
        .collect()
}

fn draw_sale(listing: ListingId, drawn: &DrawnSale) -> Sale {
    let mut sale = Sale::new(listing, drawn.tenure);
    for ((milestone, state), ago) in CATALOGUE.iter().zip(&drawn.states).zip(&drawn.ago) {
        if ["exchange", "completion", "fall_through"].contains(&milestone.key) {
            continue;
        }
        let is_future = *ago < 0 && !milestone.is_expected();
        let ago = if is_future { -*ago } else { *ago };
        let day = today().plus(-ago);
        match state {
            0 => {}
            1 => sale.record(milestone, Some(day.date()), true),
            2 => sale.record(milestone, None, false),
            3.. => sale.record(milestone, Some(day.date()), false),
        }
    }
    let agreed = today().plus(-drawn.agreed_ago).date();
    sale.record(find_by_key("sstc").unwrap(), Some(agreed), false);
    sale
}

/// A sale with these milestones: the key, and the days before today.
pub(super) fn sale(listing: i64, tenure: Option<Tenure>, marks: &[(&str, i32)]) -> Sale {
    let mut sale = Sale::new(ListingId(listing), tenure);
    for (key, ago) in marks {
        let milestone = find_by_key(key).unwrap();
        sale.record(milestone, Some(today().plus(-ago).date()), false);
    }
    sale
}
