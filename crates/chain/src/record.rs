//! What recording a milestone changes, and which event it makes (S-38).

use jiff::civil::Date;

use crate::event::EventType;
use crate::milestone::{MilestoneType, Origin};

/// What is recorded of one milestone of one listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The civil date in Europe/London (S-11); `None` only after enquiries were reopened (S-52).
    pub date: Option<Date>,
    /// The exact moment within that date, Unix seconds, where somebody gave one.
    pub completed_at: Option<i64>,
    /// Who said so (S-51).
    pub origin: Origin,
    /// Not needed for this sale (S-51).
    pub excluded: bool,
}

/// What somebody wants to record. What is `None` stays as it is, or takes its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// The civil date in Europe/London.
    pub date: Date,
    /// The exact moment within that date, Unix seconds.
    pub completed_at: Option<i64>,
    /// Who says so; an agent where nothing else was said (S-51).
    pub origin: Option<Origin>,
    /// Not needed for this sale; needed where nothing else was said.
    pub excluded: Option<bool>,
}

/// What to store, and what to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The milestone from now on.
    pub record: Record,
    /// The event to write, if the date is new and the type is one that subscribers hear of.
    pub event: Option<EventType>,
}

/// Decides about a milestone whose present record is `standing`; `None` for one that was never
/// recorded or is withdrawn. No change where everything stands already (S-38).
pub fn record(kind: &MilestoneType, standing: Option<&Record>, wish: &Wish) -> Option<Change> {
    let is_new_date = standing.is_none_or(|standing| standing.date != Some(wish.date));
    // The same date again says nothing against the exact moment that is known of it.
    let kept = standing.filter(|_| !is_new_date);
    let record = Record {
        date: Some(wish.date),
        completed_at: wish
            .completed_at
            .or_else(|| kept.and_then(|standing| standing.completed_at)),
        origin: wish
            .origin
            .or_else(|| standing.map(|standing| standing.origin))
            .unwrap_or(Origin::Agent),
        excluded: wish
            .excluded
            .or_else(|| standing.map(|standing| standing.excluded))
            .unwrap_or(false),
    };
    if standing == Some(&record) {
        return None;
    }
    let event = kind.emits().filter(|_| is_new_date);
    Some(Change { record, event })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::milestone::{CATALOGUE, find_by_key};

    fn wish(day: i8) -> Wish {
        Wish {
            date: date(2026, 11, day),
            completed_at: None,
            origin: None,
            excluded: None,
        }
    }

    fn standing(day: i8) -> Record {
        Record {
            date: Some(date(2026, 11, day)),
            completed_at: Some(1_795_255_200),
            origin: Origin::Lender,
            excluded: true,
        }
    }

    fn sstc() -> &'static MilestoneType {
        find_by_key("sstc").unwrap()
    }

    #[test]
    fn a_new_one_takes_the_defaults_and_tells() {
        let change = record(sstc(), None, &wish(21)).unwrap();
        let expected = Record {
            date: Some(date(2026, 11, 21)),
            completed_at: None,
            origin: Origin::Agent,
            excluded: false,
        };
        assert_eq!(change.record, expected);
        assert_eq!(change.event, Some(EventType::MilestoneUpdated));
    }

    #[test]
    fn the_same_date_again_changes_and_tells_nothing() {
        assert_eq!(record(sstc(), Some(&standing(21)), &wish(21)), None);
    }

    #[test]
    fn another_date_tells_again_and_forgets_the_moment() {
        let change = record(sstc(), Some(&standing(20)), &wish(21)).unwrap();
        assert_eq!(change.record.completed_at, None);
        assert_eq!(change.record.origin, Origin::Lender);
        assert!(change.record.excluded);
        assert_eq!(change.event, Some(EventType::MilestoneUpdated));
    }

    #[test]
    fn a_date_after_reopening_is_a_new_one() {
        let reopened = Record {
            date: None,
            ..standing(21)
        };
        let opened = find_by_key("enquiries_opened").unwrap();
        let change = record(opened, Some(&reopened), &wish(21)).unwrap();
        assert_eq!(change.event, Some(EventType::MilestoneUpdated));
    }

    #[test]
    fn what_is_no_date_changes_without_telling() {
        let wishes = [
            Wish {
                origin: Some(Origin::Conveyancer),
                ..wish(21)
            },
            Wish {
                excluded: Some(false),
                ..wish(21)
            },
            Wish {
                completed_at: Some(1_795_255_201),
                ..wish(21)
            },
        ];
        for wish in wishes {
            let change = record(sstc(), Some(&standing(21)), &wish).unwrap();
            assert_eq!(change.event, None, "{wish:?}");
        }
    }

    #[test]
    fn each_type_tells_what_the_catalogue_says() {
        for kind in CATALOGUE {
            let change = record(&kind, None, &wish(21)).unwrap();
            assert_eq!(change.event, kind.emits(), "{}", kind.key);
        }
    }
}
