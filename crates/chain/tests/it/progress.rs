//! Recorded milestones folded into document 1's shape, and the lagging rule (S-52).

use chain::ids::ListingId;
use chain::milestone::{CATALOGUE, MilestoneType, find_by_key};
use chain::progress::{
    Completion, Enquiries, ExchangeOfContracts, Funding, Progress, Recorded, Searches, furthest,
    lagging,
};
use jiff::civil::{Date, date};

fn recorded(key: &str, date: Option<Date>) -> Recorded {
    Recorded {
        milestone: find_by_key(key).unwrap(),
        date,
    }
}

/// A date of its own for each type, by its place in the catalogue.
fn date_of(milestone: &MilestoneType) -> Date {
    date(2026, 3, i8::try_from(milestone.sequence).unwrap())
}

#[test]
fn nothing_recorded_is_all_empty() {
    let progress = Progress::fold([]);
    assert_eq!(progress, Progress::default());
    assert_eq!(progress.fall_through, None);
    assert!(!progress.funding.is_cash_buyer);
}

#[test]
fn each_type_fills_its_own_field() {
    let all = CATALOGUE.iter().map(|milestone| Recorded {
        milestone,
        date: Some(date_of(milestone)),
    });
    let march = |day: i8| Some(date(2026, 3, day));
    let expected = Progress {
        listed: march(1),
        sold_subject_to_contract: march(2),
        searches: Searches {
            started: march(9),
            local_authority_expected: march(10),
            local_authority_completed: march(11),
            environmental_completed: march(12),
            drainage_water_completed: march(13),
        },
        funding: Funding {
            is_cash_buyer: true,
            started: march(15),
            completed: march(20),
        },
        enquiries: Enquiries {
            started: march(21),
            completed: march(22),
        },
        exchange_of_contracts: ExchangeOfContracts {
            expected: march(23),
            completed: march(24),
        },
        completion: Completion {
            expected: march(25),
            completed: march(27),
        },
        fall_through: march(28),
    };
    assert_eq!(Progress::fold(all.clone()), expected);
    assert_eq!(Progress::fold(all.rev()), expected);
}

#[test]
fn a_type_without_a_field_changes_nothing() {
    let day = Some(date(2026, 3, 1));
    for key in ["completion_date_set", "valuation_booked", "contract_sent"] {
        let progress = Progress::fold([recorded(key, day)]);
        assert_eq!(progress, Progress::default(), "{key}");
    }
}

/// S-52: Enquiries Opened stays recorded, without a date.
#[test]
fn reopened_enquiries_show_no_dates() {
    let reopened = [recorded("enquiries_opened", None)];
    assert_eq!(Progress::fold(reopened), Progress::default());
    assert_eq!(furthest(reopened), Some(21));
}

#[test]
fn a_cash_buyer_is_one_with_whatever_date() {
    let progress = Progress::fold([recorded("cash_buyer", None)]);
    assert!(progress.funding.is_cash_buyer);
}

#[test]
fn furthest_leaves_out_expected_dates_fall_through_and_types_without_label() {
    let check = |keys: &[&str], expected: Option<i64>| {
        let day = Some(date(2026, 3, 1));
        let all = keys.iter().map(|key| recorded(key, day));
        assert_eq!(furthest(all), expected, "{keys:?}");
    };
    check(&[], None);
    check(&["property_listed"], Some(1));
    check(&["sstc", "property_listed"], Some(2));
    check(&["sstc", "contract_sent"], Some(2));
    check(&["sstc", "searches_expected"], Some(2));
    check(&["sstc", "proposed_exchange"], Some(2));
    check(&["sstc", "proposed_completion"], Some(2));
    check(&["sstc", "completion_date_set"], Some(2));
    check(&["sstc", "fall_through"], Some(2));
    check(&["sstc", "cash_buyer"], Some(14));
    check(&["mortgage_offer_expected"], None);
    check(&["exchange", "la_search_delivered"], Some(24));
    check(&["completion", "exchange"], Some(27));
    let counted = CATALOGUE.iter().filter(|one| one.is_progress());
    assert_eq!(counted.count(), 13);
}

#[test]
fn the_lagging_listings_are_those_behind_the_most_advanced() {
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
