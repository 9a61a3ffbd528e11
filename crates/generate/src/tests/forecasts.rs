//! Forecasts that are learned from a sample with a history, as a sandbox learns them.

use chain::ids::{ChainId, ListingId};
use forecast::day::Day;
use forecast::figures::{FiguresRow, sum_up};
use forecast::gathering::Gathering;
use forecast::prediction::Correction;
use forecast::sale::Sale;
use forecast::track::PastForecast;
use jiff::ToSpan;

use super::*;

/// The forecasts that a new sandbox makes for past days, on the day after its sample.
fn past_forecasts(seed: u64) -> Vec<PastForecast> {
    let options = GenerateOptions {
        history: Some(History {
            days: 900,
            listings: Some(1_600),
        }),
        ..made_up(2_600, seed)
    };
    let loaded = Loaded::new(&write(&options).0);
    let mut gathering = Gathering::new(Day::from(AS_OF.saturating_add(1.day())), true);
    for (number, chain) in loaded.chains().iter().enumerate() {
        let sales: Vec<Sale> = chain.iter().map(|at| sale(&loaded, *at)).collect();
        let scattered = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        let id = u128::try_from(number).unwrap().wrapping_mul(scattered);
        gathering.add(ChainId(uuid::Uuid::from_u128(id)), &sales);
    }
    let made = gathering.finish(&[]).forecasts.into_iter();
    made.map(|new| new.forecast).collect()
}

fn sale(loaded: &Loaded, number: usize) -> Sale {
    let listing = ListingId(i64::try_from(number).unwrap());
    let mut sale = Sale::new(listing, loaded.listings[number].tenure);
    for row in loaded.milestones.get(&number).into_iter().flatten() {
        sale.record(row.milestone_type, Some(row.date), false);
    }
    sale
}

/// The error of all these forecasts together.
fn error_of(past: &[PastForecast]) -> FiguresRow {
    *sum_up(past).rows.last().unwrap()
}

#[test]
fn a_sandbox_shows_forecasts_that_are_right() {
    let mut corrected = Vec::new();
    for seed in 1..=4 {
        let past = past_forecasts(seed);
        assert_eq!(sum_up(&past).silence, None, "seed {seed}");
        corrected.extend(past);
    }
    // The first forecasts have nothing to learn from.
    corrected.retain(|one| one.correction != Correction::default());
    let uncorrected = corrected.iter().map(|one| PastForecast {
        correction: Correction::default(),
        ..*one
    });
    let (before, now) = (
        error_of(&uncorrected.collect::<Vec<_>>()),
        error_of(&corrected),
    );
    assert!(now.number > 1_000, "{now:?}");
    assert!((77..=87).contains(&now.covered_most_percent), "{now:?}");
    assert!((46..=60).contains(&now.covered_half_percent), "{now:?}");
    // The sales of a chain are slow together, which no table of single steps can know.
    assert!(before.error.bias_days < -12, "{before:?}");
    assert!(now.error.bias_days.abs() <= 4, "{now:?}");
    assert!(
        now.error.median_days + 4 <= before.error.median_days,
        "{before:?} {now:?}"
    );
}
