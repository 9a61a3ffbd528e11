//! How many calls an organisation may cause (S-69).

use framework::call_limits::{CallLimits, CallRefusal};
use proptest::prelude::*;

#[test]
fn ten_unknown_tokens_a_second_and_four_calls_at_once() {
    let limits = CallLimits::default();
    for _ in 0..10 {
        drop(limits.begin("one", false, 1_000).unwrap());
    }
    let refused = limits.begin("one", false, 1_999).unwrap_err();
    assert_eq!(refused, CallRefusal::OfOrganisation);
    drop(limits.begin("one", true, 1_999).unwrap());
    drop(limits.begin("other", false, 1_999).unwrap());
    drop(limits.begin("one", false, 2_000).unwrap());
    let running: Vec<_> = (0..4)
        .map(|_| limits.begin("one", true, 3_000).unwrap())
        .collect();
    let refused = limits.begin("one", true, 9_000).unwrap_err();
    assert_eq!(refused, CallRefusal::OfOrganisation);
    drop(running);
    assert!(limits.begin("one", true, 9_000).is_ok());
}

#[test]
fn thirty_two_calls_at_once_of_all() {
    let limits = CallLimits::default();
    let begin = |number: usize| limits.begin(&(number / 4).to_string(), true, 0);
    let running: Vec<_> = (0..32).map(|number| begin(number).unwrap()).collect();
    assert_eq!(begin(32).unwrap_err(), CallRefusal::OfAll);
    drop(running);
    assert!(begin(32).is_ok());
}

proptest! {
    /// Of two organisations that begin and end calls at random, neither has more than four at once, nor begins more
    /// than ten about unknown tokens within any second.
    #[test]
    fn the_bounds_hold_at_all_times(
        steps in prop::collection::vec((0_usize..2, any::<bool>(), 0_i64..300), 1..200),
    ) {
        let limits = CallLimits::default();
        let mut running = [Vec::new(), Vec::new()];
        let mut began = [Vec::new(), Vec::new()];
        let mut now = 0_i64;
        for (organisation, is_end, pause) in steps {
            now += pause;
            if is_end {
                drop(running[organisation].pop());
                continue;
            }
            let recent = began[organisation].iter().filter(|at| now - **at < 1000).count();
            let is_allowed = running[organisation].len() < 4 && recent < 10;
            let permit = limits.begin(&organisation.to_string(), false, now);
            prop_assert_eq!(permit.is_ok(), is_allowed);
            if let Ok(permit) = permit {
                running[organisation].push(permit);
                began[organisation].push(now);
            }
        }
    }
}
