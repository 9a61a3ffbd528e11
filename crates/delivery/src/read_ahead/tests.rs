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
        in_turn: HashSet::new(),
        turn_below: None,
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
        is_cut: true,
        ..all(vec![found(1, 10, &[])])
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

#[test]
fn the_property_that_was_served_last_comes_last() {
    let mut ahead = ReadAhead::default();
    ahead.take(all(vec![found(1, 10, &[]), found(2, 20, &[])]));
    assert_eq!(next_id(&mut ahead), Some(1));
    assert_eq!(next_id(&mut ahead), Some(2));
    ahead.go_on(20, Next::Delivered);
    ahead.go_on(10, Next::Delivered);
    // Both have older deliveries than the third property, and one was tried before.
    let mut tried = found(3, 40, &[]);
    tried.head.attempts = 1;
    let found = vec![
        tried,
        found(4, 10, &[]),
        found(5, 20, &[]),
        found(6, 30, &[]),
    ];
    ahead.take(all(found));
    let order: Vec<_> = std::iter::from_fn(|| next_id(&mut ahead)).collect();
    assert_eq!(order, [6, 4, 5, 3]);
}

#[test]
fn a_turn_goes_on_where_it_was_left() {
    let turn = |properties: &[i64], turn_below| Findings {
        found: properties
            .iter()
            .map(|one| found(*one, *one, &[]))
            .collect(),
        is_cut: true,
        in_turn: properties.iter().copied().collect(),
        turn_below,
    };
    let mut ahead = ReadAhead::default();
    assert_eq!(ahead.turn(), None);
    ahead.take(Findings {
        is_cut: true,
        ..all(vec![found(1, 10, &[])])
    });
    assert_eq!(
        ahead.turn(),
        Some(TurnBelow(None)),
        "a read did not find all"
    );
    ahead.take(turn(&[90, 80, 70], Some(70)));
    assert_eq!(next_id(&mut ahead), Some(1));
    assert_eq!(next_id(&mut ahead), Some(90));
    assert_eq!(next_id(&mut ahead), Some(80));
    // The others were forgotten, because they were read long ago.
    ahead.forget();
    assert_eq!(ahead.turn(), Some(TurnBelow(Some(80))));
    ahead.take(turn(&[70, 60], Some(50)));
    while next_id(&mut ahead).is_some() {}
    assert_eq!(
        ahead.turn(),
        Some(TurnBelow(Some(50))),
        "60 to 50 have nothing due"
    );
    ahead.take(turn(&[20], None));
    assert_eq!(next_id(&mut ahead), Some(20));
    assert_eq!(ahead.turn(), Some(TurnBelow(None)), "the turn begins again");
    ahead.take(Findings {
        found: vec![found(2, 10, &[])],
        ..turn(&[], Some(40))
    });
    assert_eq!(
        ahead.turn(),
        Some(TurnBelow(Some(40))),
        "few down to 40 have anything due"
    );
    ahead.take(all(vec![found(1, 30, &[])]));
    assert_eq!(ahead.turn(), None);
}
