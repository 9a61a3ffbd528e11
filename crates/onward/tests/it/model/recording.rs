//! What the model does when milestones are recorded and withdrawn.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::catalogue::{self, Kind};
use super::operation::Wish;
use super::rules::{Asker, Done, Outcome, Refusal, VALUE_INVALID};
use super::state::{Event, Milestone, Model};

/// The milestone types with a planned date, which may be in the future.
const EXPECTED: [&str; 5] = [
    "searches_expected",
    "proposed_exchange",
    "proposed_completion",
    "completion_date_set",
    "mortgage_offer_expected",
];

impl Model {
    pub(super) fn refuse_milestone(&self, asker: &Asker, listing: i64, key: &str) -> Vec<Refusal> {
        let refused = self.refuse_pair(asker, &[listing], &[listing]);
        let mut refused = refused.unwrap_or_default();
        if catalogue::find(key).is_none() {
            refused.push((404, "milestone_type_unknown"));
        }
        refused
    }

    pub(super) fn record(
        &mut self,
        asker: &Asker,
        listing: i64,
        key: &str,
        wish: &Wish,
    ) -> Outcome {
        let mut refused = self.refuse_milestone(asker, listing, key);
        let moment = wish.completed_at;
        let date = wish.date.as_ref().and_then(|text| text.parse().ok());
        let date = match (date, moment, &wish.date) {
            (Some(date), None, _) => Some(date),
            (None, Some(moment), None) => Some(date_in_london(moment)),
            _both_or_neither_or_wrong => None,
        };
        let is_origin_known = wish.origin.is_none_or(|origin| (0..=3).contains(&origin));
        if !date.is_some_and(|date| self.is_allowed(key, date)) || !is_origin_known {
            refused.push(VALUE_INVALID);
        }
        let (Some(date), Some(kind), true) = (date, catalogue::find(key), refused.is_empty())
        else {
            return Outcome::Refused(refused);
        };
        let before = self.listing(listing).milestones.get(key).cloned();
        let after = wish.meet(before.as_ref(), date, self.now);
        if before.as_ref() == Some(&after) {
            return Outcome::Done(Done::default());
        }
        let shown_before = before.filter(|before| !before.excluded);
        let shown_before = shown_before.and_then(|before| before.date);
        let is_new_date = !after.excluded && shown_before != Some(date);
        let milestones = &mut self.listing_mut(listing).milestones;
        milestones.insert(kind.key, after);
        self.touch(listing);
        self.note(asker, "milestone.recorded", listing);
        let was_current = self.is_current(listing);
        self.settle(asker, listing, false);
        let may_emit = is_new_date && (was_current || self.is_current(listing));
        let event = self.event(listing, kind, date);
        let events = event.filter(|_| may_emit).into_iter().collect();
        Outcome::Done(Done {
            events,
            ..Done::default()
        })
    }

    /// S-55.
    fn is_allowed(&self, key: &str, date: Date) -> bool {
        let today = date_in_london(self.now);
        let is_expected = EXPECTED.contains(&key);
        let last = today.checked_add(jiff::Span::new().years(if is_expected { 10 } else { 0 }));
        (jiff::civil::date(1990, 1, 1)..=last.unwrap()).contains(&date)
    }

    /// S-38.
    fn event(&self, listing: i64, kind: &Kind, date: Date) -> Option<Event> {
        let label = kind.label?;
        let property = self.property_of(listing);
        let is_fall_through = label == "Fall Through";
        Some(Event {
            kind: if is_fall_through {
                "fallthrough"
            } else {
                "milestone.updated"
            },
            listing,
            property: property.id,
            uprn: property.uprn,
            label: (!is_fall_through).then_some(label),
            date,
        })
    }

    pub(super) fn withdraw(&mut self, asker: &Asker, listing: i64, key: &str) -> Vec<Event> {
        if self.listing_mut(listing).milestones.remove(key).is_some() {
            self.touch(listing);
            self.note(asker, "milestone.withdrawn", listing);
            self.settle(asker, listing, false);
        }
        Vec::new()
    }

    /// S-52.
    pub(super) fn reopen(&mut self, asker: &Asker, listing: i64) -> Vec<Event> {
        let now = self.now;
        let milestones = &mut self.listing_mut(listing).milestones;
        let mut is_changed = milestones.remove("enquiries_closed").is_some();
        if let Some(opened) = milestones.get_mut("enquiries_opened")
            && opened.date.is_some()
        {
            opened.date = None;
            opened.moment = None;
            opened.updated_at = now;
            is_changed = true;
        }
        if is_changed {
            self.touch(listing);
            self.note(asker, "enquiries.reopened", listing);
            self.settle(asker, listing, false);
        }
        Vec::new()
    }
}

impl Wish {
    /// What is recorded once this wish is met.
    fn meet(&self, before: Option<&Milestone>, date: Date, now: i64) -> Milestone {
        let same = before.filter(|before| before.date == Some(date));
        let after = Milestone {
            id: before.and_then(|before| before.id.clone()),
            created_at: before.and_then(|before| before.created_at),
            updated_at: before.map_or(now, |before| before.updated_at),
            date: Some(date),
            moment: self.completed_at.or(same.and_then(|same| same.moment)),
            origin: self.origin.or(before.map(|one| one.origin)).unwrap_or(1),
            excluded: self
                .excluded
                .or(before.map(|one| one.excluded))
                .unwrap_or(false),
        };
        if before == Some(&after) {
            return after;
        }
        Milestone {
            updated_at: now,
            ..after
        }
    }
}

fn date_in_london(moment: i64) -> Date {
    let moment = jiff::Timestamp::from_second(moment).unwrap();
    let london = TimeZone::get("Europe/London").unwrap();
    moment.to_zoned(london).date()
}
