//! Tests of a sample, read back as an import reads it.

mod addresses;
mod forecasts;
mod given;
mod history;
mod loaded;
mod made_up;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Cursor;
use std::sync::LazyLock;

use chain::ids::Uprn;
use chain::milestone::{CATALOGUE, find_by_key};
use import::row::ChainEnd;
use jiff::civil::{Date, date};
use loaded::Loaded;
use proptest::prelude::*;

use super::{AS_OF, GenerateError, GenerateOptions, History, Summary, generate};

fn made_up(listings: u64, seed: u64) -> GenerateOptions {
    GenerateOptions {
        listings: Some(listings),
        seed,
        ..GenerateOptions::default()
    }
}

fn write(options: &GenerateOptions) -> (String, Summary) {
    let mut out = Vec::new();
    let summary = generate(options, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), summary)
}

/// One large sample for all tests that count, because reading it takes seconds.
static LARGE: LazyLock<(Loaded, Summary)> = LazyLock::new(|| load(20_000, 1));

fn load(listings: u64, seed: u64) -> (Loaded, Summary) {
    let (text, summary) = write(&made_up(listings, seed));
    (Loaded::new(&text), summary)
}

/// Checks that `part` of `whole` lies within these bounds, in thousandths.
#[track_caller]
fn check_share(part: usize, whole: usize, per_thousand: std::ops::RangeInclusive<usize>) {
    let share = part * 1_000 / whole;
    let is_within = per_thousand.contains(&share);
    assert!(is_within, "{part} of {whole}: {share} per thousand");
}

const EXPECTED: [&str; 4] = [
    "searches_expected",
    "mortgage_offer_expected",
    "proposed_exchange",
    "proposed_completion",
];

#[test]
fn chains_have_the_lengths_and_shapes_of_real_ones() {
    let (loaded, summary) = &*LARGE;
    let chains = loaded.chains();
    assert_eq!(loaded.listings.len(), 20_000);
    assert_eq!(summary.listings, 20_000);
    assert_eq!(summary.chains, u64::try_from(chains.len()).unwrap());
    check_share(20_000, chains.len(), 2_200..=2_800);
    let longest = chains.iter().map(Vec::len).max().unwrap();
    assert!((8..=40).contains(&longest), "{longest}");

    let (above, below) = loaded.neighbours();
    let is_fork = |number: &usize| above.get(number) > Some(&1) || below.get(number) > Some(&1);
    let split = chains.iter().filter(|chain| chain.iter().any(is_fork));
    let split = split.count();
    assert_eq!(summary.split_chains, u64::try_from(split).unwrap());
    check_share(split, chains.len(), 10..=30);
    assert!(above.values().any(|count| *count == 2), "nobody buys two");
    assert!(below.values().any(|count| *count == 2), "nobody sells two");
    for (buyer, seller, may_split) in &loaded.links {
        assert_eq!(*may_split, above[buyer] > 1 || below[seller] > 1);
    }
    for chain in &chains {
        let span = chain.last().unwrap() - chain[0] + 1;
        assert_eq!(span, chain.len(), "not contiguous");
    }
    // Properties at the top, or alone in their chain, may be new builds.
    for (number, listing) in loaded.listings.iter().enumerate() {
        assert!(!listing.uprn.is_placeholder() || !above.contains_key(&number));
    }
}

