//! The current listing of each property, and the offers that decide about it (S-6).

use chain::current::{self, Candidate, Effect, ListingWrite, Offer};
use chain::ids::{ListingId, PropertyId, Uprn};

use crate::history::{self, NewEntry};
use crate::milestone_columns::read_optional_date;
use crate::properties::read_uprn;
use crate::row::Row;
use crate::{Read, Result, Write, chain_holds, chains};

/// The milestone of a listing `l` of this type, if it counts for an offer.
macro_rules! counted {
    ($type_id:literal) => {
        concat!(
            "(select m.date from milestone m where m.listing_id = l.id and m.type_id = ",
            $type_id,
            " and m.excluded = 0 and m.deleted_at is null)"
        )
    };
}

pub(crate) use counted;

/// The first link of a listing `l`.
macro_rules! first_link {
    () => {
        "(select min(k.at) from (select x.created_at as at from link x where x.buyer_listing_id = l.id \
         union all select y.created_at from link y where y.seller_listing_id = l.id) k)"
    };
}

pub(crate) use first_link;

/// The columns of [`read_candidate`], of a listing `l`.
macro_rules! candidate_columns {
    () => {
        concat!(
            "l.id, l.created_at, l.updated_at, l.offer_since, ",
            $crate::current_listings::counted!("1"),
            ", ",
            $crate::current_listings::first_link!()
        )
    };
}
pub(crate) use candidate_columns;

/// Who writes, when, and how long a current listing may stay unwritten before it can lose its place
/// (rule (e) of S-6).
#[derive(Debug, Clone, Copy)]
pub struct Settling<'a> {
    /// The actor of the history: the client's id, `operator` or `import`.
    pub actor: &'a str,
    /// Unix seconds.
    pub now: i64,
    /// The setting `offer_idle_days` in seconds.
    pub idle_seconds: i64,
}

/// Who changed the current listing, for the history.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The client's id, `operator` or `import`.
    pub actor: &'a str,
    /// Unix seconds.
    pub now: i64,
    /// Details as JSON.
    pub detail: &'a str,
}

/// The current listing of a property before and after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Before the write.
    pub before: Option<ListingId>,
    /// After the write.
    pub after: Option<ListingId>,
}

impl Settled {
    /// Whether a write to this listing emits its events.
    pub fn was_or_is(&self, listing: ListingId) -> bool {
        self.before == Some(listing) || self.after == Some(listing)
    }
}

/// Decides after a write to a listing whether it is under offer and which listing of its property is
/// current. `is_new` says that the write brought the listing to the property. A change is written to
/// the history of both listings.
pub fn settle(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    listing: ListingId,
    is_new: bool,
) -> Result<Settled> {
    let written = settle_offer(write, listing, settling.now)?;
    let before = written.current;
    if before == Some(listing) && !written.is_deleted && written.effect == Effect::Other {
        // The usual case: the current listing stays current whatever the other listings are.
        return Ok(Settled {
            before,
            after: before,
        });
    }
    let effect = if is_new {
        Effect::Created
    } else {
        written.effect
    };
    let write_to = ListingWrite { listing, effect };
    settle_property(write, settling, written.property, before, write_to)
}

/// Decides which listing of a property is current after a listing moved from it to another property.
pub fn settle_after_move(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    property: PropertyId,
    moved: ListingId,
) -> Result<Settled> {
    let write_to = ListingWrite {
        listing: moved,
        effect: Effect::Other,
    };
    let before = find_current(write, property)?;
    settle_property(write, settling, property, before, write_to)
}

fn settle_property(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    property: PropertyId,
    before: Option<ListingId>,
    write_to: ListingWrite,
) -> Result<Settled> {
    let candidates = list_candidates(write, property)?;
    let (now, idle_seconds) = (settling.now, settling.idle_seconds);
    let after = current::decide(before, &candidates, write_to, now, idle_seconds);
    let settled = Settled { before, after };
    let decision = Decision {
        actor: settling.actor,
        now,
        detail: "{}",
    };
    store(write, &decision, property, settled)?;
    Ok(settled)
}

