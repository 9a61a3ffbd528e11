//! Tests of differences between two clocks.

use super::{Answered, compare};
use crate::commands::preflight::report::Check;

/// 2026-11-21T10:00:00Z.
const THEIRS: i64 = 1_795_255_200;

fn check(before: i64, after: i64, has_failed: bool, expected: &str) {
    let answered = Answered {
        date: "Sat, 21 Nov 2026 10:00:00 GMT".to_owned(),
        before: THEIRS + before,
        after: THEIRS + after,
    };
    let mut check = Check::new();
    compare("a:1", &answered, &mut check);
    assert_eq!(check.has_failed(), has_failed, "{before} {after}");
    assert!(check.describe().contains(expected), "{}", check.describe());
}

#[test]
fn ten_seconds_are_accepted_and_a_slow_answer_is_no_difference() {
    for (before, after) in [(0, 0), (10, 10), (-10, -10), (-30, 2), (-2, 30)] {
        check(before, after, false, "agrees: a:1");
    }
    check(11, 11, true, "11 s ahead of the clock of a:1");
    check(-90, -61, true, "61 s behind the clock of a:1");
}

#[test]
fn a_server_without_a_date_proves_nothing() {
    for date in ["", "yesterday"] {
        let answered = Answered {
            date: date.to_owned(),
            before: 0,
            after: 0,
        };
        let mut check = Check::new();
        compare("a:1", &answered, &mut check);
        assert!(!check.has_failed() && check.describe().contains("no readable Date"));
    }
}
