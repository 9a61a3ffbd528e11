//! Cases of past forecasts: corrections, silence and figures.

use super::made_up::today;
use crate::figures::sum_up;
use crate::prediction::{Correction, Spread};
use crate::silence::Silence;
use crate::track::{Outcome, PastForecast, calibrate, judge};

fn past(made_ago: i32, actual: Option<u32>) -> PastForecast {
    let made_on = today().plus(-made_ago);
    PastForecast {
        made_on,
        spread: Spread([20, 30, 40, 50, 60]),
        correction: Correction::default(),
        simple: None,
        outcome: actual.map_or(Outcome::Open, |days| {
            Outcome::Exchanged(made_on.plus(i32::try_from(days).unwrap()))
        }),
        is_backdated: false,
    }
}

/// The percentages learned from forecasts that foresaw `days` for each share.
fn learn(days: u32, old: impl Iterator<Item = PastForecast>) -> [u32; 5] {
    let spread = Spread([days; 5]);
    let old: Vec<_> = old.map(|one| PastForecast { spread, ..one }).collect();
    calibrate(&old, today()).0
}

#[test]
fn each_day_of_a_spread_is_corrected_by_its_own_past_errors() {
    // The ranks are 20, 50, 101, 151 and 181 of 201: rounded outwards, and the new case counts too.
    let old = |count| (1..=count).map(|number| past(300, Some(40 + number)));
    assert_eq!(learn(100, old(200)), [60, 90, 141, 191, 200]);
    assert_eq!(learn(200, old(200)), [50, 50, 71, 96, 111]);
    assert_eq!(learn(100, old(99)), [100; 5]);
    let young = (0..200).map(|_| past(182, Some(90)));
    assert_eq!(learn(100, young), [100; 5]);
    let outdated = (0..200).map(|_| past(549, Some(90)));
    assert_eq!(learn(100, outdated), [100; 5]);
}

#[test]
fn an_open_forecast_took_at_least_the_days_that_have_passed() {
    assert_eq!(learn(200, (0..200).map(|_| past(300, None))), [150; 5]);
    // On the day of the calibration, an exchange in the future is not known yet.
    let later = (0..200).map(|_| past(300, Some(350)));
    assert_eq!(learn(200, later), [150; 5]);
    let fallen = (0..200).map(|_| PastForecast {
        outcome: Outcome::FellThrough(today()),
        ..past(300, None)
    });
    assert_eq!(learn(200, fallen), [100; 5]);
    // A day beyond the grid is never too early.
    assert_eq!(learn(365, (0..200).map(|_| past(400, None))), [50; 5]);
}

#[test]
fn a_corrected_spread_rises_and_stays_on_the_grid() {
    let of = |days, percents| Spread(days).corrected(Correction(percents)).0;
    let days = [20, 30, 40, 50, 60];
    assert_eq!(of(days, [100; 5]), days);
    assert_eq!(of(days, [50, 100, 125, 150, 200]), [10, 30, 50, 75, 120]);
    assert_eq!(of(days, [200, 100, 100, 100, 50]), [30, 30, 40, 40, 50]);
    let late = [20, 30, 40, 300, 365];
    assert_eq!(of(late, [150; 5]), [30, 45, 60, 365, 365]);
    assert_eq!(of(late, [50; 5]), [10, 15, 20, 150, 365]);
    let late = Spread(late);
    assert_eq!((late.half().from, late.half().to), (30, Some(300)));
    assert_eq!((late.most().from, late.most().to), (20, None));
    assert_eq!((late.median(), Spread([365; 5]).median()), (Some(40), None));
}

#[test]
fn forecasts_are_shown_once_their_error_is_known_and_small() {
    let of = |count: usize, missed: usize| {
        let all = (0..count).map(|number| past(400, Some(if number < missed { 99 } else { 40 })));
        judge(&all.collect::<Vec<_>>())
    };
    assert_eq!(of(99, 0), Err(Silence::FewForecasts { ended: 99 }));
    assert_eq!(of(100, 28), Ok(()));
    assert_eq!(
        of(100, 29),
        Err(Silence::ManyMisses {
            covered_percent: 71
        })
    );
    // The last 200 to end count: the misses took longer.
    assert_eq!(
        of(1_000, 57),
        Err(Silence::ManyMisses {
            covered_percent: 71
        })
    );
}

#[test]
fn figures_are_summed_up_by_horizon() {
    let mut all = vec![
        past(300, Some(45)),
        past(300, Some(25)),
        past(300, Some(70)),
        past(9, None),
    ];
    all[0].simple = Some(Spread([1, 2, 3, 4, 5]));
    let figures = sum_up(&all);
    assert_eq!(
        (figures.ended, figures.fell_through, figures.backdated),
        (3, 0, 0)
    );
    assert_eq!(figures.silence, Some(Silence::FewForecasts { ended: 3 }));
    let numbers: Vec<_> = figures.rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, [0, 3, 0, 0, 3]);
    let points = figures.reliability.iter();
    let points: Vec<_> = points
        .map(|one| (one.forecast_percent, one.exchanged_percent))
        .collect();
    assert_eq!(points, [(10, 0), (25, 33), (50, 33), (75, 66), (90, 66)]);
    let row = figures.rows[1];
    assert_eq!(
        (row.covered_half_percent, row.covered_most_percent),
        (33, 66)
    );
    assert_eq!((row.error.median_days, row.error.bias_days), (15, 6));
    let simple = row.simple.unwrap();
    assert_eq!(
        (
            simple.number,
            simple.covered_most_percent,
            simple.error.bias_days
        ),
        (1, 0, 42)
    );
}

#[test]
fn figures_are_about_the_forecasts_that_people_saw() {
    let seen = PastForecast {
        correction: Correction([50; 5]),
        ..past(300, Some(20))
    };
    let figures = sum_up(&[seen]);
    let row = figures.rows[0];
    assert_eq!((row.number, row.covered_half_percent), (1, 100));
    assert_eq!((row.error.median_days, row.error.bias_days), (0, 0));
    let exchanged = figures.reliability.iter();
    let exchanged: Vec<_> = exchanged.map(|one| one.exchanged_percent).collect();
    assert_eq!(exchanged, [0, 0, 100, 100, 100]);
}