#[test]
fn all_types_and_usual_shares_occur() {
    let (loaded, summary) = &*LARGE;
    assert_eq!(loaded.row_types.len(), 7);
    let rows = loaded.milestones.values().flatten();
    let keys: HashSet<&str> = rows.map(|row| row.milestone_type.key).collect();
    assert_eq!(keys.len(), CATALOGUE.len(), "{keys:?}");
    let listings = loaded.listings.len();
    let having = |key: &str| {
        let has_date = |number: &usize| loaded.date_of(*number, key).is_some();
        (0..listings).filter(has_date).count()
    };
    check_share(having("fall_through"), listings, 30..=50);
    check_share(having("completion"), listings, 80..=250);
    check_share(having("property_listed"), listings, 1_000..=1_000);
    let properties = loaded.properties.len();
    let uprns = loaded.properties.keys();
    let placeholders = uprns.filter(|uprn| uprn.is_placeholder()).count();
    check_share(placeholders, properties, 20..=40);
    check_share(listings - properties, listings, 10..=30);
    check_share(loaded.branches.len(), listings, 16..=17);
    assert_eq!(summary.properties, u64::try_from(properties).unwrap());

    let (_, below) = loaded.neighbours();
    let sold_bottoms: Vec<usize> = (0..listings)
        .filter(|number| !below.contains_key(number))
        .filter(|number| loaded.date_of(*number, "enquiries_opened").is_some())
        .collect();
    let is_cash = |number: &usize| loaded.date_of(*number, "cash_buyer").is_some();
    let cash = sold_bottoms.iter().filter(|number| is_cash(number)).count();
    check_share(cash, sold_bottoms.len(), 250..=350);
    assert_eq!(having("cash_buyer"), (0..listings).filter(is_cash).count());
    let mut cash_buyers = (0..listings).filter(is_cash);
    assert!(cash_buyers.all(|number| !below.contains_key(&number)));

    let flats = loaded.listings.iter();
    let flats = flats.filter(|row| loaded.properties[&row.uprn].line1.starts_with("Flat"));
    let (mut flat_count, mut leasehold_count) = (0, 0);
    for flat in flats {
        flat_count += 1;
        leasehold_count += usize::from(flat.tenure == chain::listing::Tenure::parse("leasehold"));
    }
    check_share(flat_count, listings, 150..=350);
    check_share(leasehold_count, flat_count, 800..=950);
}

#[test]
fn milestones_follow_each_other_and_their_chain() {
    let (loaded, _) = &*LARGE;
    let first_day = date(2025, 1, 1);
    for rows in loaded.milestones.values() {
        let happened = rows.iter();
        let happened = happened.filter(|row| !EXPECTED.contains(&row.milestone_type.key));
        let dates: Vec<Date> = happened.map(|row| row.date).collect();
        assert!(dates.is_sorted(), "{rows:?}");
        assert!(*dates.first().unwrap() >= first_day && *dates.last().unwrap() <= AS_OF);
        let keys: BTreeSet<&str> = rows.iter().map(|row| row.milestone_type.key).collect();
        assert_eq!(keys.len(), rows.len(), "a type twice: {rows:?}");
        for (later, earlier) in [
            ("sstc", "property_listed"),
            ("contract_received", "sstc"),
            ("la_search_delivered", "searches_ordered"),
            ("mortgage_offered", "funding_applied"),
            ("enquiries_closed", "enquiries_opened"),
            ("exchange", "enquiries_closed"),
            ("completion", "exchange"),
        ] {
            let is_right = !keys.contains(later) || keys.contains(earlier);
            assert!(is_right, "{later}: {rows:?}");
        }
        assert!(!(keys.contains("cash_buyer") && keys.contains("funding_applied")));
        assert!(!(keys.contains("fall_through") && keys.contains("exchange")));
    }
    for chain in loaded.chains() {
        for key in ["exchange", "completion"] {
            let dates = chain.iter().map(|number| loaded.date_of(*number, key));
            let dates: HashSet<_> = dates.collect();
            assert_eq!(dates.len(), 1, "{key} differs within a chain");
        }
    }
    for (buyer, seller, _) in &loaded.links {
        let sold = |number| loaded.date_of(number, "sstc").unwrap();
        let is_agreed = sold(*buyer) <= sold(*seller);
        assert!(is_agreed, "bought before the own sale was agreed");
    }
}

