//! Samples with chains of the past.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::date;

use super::*;

fn with_history(listings: u64, days: u32) -> GenerateOptions {
    GenerateOptions {
        history: Some(History {
            days,
            listings: None,
        }),
        ..made_up(listings, 1)
    }
}

/// The days from one milestone of a listing to another.
fn days_between(loaded: &Loaded, listing: usize, from: &str, to: &str) -> Option<i64> {
    let (from, to) = (loaded.date_of(listing, from)?, loaded.date_of(listing, to)?);
    Some(to.duration_since(from).as_hours() / 24)
}

#[test]
fn three_in_five_listings_are_of_the_past_and_come_last() {
    let (text, summary) = write(&with_history(10_000, 900));
    let loaded = Loaded::new(&text);
    assert_eq!((loaded.listings.len(), summary.listings), (10_000, 10_000));
    let first_day = AS_OF.saturating_sub((900 + 120 + 90).days());
    let mut oldest = AS_OF;
    for (number, rows) in &loaded.milestones {
        let happened = rows.iter();
        let happened = happened.filter(|row| !EXPECTED.contains(&row.milestone_type.key));
        let dates: Vec<Date> = happened.map(|row| row.date).collect();
        assert!(dates.is_sorted(), "{rows:?}");
        assert!(
            dates[0] >= first_day && *dates.last().unwrap() <= AS_OF,
            "{rows:?}"
        );
        let keys: BTreeSet<&str> = rows.iter().map(|row| row.milestone_type.key).collect();
        assert_eq!(keys.len(), rows.len(), "a type twice: {rows:?}");
        assert!(!(keys.contains("fall_through") && keys.contains("exchange")));
        if *number >= 4_000 {
            oldest = oldest.min(dates[0]);
        }
    }
    assert!(oldest < AS_OF.saturating_sub(880.days()), "{oldest}");
    for chain in loaded.chains() {
        let dates = chain
            .iter()
            .map(|number| loaded.date_of(*number, "exchange"));
        assert_eq!(
            dates.collect::<HashSet<_>>().len(),
            1,
            "exchange differs within a chain"
        );
    }
}

#[test]
fn past_sales_completed_fell_through_or_are_under_way() {
    let loaded = Loaded::new(&write(&with_history(10_000, 900)).0);
    let past = 4_000..10_000;
    let having = |key: &str| {
        let listings = past.clone();
        listings
            .filter(|number| loaded.date_of(*number, key).is_some())
            .count()
    };
    let (completed, fallen) = (having("completion"), having("fall_through"));
    check_share(completed, past.len(), 550..=750);
    check_share(fallen, past.len(), 100..=250);
    check_share(past.len() - completed - fallen, past.len(), 100..=300);

    // Steps have long tails: one in twenty takes more than twice the median.
    let days = past
        .filter_map(|number| days_between(&loaded, number, "enquiries_opened", "enquiries_closed"));
    let mut days: Vec<i64> = days.collect();
    days.sort_unstable();
    let (median, late) = (days[days.len() / 2], days[days.len() * 19 / 20]);
    assert!((30..=60).contains(&median), "{median}");
    assert!(late > 2 * median, "{median} {late}");
}

/// A sample with `past` listings of the past among all.
fn with_past(listings: u64, past: u64) -> String {
    let history = History {
        days: 900,
        listings: Some(past),
    };
    let options = GenerateOptions {
        history: Some(history),
        ..made_up(listings, 5)
    };
    write(&options).0
}

#[test]
fn recent_chains_are_those_of_a_sample_without_history() {
    let apart_from_milestones = |text: &str| {
        let lines = text.lines();
        let lines = lines.filter(|line| !line.starts_with(r#"{"type":"milestone""#));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let without = write(&made_up(300, 5)).0;
    let with = with_past(300, 0);
    assert_ne!(with, without);
    assert_eq!(
        apart_from_milestones(&with),
        apart_from_milestones(&without)
    );
    let more = with_past(500, 200);
    assert!(more.len() > with.len() && more.starts_with(&with));
    assert_eq!(Loaded::new(&with_past(300, 1_000)).listings.len(), 300);
}

#[test]
fn recent_chains_have_the_long_tails_of_past_ones() {
    let longest = |text: &str| {
        let loaded = Loaded::new(text);
        let of = |number| {
            days_between(
                &loaded,
                number,
                "valuation_satisfactory",
                "mortgage_offered",
            )
        };
        (0..loaded.listings.len()).filter_map(of).max()
    };
    // Without a history this step takes 3 to 21 days.
    assert_eq!(longest(&write(&made_up(300, 5)).0), Some(21));
    let found = longest(&with_past(300, 0));
    assert!(found > Some(42), "{found:?}");
}

#[test]
fn the_bytes_of_a_seed_with_history_never_change() {
    let (text, _) = write(&with_history(200, 900));
    let add = |sum: u64, byte: u8| sum.wrapping_mul(31) + u64::from(byte);
    let found = (text.lines().count(), text.bytes().fold(0, add));
    assert_eq!(found, (4_461, 15_476_513_311_338_646_495));
}

#[test]
fn a_history_has_bounds() {
    for days in [0, 3_001] {
        let error = generate(&with_history(10, days), &mut Vec::new()).unwrap_err();
        let said = format!("{days} days of history cannot be made: ask for 1 to 3,000");
        assert_eq!(error.to_string(), said);
    }
    let oldest = GenerateOptions {
        as_of: date(2000, 1, 1),
        ..with_history(2_000, 3_000)
    };
    let loaded = Loaded::new(&write(&oldest).0);
    let dates = loaded.milestones.values().flatten().map(|row| row.date);
    assert!(dates.min().unwrap() >= date(1990, 1, 1));
}
