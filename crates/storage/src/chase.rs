//! The sales under way of a branch, and the notes of its people about chasing them. Only the branch sees
//! the notes.

use chain::ids::{BranchId, ChainId, ListingId};
use chain::milestone::find_by_key;
use jiff::civil::Date;

use crate::milestones::read_optional_date;
use crate::properties::{Address, read_address};
use crate::row::{Row, Value};
use crate::{Read, Result, Write};

/// The newest sales under way of a branch, as the end of a query with the values of [`under_way_values`].
macro_rules! under_way {
    () => {
        " from listing u where u.branch_id = $1 and u.deleted_at is null \
         and exists (select 1 from milestone s where s.listing_id = u.id and s.type_id = $2 \
         and s.deleted_at is null and s.excluded = 0) \
         and not exists (select 1 from milestone x where x.listing_id = u.id \
         and x.type_id in ($3, $4) and x.deleted_at is null and x.excluded = 0) \
         order by u.updated_at desc, u.id desc limit $5"
    };
}
pub(crate) use under_way as sales_under_way;

/// The values of the query.
pub(crate) fn under_way_values(branch: BranchId, limit: i64) -> [Value<'static>; 5] {
    let id_of = |key| find_by_key(key).map_or(0, |milestone| milestone.id);
    [
        branch.into(),
        id_of("sstc").into(),
        id_of("exchange").into(),
        id_of("completion").into(),
        limit.into(),
    ]
}

/// A sale with a buyer that is not exchanged, with the facts that a list of calls shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleUnderWay {
    /// The listing.
    pub listing: ListingId,
    /// Its chain.
    pub chain: ChainId,
    /// The version of the chain.
    pub version: i64,
    /// The address of the property.
    pub address: Address,
    /// The branch's name.
    pub selling_agent: String,
    /// Organisation name, empty if unknown.
    pub seller_conveyancer: String,
    /// Organisation name, empty if unknown.
    pub buyer_conveyancer: String,
    /// Whether nothing stands above the listing, and nobody confirmed it as the top.
    pub is_open_top: bool,
    /// Whether nothing stands below the listing, and nobody confirmed it as the bottom.
    pub is_open_bottom: bool,
}

/// The notes about chasing one sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chase {
    /// The sale.
    pub listing: ListingId,
    /// The last call.
    pub chased: Option<Chased>,
    /// Until when the sale is left alone.
    pub snoozed: Option<Snoozed>,
}

/// Somebody chased a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chased {
    /// Unix seconds.
    pub at: i64,
    /// The name of the person.
    pub person: String,
}

/// Somebody snoozed a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snoozed {
    /// The first day on which the sale is shown again.
    pub until: Date,
    /// Why.
    pub reason: String,
    /// The name of the person.
    pub person: String,
}

/// At most `limit` sales under way of a branch, those that changed last first.
pub fn list_sales_under_way(
    read: &mut Read<'_>,
    branch: BranchId,
    limit: i64,
) -> Result<Vec<SaleUnderWay>> {
    read.query(
        concat!(
            "select l.id, l.chain_id, c.version, p.line1, p.line2, p.line3, p.line4, p.post_town, \
         p.postcode, p.display_address, b.name, l.seller_conveyancer, l.buyer_conveyancer, \
         (select count(*) from link k where k.buyer_listing_id = l.id) \
         + (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select count(*) from link k where k.seller_listing_id = l.id) \
         + (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'bottom') \
         from (select u.id as id",
            under_way!(),
            ") as w join listing l on l.id = w.id join chain c on c.id = l.chain_id \
             join property p on p.id = l.property_id join branch b on b.id = l.branch_id"
        ),
        &under_way_values(branch, limit),
        read_sale,
    )
}

/// The notes about chasing the listings of a branch.
pub fn list_chases(read: &mut Read<'_>, branch: BranchId) -> Result<Vec<Chase>> {
    read.query(
        "select c.listing_id, c.chased_at, w.name, c.snoozed_until, c.reason, s.name \
         from listing l join chase c on c.listing_id = l.id \
         left join person w on w.id = c.chased_by left join person s on s.id = c.snoozed_by \
         where l.branch_id = $1 and l.deleted_at is null",
        &[branch.into()],
        read_chase,
    )
}

/// Notes that a person chased a sale. The sale is not snoozed any more.
pub fn note_chased(write: &mut Write<'_>, listing: ListingId, person: i64, now: i64) -> Result<()> {
    write.execute(
        "insert into chase (listing_id, chased_by, chased_at, reason) values ($1, $2, $3, '') \
         on conflict (listing_id) do update set chased_by = excluded.chased_by, \
         chased_at = excluded.chased_at, snoozed_by = null, snoozed_until = null, reason = ''",
        &[listing.into(), person.into(), now.into()],
    )?;
    Ok(())
}

/// Notes that a person leaves a sale alone until a day.
pub fn snooze_sale(
    write: &mut Write<'_>,
    listing: ListingId,
    person: i64,
    until: Date,
    reason: &str,
) -> Result<()> {
    write.execute(
        "insert into chase (listing_id, snoozed_by, snoozed_until, reason) \
         values ($1, $2, $3, $4) on conflict (listing_id) do update set \
         snoozed_by = excluded.snoozed_by, snoozed_until = excluded.snoozed_until, \
         reason = excluded.reason",
        &[
            listing.into(),
            person.into(),
            (&until.to_string()).into(),
            reason.into(),
        ],
    )?;
    Ok(())
}

fn read_sale(row: &Row<'_>) -> Result<SaleUnderWay> {
    Ok(SaleUnderWay {
        listing: ListingId(row.integer(0)?),
        chain: row.parsed(1)?,
        version: row.integer(2)?,
        address: read_address(row, 3)?,
        selling_agent: row.text(10)?,
        seller_conveyancer: row.text(11)?,
        buyer_conveyancer: row.text(12)?,
        is_open_top: row.integer(13)? == 0,
        is_open_bottom: row.integer(14)? == 0,
    })
}

fn read_chase(row: &Row<'_>) -> Result<Chase> {
    let chased = row.optional_integer(1)?.zip(row.optional_text(2)?);
    let snoozed = read_optional_date(row, 3)?.zip(row.optional_text(5)?);
    let reason = row.text(4)?;
    Ok(Chase {
        listing: ListingId(row.integer(0)?),
        chased: chased.map(|(at, person)| Chased { at, person }),
        snoozed: snoozed.map(|(until, person)| Snoozed {
            until,
            reason,
            person,
        }),
    })
}
