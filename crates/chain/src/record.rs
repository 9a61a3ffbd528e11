//! The change that recording a milestone makes, and the event that it emits (S-38).

use jiff::civil::Date;

use crate::event::EventType;
use crate::milestone::{MilestoneType, Origin};

/// A recorded milestone of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The civil date in Europe/London (S-11); `None` only after enquiries were reopened (S-52).
    pub date: Option<Date>,
    /// The exact time within that date, in Unix seconds, if somebody gave it.
    pub completed_at: Option<i64>,
    /// Who recorded it (S-51).
    pub origin: Origin,
    /// Whether this sale does not need the milestone (S-51).
    pub excluded: bool,
}

/// A request to record a milestone. A member that is `None` keeps its value or takes its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestedRecord {
    /// The civil date in Europe/London.
    pub date: Date,
    /// The exact time within that date, in Unix seconds.
    pub completed_at: Option<i64>,
    /// Who records it; `Agent` by default (S-51).
    pub origin: Option<Origin>,
    /// Whether this sale does not need the milestone; `false` by default.
    pub excluded: Option<bool>,
}

/// The milestone to store and the event to emit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The milestone to store.
    pub record: Record,
    /// The event to write, if the date is new and the type emits events.
    pub event: Option<EventType>,
}

/// Decides about recording a milestone. `present` is the present record; `None` for a milestone
/// that was never recorded or is withdrawn. Returns `None` when nothing changes (S-38).
pub fn record(
    kind: &MilestoneType,
    present: Option<&Record>,
    requested: &RequestedRecord,
) -> Option<Change> {
    let before = present.copied().unwrap_or(Record {
        date: None,
        completed_at: None,
        origin: Origin::Agent,
        excluded: false,
    });
    let date = Some(requested.date);
    // Recording the same date again keeps the exact time.
    let kept = before.completed_at.filter(|_| before.date == date);
    let record = Record {
        date,
        completed_at: requested.completed_at.or(kept),
        origin: requested.origin.unwrap_or(before.origin),
        excluded: requested.excluded.unwrap_or(before.excluded),
    };
    if present == Some(&record) {
        return None;
    }
    // Document 1 shows the date of a milestone only if the sale needs it.
    let shown = |record: &Record| record.date.filter(|_| !record.excluded);
    let is_new = shown(&record).is_some() && present.and_then(shown) != shown(&record);
    let event = kind.emits().filter(|_| is_new);
    Some(Change { record, event })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::milestone::{CATALOGUE, find_by_key};

    const TIME: i64 = 1_795_255_200;

    fn requested(day: i8) -> RequestedRecord {
        RequestedRecord {
            date: date(2026, 11, day),
            completed_at: None,
            origin: None,
            excluded: None,
        }
    }

    fn recorded(day: i8, completed_at: Option<i64>, origin: Origin, excluded: bool) -> Record {
        Record {
            date: Some(date(2026, 11, day)),
            completed_at,
            origin,
            excluded,
        }
    }

    fn record_sstc(present: Option<&Record>, requested: &RequestedRecord) -> Option<Change> {
        record(find_by_key("sstc").unwrap(), present, requested)
    }

    #[test]
    fn a_new_date_emits_and_other_members_keep_their_value_or_take_their_default() {
        let present = recorded(20, Some(TIME), Origin::Lender, false);
        let reopened = Record {
            date: None,
            ..present
        };
        let kept = recorded(21, None, Origin::Lender, false);
        for (present, expected) in [
            (None, recorded(21, None, Origin::Agent, false)),
            (Some(&present), kept),
            (Some(&reopened), kept),
        ] {
            let change = record_sstc(present, &requested(21)).unwrap();
            assert_eq!(change.record, expected, "{present:?}");
            assert_eq!(change.event, Some(EventType::MilestoneUpdated));
        }
    }

    #[test]
    fn the_same_date_again_emits_nothing() {
        let present = recorded(21, Some(TIME), Origin::Lender, false);
        assert_eq!(record_sstc(Some(&present), &requested(21)), None);
        for requested in [
            RequestedRecord {
                origin: Some(Origin::Conveyancer),
                ..requested(21)
            },
            RequestedRecord {
                excluded: Some(true),
                ..requested(21)
            },
            RequestedRecord {
                completed_at: Some(TIME + 1),
                ..requested(21)
            },
        ] {
            let change = record_sstc(Some(&present), &requested).unwrap();
            let expected = Record {
                date: Some(requested.date),
                completed_at: requested.completed_at.or(Some(TIME)),
                origin: requested.origin.unwrap_or(Origin::Lender),
                excluded: requested.excluded.unwrap_or(false),
            };
            assert_eq!((change.record, change.event), (expected, None));
        }
    }

    #[test]
    fn a_milestone_emits_once_the_sale_needs_it() {
        let unneeded = |day| RequestedRecord {
            excluded: Some(true),
            ..requested(day)
        };
        let needed = RequestedRecord {
            excluded: Some(false),
            ..requested(21)
        };
        let present = recorded(21, None, Origin::Agent, true);
        let change = record_sstc(None, &unneeded(21)).unwrap();
        assert_eq!((change.record, change.event), (present, None));
        let change = record_sstc(Some(&present), &requested(22)).unwrap();
        assert_eq!((change.record.excluded, change.event), (true, None));
        let change = record_sstc(Some(&present), &needed).unwrap();
        assert_eq!(change.record, recorded(21, None, Origin::Agent, false));
        assert_eq!(change.event, Some(EventType::MilestoneUpdated));
    }

    #[test]
    fn each_type_emits_the_event_of_the_catalogue() {
        for kind in CATALOGUE {
            let change = record(&kind, None, &requested(21)).unwrap();
            assert_eq!(change.event, kind.emits(), "{}", kind.key);
        }
    }
}
