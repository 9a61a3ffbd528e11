//! Records and withdraws milestones, and enqueues their events (S-34, S-38).

use std::ops::RangeInclusive;

use chain::current::Offer;
use chain::event::EventType;
use chain::ids::ListingId;
use chain::london::date_in_london;
use chain::milestone::{self, MilestoneType};
use chain::record::{self, Change, Record, RequestedRecord};
use jiff::civil::Date;
use storage::Write;
use storage::enqueue::{self, QueuedEvent};
use storage::events::{self, NewEvent};
use storage::listings::StoredListing;
use storage::milestones::{self, MilestoneValues, StoredMilestone};
use uuid::Uuid;
use web::problem::Problem;

use super::author::Author;
use super::current;
use super::history::{ListingInChain, MilestoneDetail};
use super::listings::find_own_listing;

/// The days that a milestone of this type may have (S-55).
pub fn list_days(kind: &MilestoneType, now: i64) -> Result<RangeInclusive<Date>, Problem> {
    let days = date_in_london(now).map(|today| kind.dates(today));
    days.ok_or_else(|| Problem::Internal("the clock is out of range".to_owned()))
}

/// Refuses another day than [`list_days`] allows.
pub fn check_day(day: Date, days: &RangeInclusive<Date>) -> Result<(), String> {
    if days.contains(&day) {
        Ok(())
    } else {
        Err(format!("must be from {} to {}", days.start(), days.end()))
    }
}

/// Records a milestone of one of the caller's listings. Returns the stored milestone.
pub fn record_milestone(
    write: &mut Write<'_>,
    author: &Author<'_>,
    listing: ListingId,
    kind: &'static MilestoneType,
    requested: &RequestedRecord,
) -> Result<StoredMilestone, Problem> {
    let listing = find_own_listing(write, author.caller, listing)?;
    let stored = milestones::find_milestone(write, listing.id, kind.id)?;
    let standing = stored.as_ref().filter(|stored| stored.deleted_at.is_none());
    let record = standing.map(record_of);
    let change = record::record(kind, record.as_ref(), requested);
    if let Some(change) = &change {
        store(write, author, &listing, kind, change)?;
    }
    let stored = match (stored, change) {
        (Some(stored), None) => Some(stored),
        (Some(stored), Some(change)) => Some(changed(&stored, &change.record, author.now)),
        (None, _) => milestones::find_milestone(write, listing.id, kind.id)?,
    };
    stored.ok_or_else(|| Problem::Internal("a recorded milestone is missing".to_owned()))
}

/// A stored milestone after a change, as the store has it.
fn changed(stored: &StoredMilestone, record: &Record, now: i64) -> StoredMilestone {
    let Record {
        date,
        completed_at,
        origin,
        excluded,
    } = *record;
    StoredMilestone {
        date,
        completed_at,
        origin,
        excluded,
        updated_at: now,
        deleted_at: None,
        ..stored.clone()
    }
}

/// Withdraws a milestone, if it is recorded.
pub fn withdraw_milestone(
    write: &mut Write<'_>,
    author: &Author<'_>,
    listing: ListingId,
    kind: &'static MilestoneType,
) -> Result<(), Problem> {
    let listing = find_own_listing(write, author.caller, listing)?;
    if find_standing(write, listing.id, kind)?.is_none() {
        return Ok(());
    }
    milestones::withdraw_milestone(write, listing.id, kind.id, author.now)?;
    let detail = MilestoneDetail::withdrawn(kind);
    let at = ListingInChain::from(&listing);
    author
        .history()
        .note(write, at, "milestone.withdrawn", &detail)?;
    decide_current(write, author, &listing, Offer::depends_on(kind))?;
    Ok(())
}

/// Withdraws Enquiries Closed and forgets the date of Enquiries Opened (S-52).
pub fn reopen_enquiries(
    write: &mut Write<'_>,
    author: &Author<'_>,
    listing: ListingId,
) -> Result<(), Problem> {
    let listing = find_own_listing(write, author.caller, listing)?;
    let was_closed = withdraw_closed(write, listing.id, author.now)?;
    if clear_opened(write, listing.id, author.now)? || was_closed {
        let at = ListingInChain::from(&listing);
        author
            .history()
            .note(write, at, "enquiries.reopened", &serde_json::json!({}))?;
        decide_current(write, author, &listing, false)?;
    }
    Ok(())
}