/// A listing after a write, once it is decided whether it is under offer.
#[derive(Debug, Clone, Copy)]
pub struct SettledOffer {
    /// Its property.
    pub property: PropertyId,
    /// The current listing of the property before the write.
    pub current: Option<ListingId>,
    /// Whether the listing is deleted.
    pub is_deleted: bool,
    /// How its offer changed. Never [`Effect::Created`].
    pub effect: Effect,
}

/// The columns of [`read_offer`], of a listing `l` and its property `p`.
macro_rules! offer_columns {
    () => {
        concat!(
            "l.property_id, p.current_listing_id, l.offer_since, l.deleted_at, \
             cast(case when exists (select 1 from link x where x.buyer_listing_id = l.id) or exists \
             (select 1 from link y where y.seller_listing_id = l.id) then 1 else 0 end as bigint), ",
            $crate::current_listings::counted!("1"),
            ", ",
            $crate::current_listings::counted!("111"),
            ", ",
            $crate::current_listings::counted!("110")
        )
    };
}
pub(crate) use offer_columns;

/// Updates whether a listing is under offer.
pub fn settle_offer(write: &mut Write<'_>, listing: ListingId, now: i64) -> Result<SettledOffer> {
    let (mut settled, since, offer) = write.query_exactly_one(
        concat!(
            "select ",
            offer_columns!(),
            " from listing l join property p on p.id = l.property_id where l.id = $1"
        ),
        &[listing.into()],
        read_offer,
    )?;
    settled.effect = effect_on(since, &offer);
    if settled.effect == Effect::Other {
        return Ok(settled);
    }
    let since = offer.stands().then_some(now);
    write.execute(
        "update listing set offer_since = $1 where id = $2",
        &[since.into(), listing.into()],
    )?;
    Ok(settled)
}

/// How a write changed an offer that began at this time.
pub(crate) fn effect_on(since: Option<i64>, offer: &Offer) -> Effect {
    match (since, offer.stands()) {
        (None, true) => Effect::OfferBegan,
        (Some(_), false) => Effect::OfferEnded,
        _ => Effect::Other,
    }
}

pub(crate) fn read_offer(row: &Row<'_>) -> Result<(SettledOffer, Option<i64>, Offer)> {
    let is_deleted = row.optional_integer(3)?.is_some();
    let offer = Offer {
        is_deleted,
        is_linked: row.flag(4)?,
        sstc: read_optional_date(row, 5)?,
        fall_through: read_optional_date(row, 6)?,
        is_completed: row.optional_text(7)?.is_some(),
    };
    let settled = SettledOffer {
        property: PropertyId(row.integer(0)?),
        current: row.optional_integer(1)?.map(ListingId),
        is_deleted,
        effect: Effect::Other,
    };
    Ok((settled, row.optional_integer(2)?, offer))
}

/// Makes a listing the current one of its property, which the operator may do.
pub fn make_current(
    write: &mut Write<'_>,
    decision: &Decision<'_>,
    property: PropertyId,
    listing: ListingId,
) -> Result<Settled> {
    let settled = Settled {
        before: find_current(write, property)?,
        after: Some(listing),
    };
    store(write, decision, property, settled)?;
    Ok(settled)
}

/// A property with two or more listings under offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestedListing {
    /// The UPRN of the property.
    pub uprn: Uprn,
    /// The address of the property in one line.
    pub display_address: String,
    /// The listing under offer.
    pub listing: ListingId,
    /// The name of its branch.
    pub branch: String,
    /// When its offer began. Unix seconds.
    pub offer_since: i64,
    /// Whether it is the current one.
    pub is_current: bool,
}

