//! When a lane asks the store again, and in what order it sends.

use chain::event::EventType;
use storage::deliveries::DueEvent;

use super::*;

fn due(id: i64, property: i64) -> DueDelivery {
    DueDelivery {
        id,
        order: property,
        attempts: 0,
        created_at: 0,
        is_first: true,
        event: DueEvent {
            row: id,
            event_id: format!("evt_{id}"),
            event_type: EventType::MilestoneUpdated,
            property,
            uprn: property,
            label: None,
            date: "2026-11-21".to_owned(),
            detail: None,
            recorded_at: 0,
        },
    }
}

fn found(head: i64, property: i64, following: &[i64]) -> Found {
    Found {
        head: due(head, property),
        following: following.iter().map(|id| due(*id, property)).collect(),
        is_cut: false,
    }
}

fn all(found: Vec<Found>) -> Findings {
    Findings {
        found,
        is_cut: false,
    }
}

fn next_id(ahead: &mut ReadAhead) -> Option<i64> {
    ahead.pop().map(|delivery| delivery.id)
}

#[test]
fn what_was_read_whole_is_not_asked_for_again() {
    let mut ahead = ReadAhead::default();
    assert!(ahead.is_wanting(), "nothing was read yet");
    ahead.take(all(vec![found(1, 10, &[3]), found(2, 20, &[])]));
    assert!(!ahead.is_wanting());
    assert_eq!(next_id(&mut ahead), Some(1));
    assert_eq!(next_id(&mut ahead), Some(2));
    assert_eq!(next_id(&mut ahead), None, "3 waits for 1");
    ahead.go_on(10, Next::Delivered);
    assert_eq!(next_id(&mut ahead), Some(3));
    ahead.go_on(20, Next::Delivered);
    ahead.go_on(10, Next::Delivered);
    assert!(!ahead.is_wanting());
    assert!(ahead.busy().is_empty());
    ahead.outdate();
    assert!(ahead.is_wanting());
}

#[test]
fn the_store_is_asked_again_where_something_was_left_there() {
    // More properties than were read.
    let mut ahead = ReadAhead::default();
    ahead.take(Findings {
        found: vec![found(1, 10, &[])],
        is_cut: true,
    });
    assert!(!ahead.is_wanting(), "something is queued still");
    assert_eq!(next_id(&mut ahead), Some(1));
    assert!(ahead.is_wanting());

    // More behind one property than was read.
    let mut ahead = ReadAhead::default();
    let mut cut = found(1, 10, &[]);
    cut.is_cut = true;
    ahead.take(all(vec![cut]));
    assert_eq!(next_id(&mut ahead), Some(1));
    assert!(!ahead.is_wanting());
    ahead.go_on(10, Next::Delivered);
    assert!(ahead.is_wanting());

    // Something new behind a property that was busy when it was passed over.
    let mut ahead = ReadAhead::default();
    ahead.take(all(vec![found(1, 10, &[])]));
    assert_eq!(next_id(&mut ahead), Some(1));
    ahead.take(all(Vec::new()));
    assert!(!ahead.is_wanting());
    ahead.go_on(10, Next::Delivered);
    assert!(ahead.is_wanting());
}

#[test]
fn after_a_failure_the_rest_of_the_property_waits_in_the_store() {
    for (next, is_wanting) in [(Next::Retry(5_000), false), (Next::Failed, true)] {
        let mut ahead = ReadAhead::default();
        ahead.take(all(vec![found(1, 10, &[2])]));
        assert_eq!(next_id(&mut ahead), Some(1));
        ahead.go_on(10, next);
        assert_eq!(next_id(&mut ahead), None, "{next:?}");
        assert!(ahead.busy().is_empty());
        // What follows one that was given up may go out now.
        assert_eq!(ahead.is_wanting(), is_wanting, "{next:?}");
    }
}

#[test]
fn what_was_read_long_ago_is_read_again_unless_it_is_under_way() {
    let mut ahead = ReadAhead::default();
    ahead.take(all(vec![found(1, 10, &[2]), found(3, 20, &[4])]));
    assert_eq!(next_id(&mut ahead), Some(1));
    ahead.forget_older_than(Duration::from_hours(1));
    assert!(!ahead.is_wanting());
    ahead.forget_older_than(Duration::ZERO);
    assert!(ahead.is_wanting());
    assert_eq!(ahead.busy(), HashSet::from([10]));
    // What follows the one under way comes from the store, too.
    ahead.go_on(10, Next::Delivered);
    assert_eq!(next_id(&mut ahead), None);
    assert!(ahead.is_wanting());
}