fn store(
    write: &mut Write<'_>,
    author: &Author<'_>,
    listing: &StoredListing,
    kind: &'static MilestoneType,
    change: &Change,
) -> Result<(), Problem> {
    let Record {
        date,
        completed_at,
        origin,
        excluded,
    } = change.record;
    let values = MilestoneValues {
        date,
        completed_at,
        origin,
        excluded,
    };
    milestones::store_milestone(write, listing.id, kind, &values, author.now)?;
    let detail = MilestoneDetail::recorded(kind, &change.record);
    let at = ListingInChain::from(listing);
    author
        .history()
        .note(write, at, "milestone.recorded", &detail)?;
    let may_emit = decide_current(write, author, listing, Offer::depends_on(kind))?;
    if let (true, Some(event_type), Some(date)) = (may_emit, change.event, date) {
        let event = NewEvent {
            event_id: &format!("evt_{}", Uuid::new_v4()),
            event_type,
            listing: listing.id,
            property: listing.property,
            uprn: listing.uprn,
            // Document 1 has no label in `fallthrough`.
            label: kind
                .label
                .filter(|_| event_type == EventType::MilestoneUpdated),
            date,
            detail: None,
        };
        let queued = QueuedEvent {
            row: events::insert_event(write, &event, author.now)?,
            event_type,
            property: listing.property,
            uprn: listing.uprn,
            chains: [listing.chain; 2],
        };
        enqueue::enqueue_event(write, &queued, author.now_milliseconds)?;
    }
    Ok(())
}

/// Decides after a write to milestones which listing is current (S-6). `may_change_offer` says whether
/// the write can begin or end an offer. Returns whether the write emits its events: the listing was
/// current before it or is current after it.
fn decide_current(
    write: &mut Write<'_>,
    author: &Author<'_>,
    listing: &StoredListing,
    may_change_offer: bool,
) -> Result<bool, Problem> {
    let standing = listing.standing;
    let may_take_place = !standing.is_current && standing.is_under_offer;
    if !may_change_offer && !may_take_place {
        return Ok(standing.is_current);
    }
    let decided = current::decide(write, &author.settling(), listing.id, false)?;
    Ok(decided.was_or_is(listing.id))
}

/// Withdraws the milestone that closed the enquiries. `false` if there is none.
fn withdraw_closed(write: &mut Write<'_>, listing: ListingId, now: i64) -> Result<bool, Problem> {
    let Some(closed) = milestone::find_by_key("enquiries_closed") else {
        return Ok(false);
    };
    if find_standing(write, listing, closed)?.is_none() {
        return Ok(false);
    }
    milestones::withdraw_milestone(write, listing, closed.id, now)?;
    Ok(true)
}

/// Clears the date on which the enquiries were opened. `false` if there is none.
fn clear_opened(write: &mut Write<'_>, listing: ListingId, now: i64) -> Result<bool, Problem> {
    let Some(opened) = milestone::find_by_key("enquiries_opened") else {
        return Ok(false);
    };
    let standing = find_standing(write, listing, opened)?;
    let Some(standing) = standing.filter(|standing| standing.date.is_some()) else {
        return Ok(false);
    };
    let values = MilestoneValues {
        date: None,
        completed_at: None,
        origin: standing.origin,
        excluded: standing.excluded,
    };
    milestones::store_milestone(write, listing, opened, &values, now)?;
    Ok(true)
}

fn find_standing(
    write: &mut Write<'_>,
    listing: ListingId,
    kind: &'static MilestoneType,
) -> Result<Option<StoredMilestone>, Problem> {
    let found = milestones::find_milestone(write, listing, kind.id)?;
    Ok(found.filter(|found| found.deleted_at.is_none()))
}

fn record_of(stored: &StoredMilestone) -> Record {
    Record {
        date: stored.date,
        completed_at: stored.completed_at,
        origin: stored.origin,
        excluded: stored.excluded,
    }
}