/// Lists the listings under offer of all properties that have two or more of them, by property and
/// then by the beginning of the offer.
pub fn list_contested(read: &mut Read<'_>) -> Result<Vec<ContestedListing>> {
    read.query(
        "select p.uprn, p.display_address, l.id, b.name, l.offer_since, p.current_listing_id \
         from listing l join property p on p.id = l.property_id join branch b on b.id = l.branch_id \
         where l.offer_since is not null and l.property_id in (select x.property_id from listing x \
         where x.offer_since is not null group by x.property_id having count(*) > 1) \
         order by p.id, l.offer_since, l.id",
        &[],
        |row| {
            let listing = ListingId(row.integer(2)?);
            Ok(ContestedListing {
                uprn: read_uprn(row, 0)?,
                display_address: row.text(1)?,
                listing,
                branch: row.text(3)?,
                offer_since: row.integer(4)?,
                is_current: row.optional_integer(5)? == Some(listing.0),
            })
        },
    )
}

fn find_current(read: &mut Read<'_>, property: PropertyId) -> Result<Option<ListingId>> {
    read.query_exactly_one(
        "select current_listing_id from property where id = $1",
        &[property.into()],
        |row| Ok(row.optional_integer(0)?.map(ListingId)),
    )
}

fn list_candidates(read: &mut Read<'_>, property: PropertyId) -> Result<Vec<Candidate>> {
    read.query(
        concat!(
            "select ",
            candidate_columns!(),
            " from listing l where l.property_id = $1 and l.deleted_at is null"
        ),
        &[property.into()],
        read_candidate,
    )
}

pub(crate) fn read_candidate(row: &Row<'_>) -> Result<Candidate> {
    Ok(Candidate {
        listing: ListingId(row.integer(0)?),
        created_at: row.integer(1)?,
        updated_at: row.integer(2)?,
        offer_since: row.optional_integer(3)?,
        sstc: read_optional_date(row, 4)?,
        linked_at: row.optional_integer(5)?,
    })
}

/// Stores a change of the current listing, and notes it.
fn store(
    write: &mut Write<'_>,
    decision: &Decision<'_>,
    property: PropertyId,
    settled: Settled,
) -> Result<()> {
    let Settled { before, after } = settled;
    if before == after {
        return Ok(());
    }
    write.execute(
        "update property set current_listing_id = $1 where id = $2",
        &[after.map(|listing| listing.0).into(), property.into()],
    )?;
    chain_holds::note_current(write, &[property], decision.now)?;
    note(write, decision, settled)
}

/// Writes a change of the current listing to the history of both listings.
pub(crate) fn note(write: &mut Write<'_>, decision: &Decision<'_>, settled: Settled) -> Result<()> {
    // The first and the last listing of a property take no place from another listing.
    let (Some(before), Some(after)) = (settled.before, settled.after) else {
        return Ok(());
    };
    for (listing, action) in [(before, "current.lost"), (after, "current.gained")] {
        if let Some(chain) = chains::find_chain_of_listing(write, listing)? {
            let entry = NewEntry {
                listing,
                chain,
                action,
                actor: decision.actor,
                detail: decision.detail,
            };
            history::append_history(write, &entry, decision.now)?;
        }
    }
    Ok(())
}

/// The current listing of a property and its branch's name, if it is linked, listed or SSTC (S-91).
pub fn find_listing_to_link(
    read: &mut Read<'_>,
    property: PropertyId,
) -> Result<Option<(ListingId, String)>> {
    read.query_one(
        concat!(
            "select l.id, b.name from property p join listing l on l.id = p.current_listing_id \
             join branch b on b.id = l.branch_id where p.id = $1 and (",
            first_link!(),
            " is not null or coalesce(",
            counted!("1"),
            ", ",
            counted!("101"),
            ") is not null)"
        ),
        &[property.into()],
        |row| Ok((ListingId(row.integer(0)?), row.text(1)?)),
    )
}
