//! The state of each of the six stages, for records of many kinds.

use chain::ids::{ListingId, Uprn};
use chain::milestone::find_by_key;
use chain::progress::{Progress, Recorded};
use jiff::civil::date;

use super::stages;
use crate::home::{Address, Home, Participants};

/// `recorded` and `excluded` hold keys. All dates are 1 July; today is `day` of July.
#[track_caller]
fn check(recorded: &str, excluded: &str, day: i8, expected: [&str; 6]) {
    let kinds = |keys: &str| {
        let keys = keys.split_whitespace();
        keys.map(|key| find_by_key(key).unwrap())
            .collect::<Vec<_>>()
    };
    let recorded = kinds(recorded).into_iter().map(|milestone| Recorded {
        milestone,
        date: Some(date(2026, 7, 1)),
    });
    let home = Home {
        listing: ListingId(1),
        uprn: Uprn::new(1).unwrap(),
        address: Address::default(),
        may_open: false,
        is_own: false,
        column: 1,
        progress: Progress::fold(recorded),
        excluded: kinds(excluded),
        unsigned: Vec::new(),
        participants: Participants::default(),
        tenure: None,
        transaction_types: Vec::new(),
        onward_purchase: Vec::new(),
        buyers_sale: Vec::new(),
        is_top_closed: false,
        is_bottom_closed: false,
    };
    let words = stages(&home, date(2026, 7, day)).map(|stage| stage.state.word());
    assert_eq!(words, expected);
}

/// Calls [`check`] for each row: recorded milestones, excluded ones, the day, the states.
fn check_each<const ROWS: usize>(rows: [(&str, &str, i8, [&str; 6]); ROWS]) {
    for (recorded, excluded, day, states) in rows {
        check(recorded, excluded, day, states);
    }
}

const OPEN: &str = "not begun";
const PART: &str = "under way";
const DONE: &str = "done";
const NONE: &str = "not needed";
const LATE: &str = "overdue";
const SKIP: &str = "implied";

#[test]
fn a_step_is_what_is_recorded_of_it() {
    check_each([
        ("", "", 1, [OPEN; 6]),
        (
            "property_listed",
            "",
            1,
            [PART, OPEN, OPEN, OPEN, OPEN, OPEN],
        ),
        (
            "sstc searches_ordered",
            "",
            1,
            [DONE, PART, OPEN, OPEN, OPEN, OPEN],
        ),
        (
            "sstc water_search_delivered",
            "",
            1,
            [DONE, PART, OPEN, OPEN, OPEN, OPEN],
        ),
        (
            "sstc funding_applied enquiries_opened",
            "",
            1,
            [DONE, OPEN, PART, PART, OPEN, OPEN],
        ),
        (
            "sstc mortgage_offered enquiries_closed",
            "",
            1,
            [DONE, OPEN, DONE, DONE, OPEN, OPEN],
        ),
    ]);
}

#[test]
fn a_step_may_be_needless() {
    let all = "la_search_delivered environmental_search_delivered water_search_delivered";
    let rest = "environmental_search_delivered water_search_delivered";
    check_each([
        (
            "sstc cash_buyer mortgage_offered",
            "",
            1,
            [DONE, OPEN, NONE, OPEN, OPEN, OPEN],
        ),
        (
            "sstc",
            "mortgage_offered",
            1,
            [DONE, OPEN, NONE, OPEN, OPEN, OPEN],
        ),
        ("sstc", all, 1, [DONE, NONE, OPEN, OPEN, OPEN, OPEN]),
        (
            "sstc la_search_delivered",
            rest,
            1,
            [DONE, DONE, OPEN, OPEN, OPEN, OPEN],
        ),
    ]);
}

#[test]
fn a_step_is_overdue_after_its_expected_day() {
    let part = "sstc searches_expected la_search_delivered";
    let local = "la_search_delivered";
    let proposed = "sstc proposed_exchange proposed_completion";
    check_each([
        (
            "sstc searches_expected",
            "",
            1,
            [DONE, PART, OPEN, OPEN, OPEN, OPEN],
        ),
        (
            "sstc searches_expected",
            "",
            2,
            [DONE, LATE, OPEN, OPEN, OPEN, OPEN],
        ),
        (part, "", 2, [DONE, PART, OPEN, OPEN, OPEN, OPEN]),
        (
            "sstc searches_expected",
            local,
            2,
            [DONE, PART, OPEN, OPEN, OPEN, OPEN],
        ),
        (proposed, "", 1, [DONE, OPEN, OPEN, OPEN, PART, PART]),
        (proposed, "", 2, [DONE, OPEN, OPEN, OPEN, LATE, LATE]),
    ]);
}

#[test]
fn a_later_step_implies_the_earlier_ones() {
    check_each([
        (
            "searches_ordered",
            "",
            1,
            [SKIP, PART, OPEN, OPEN, OPEN, OPEN],
        ),
        ("exchange", "", 1, [SKIP, SKIP, SKIP, SKIP, DONE, OPEN]),
        (
            "completion cash_buyer",
            "",
            1,
            [SKIP, SKIP, NONE, SKIP, SKIP, DONE],
        ),
        (
            "completion proposed_exchange",
            "",
            9,
            [SKIP, SKIP, SKIP, SKIP, SKIP, DONE],
        ),
    ]);
}