#[test]
fn a_property_is_listed_again_only_after_its_sale_fell_through() {
    let (loaded, _) = &*LARGE;
    let mut by_property: HashMap<Uprn, Vec<usize>> = HashMap::new();
    for (number, row) in loaded.listings.iter().enumerate() {
        by_property.entry(row.uprn).or_default().push(number);
    }
    let (above, below) = loaded.neighbours();
    let mut seen = 0;
    for listings in by_property.values().filter(|listings| listings.len() > 1) {
        let [earlier, later] = listings[..] else {
            panic!("three listings")
        };
        seen += 1;
        let created = |number: usize| loaded.listings[number].created_at.unwrap();
        assert!(created(earlier) < created(later));
        let fell_through = loaded.date_of(earlier, "fall_through").unwrap();
        assert!(fell_through < loaded.date_of(later, "property_listed").unwrap());
        assert!(!above.contains_key(&earlier) && !below.contains_key(&earlier));
    }
    assert!(seen > 100);
}

#[test]
fn checked_ends_are_ends() {
    let (loaded, _) = &*LARGE;
    let (above, below) = loaded.neighbours();
    for (number, end) in &loaded.checks {
        let is_top = *end == ChainEnd::Top;
        let further = if is_top { &above } else { &below };
        assert!(!further.contains_key(number));
    }
    for end in [ChainEnd::Top, ChainEnd::Bottom] {
        let count = loaded.checks.iter().filter(|check| check.1 == end).count();
        check_share(count, loaded.chains().len(), 100..=700);
    }
}

#[test]
fn small_and_large_numbers_of_listings_are_met_exactly() {
    for listings in [1, 2, 5, 7, 61] {
        for seed in 0..20 {
            let (loaded, _) = load(listings, seed);
            assert_eq!(loaded.listings.len(), usize::try_from(listings).unwrap());
        }
    }
    for listings in [0, 10_000_001] {
        let error = generate(&made_up(listings, 1), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, GenerateError::ListingCount(_)), "{error}");
    }
    let loaded = Loaded::new(&write(&GenerateOptions::default()).0);
    assert_eq!(loaded.listings.len(), 1_000);
}

#[test]
fn the_day_may_be_moved_within_bounds() {
    let on = |as_of| GenerateOptions {
        as_of,
        ..made_up(200, 1)
    };
    let loaded = Loaded::new(&write(&on(date(2024, 3, 1))).0);
    let latest = loaded.milestones.values().flatten();
    let latest = latest.filter(|row| !EXPECTED.contains(&row.milestone_type.key));
    assert!(latest.map(|row| row.date).max().unwrap() <= date(2024, 3, 1));
    let error = generate(&on(date(1999, 12, 31)), &mut Vec::new()).unwrap_err();
    let said = "1999-12-31 cannot be the day of sample data: take one of the years 2000 to 2100";
    assert_eq!(error.to_string(), said);
}

#[test]
fn the_bytes_of_a_seed_never_change() {
    // People compare files made from the same seed, so a change of this snapshot is a change for
    // users and belongs in the release notes.
    let (text, _) = write(&made_up(100, 1));
    let add = |sum: u64, byte: u8| sum.wrapping_mul(31) + u64::from(byte);
    let found = (text.lines().count(), text.bytes().fold(0, add));
    assert_eq!(found, (1_921, 4_736_573_372_851_518_883));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_same_seed_gives_the_same_bytes(seed: u64, listings in 1_u64..200) {
        let options = made_up(listings, seed);
        let (one, other) = (write(&options).0, write(&options).0);
        prop_assert_eq!(&one, &other);
        let loaded = Loaded::new(&one);
        prop_assert_eq!(loaded.listings.len(), usize::try_from(listings).unwrap());
        let next = write(&made_up(listings, seed.wrapping_add(1))).0;
        prop_assert_ne!(one, next);
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let mut room = [0_u8; 1_000];
    let mut out = Cursor::new(&mut room[..]);
    let error = generate(&made_up(100, 1), &mut out).unwrap_err();
    assert!(matches!(error, GenerateError::Write(_)), "{error}");
}

#[test]
fn expected_types_are_those_of_the_catalogue() {
    assert!(EXPECTED.iter().all(|key| find_by_key(key).is_some()));
}
