//! The six steps by what is recorded.

use chain::ids::{ListingId, Uprn};
use chain::milestone::find_by_key;
use chain::progress::{Progress, Recorded};
use jiff::civil::date;

use super::steps;
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
        lane: 1,
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
    let words = steps(&home, date(2026, 7, day)).map(|step| step.state.word());
    assert_eq!(words, expected);
}

const OPEN: &str = "not begun";
const PART: &str = "under way";
const DONE: &str = "done";
const NONE: &str = "not needed";

#[test]
fn a_step_is_what_is_recorded_of_it() {
    check("", "", 1, [OPEN; 6]);
    check(
        "property_listed",
        "",
        1,
        [PART, OPEN, OPEN, OPEN, OPEN, OPEN],
    );
    check(
        "sstc searches_ordered",
        "",
        1,
        [DONE, PART, OPEN, OPEN, OPEN, OPEN],
    );
    check(
        "sstc water_search_delivered",
        "",
        1,
        [DONE, PART, OPEN, OPEN, OPEN, OPEN],
    );
    check(
        "sstc funding_applied enquiries_opened",
        "",
        1,
        [DONE, OPEN, PART, PART, OPEN, OPEN],
    );
    check(
        "sstc mortgage_offered enquiries_closed",
        "",
        1,
        [DONE, OPEN, DONE, DONE, OPEN, OPEN],
    );
}

#[test]
fn a_step_may_be_needless() {
    check(
        "sstc cash_buyer mortgage_offered",
        "",
        1,
        [DONE, OPEN, NONE, OPEN, OPEN, OPEN],
    );
    check(
        "sstc",
        "mortgage_offered",
        1,
        [DONE, OPEN, NONE, OPEN, OPEN, OPEN],
    );
    let searches = "la_search_delivered environmental_search_delivered water_search_delivered";
    check("sstc", searches, 1, [DONE, NONE, OPEN, OPEN, OPEN, OPEN]);
    let rest = "environmental_search_delivered water_search_delivered";
    check(
        "sstc la_search_delivered",
        rest,
        1,
        [DONE, DONE, OPEN, OPEN, OPEN, OPEN],
    );
}

#[test]
fn a_step_is_overdue_after_its_expected_day() {
    check(
        "sstc searches_expected",
        "",
        1,
        [DONE, PART, OPEN, OPEN, OPEN, OPEN],
    );
    check(
        "sstc searches_expected",
        "",
        2,
        [DONE, "overdue", OPEN, OPEN, OPEN, OPEN],
    );
    let delivered = "sstc searches_expected la_search_delivered";
    check(delivered, "", 2, [DONE, PART, OPEN, OPEN, OPEN, OPEN]);
    check(
        "sstc searches_expected",
        "la_search_delivered",
        2,
        [DONE, PART, OPEN, OPEN, OPEN, OPEN],
    );
    let proposed = "sstc proposed_exchange proposed_completion";
    check(proposed, "", 1, [DONE, OPEN, OPEN, OPEN, PART, PART]);
    check(
        proposed,
        "",
        2,
        [DONE, OPEN, OPEN, OPEN, "overdue", "overdue"],
    );
}

#[test]
fn a_later_step_implies_the_earlier_ones() {
    let implied = "implied";
    check(
        "searches_ordered",
        "",
        1,
        [implied, PART, OPEN, OPEN, OPEN, OPEN],
    );
    check(
        "exchange",
        "",
        1,
        [implied, implied, implied, implied, DONE, OPEN],
    );
    check(
        "completion cash_buyer",
        "",
        1,
        [implied, implied, NONE, implied, implied, DONE],
    );
    check(
        "completion proposed_exchange",
        "",
        9,
        [implied, implied, implied, implied, implied, DONE],
    );
}
