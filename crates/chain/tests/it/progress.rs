//! Recorded milestones in document 1's shape, and the lagging rule (S-52).

use chain::ids::ListingId;
use chain::milestone::{CATALOGUE, Field, find_by_key};
use chain::progress::{Progress, Recorded, furthest, lagging};
use jiff::civil::{Date, date};

const DAY: Option<Date> = Some(date(2026, 3, 1));

fn recorded(key: &str, date: Option<Date>) -> Recorded {
    let milestone = find_by_key(key).unwrap();
    Recorded { milestone, date }
}

/// Each type has its `sequence` as its date.
#[test]
fn each_type_fills_its_own_field() {
    let march = |day: i64| Some(date(2026, 3, i8::try_from(day).unwrap()));
    let all = CATALOGUE.iter().map(|milestone| Recorded {
        milestone,
        date: march(milestone.sequence),
    });
    let expected = [
        (Field::ListedCompleted, 1),
        (Field::SoldSubjectToContractCompleted, 2),
        (Field::SearchesStarted, 9),
        (Field::LocalAuthorityExpected, 10),
        (Field::LocalAuthorityCompleted, 11),
        (Field::EnvironmentalCompleted, 12),
        (Field::DrainageWaterCompleted, 13),
        (Field::FundingStarted, 15),
        (Field::FundingCompleted, 20),
        (Field::EnquiriesStarted, 21),
        (Field::EnquiriesCompleted, 22),
        (Field::ExchangeOfContractsExpected, 23),
        (Field::ExchangeOfContractsCompleted, 24),
        (Field::CompletionExpected, 25),
        (Field::CompletionCompleted, 27),
        (Field::FallThroughCompleted, 28),
    ];
    for progress in [Progress::fold(all.clone()), Progress::fold(all.rev())] {
        for (field, day) in expected {
            assert_eq!(progress.date(field), march(day), "{field:?}");
        }
        assert!(progress.is_cash_buyer());
        assert_eq!(progress.date(Field::FundingIsCashBuyer), None);
    }
}

/// A new member that is not in the list has no place for its date.
#[test]
fn the_list_has_each_member_at_its_number() {
    for (number, field) in Field::ALL.into_iter().enumerate() {
        assert_eq!(field as usize, number, "{field:?}");
    }
    let filled = CATALOGUE.iter().filter_map(|kind| kind.field);
    for field in filled {
        assert!(Field::ALL.contains(&field), "{field:?}");
    }
}

#[test]
fn what_has_no_field_or_no_date_shows_no_date() {
    assert_eq!(Progress::fold([]), Progress::default());
    for key in ["completion_date_set", "valuation_booked", "contract_sent"] {
        let progress = Progress::fold([recorded(key, DAY)]);
        assert_eq!(progress, Progress::default(), "{key}");
    }
    // S-52: after enquiries were reopened, Enquiries Opened stays recorded without a date.
    let reopened = [recorded("enquiries_opened", None)];
    assert_eq!(Progress::fold(reopened), Progress::default());
    assert_eq!(furthest(reopened), Some(21));
    let progress = Progress::fold([recorded("cash_buyer", None)]);
    assert!(progress.is_cash_buyer());
}

/// The test of the catalogue says which types count as progress.
#[test]
fn the_furthest_milestone_has_the_highest_sequence_that_counts_as_progress() {
    for (keys, expected) in [
        ("mortgage_offer_expected", None),
        ("property_listed", Some(1)),
        ("sstc property_listed", Some(2)),
        ("sstc contract_sent", Some(2)),
        ("sstc fall_through", Some(2)),
        ("sstc cash_buyer", Some(14)),
        ("exchange la_search_delivered", Some(24)),
    ] {
        let all = keys.split(' ').map(|key| recorded(key, DAY));
        assert_eq!(furthest(all), expected, "{keys}");
    }
    assert_eq!(furthest([]), None);
}

#[test]
fn the_lagging_listings_are_behind_the_most_advanced_one() {
    let check = |given: &[(i64, Option<i64>)], expected: &[i64]| {
        let given: Vec<_> = given.iter().map(|(id, at)| (ListingId(*id), *at)).collect();
        let found: Vec<i64> = lagging(&given).iter().map(|listing| listing.0).collect();
        assert_eq!(found, expected, "{given:?}");
    };
    check(&[], &[]);
    check(&[(1, None)], &[]);
    check(&[(1, Some(4))], &[]);
    check(&[(1, None), (2, None)], &[]);
    check(&[(3, Some(2)), (1, Some(9)), (2, None)], &[3, 2]);
    check(&[(1, Some(9)), (2, Some(9)), (3, Some(8))], &[3]);
}
