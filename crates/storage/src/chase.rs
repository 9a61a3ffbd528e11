//! The sales under way of a branch, and the notes of its people about chasing them. Only the branch sees
//! the notes.

use chain::ids::{BranchId, ChainId, ListingId};
use chain::milestone::find_by_key;
use jiff::civil::Date;

use crate::milestone_columns::read_optional_date;
use crate::properties::{Address, read_address};
use crate::row::Row;
use crate::{Read, Result, Write};

/// The sales under offer of the branch `$branch` that changed last, at most `$limit`, as the end of a
/// query. They stand in a partial index.
macro_rules! newest_under_offer {
    ($branch:literal, $limit:literal) => {
        concat!(
            "from listing u where u.branch_id = ",
            $branch,
            " and u.deleted_at is null and u.offer_since is not null \
             order by u.updated_at desc, u.id desc limit ",
            $limit
        )
    };
}
pub(crate) use newest_under_offer as sales_under_offer;

/// A sale with a buyer that is not exchanged, with the facts that a list of calls shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleUnderWay {
    /// The listing.
    pub listing: ListingId,
    /// When it last changed. Unix seconds.
    pub changed_at: i64,
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
    /// The last call.
    pub chased: Option<Chased>,
    /// Until when the sale is left alone.
    pub snoozed: Option<Snoozed>,
}

/// The sales under way among the sales under offer that changed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SalesUnderWay {
    /// Those that changed last first.
    pub sales: Vec<SaleUnderWay>,
    /// How many sales under offer were looked at.
    pub looked_at: i64,
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

/// The sales under way among the `limit` sales under offer of a branch that changed last. A `cross join`
/// makes SQLite begin with them. Otherwise it may walk all chains.
pub fn list_sales_under_way(
    read: &mut Read<'_>,
    branch: BranchId,
    limit: i64,
) -> Result<SalesUnderWay> {
    let id_of = |key| find_by_key(key).map_or(0, |milestone| milestone.id);
    let found = read.query(
        concat!(
            "select l.id, l.chain_id, c.version, p.line1, p.line2, p.line3, p.line4, p.post_town, \
             p.postcode, p.display_address, b.name, l.seller_conveyancer, l.buyer_conveyancer, \
             cast(case when exists (select 1 from link k where k.buyer_listing_id = l.id) \
             or exists (select 1 from end_check e where e.listing_id = l.id \
             and e.chain_end = 'top') then 0 else 1 end as bigint), \
             cast(case when exists (select 1 from link k where k.seller_listing_id = l.id) \
             or exists (select 1 from end_check e where e.listing_id = l.id \
             and e.chain_end = 'bottom') then 0 else 1 end as bigint), l.updated_at, \
             h.chased_at, w.name, h.snoozed_until, h.reason, s.name, \
             cast(case when exists (select 1 from milestone m where m.listing_id = l.id \
             and m.type_id = $1 and m.deleted_at is null and m.excluded = 0) \
             and not exists (select 1 from milestone m where m.listing_id = l.id \
             and m.type_id = $2 and m.deleted_at is null and m.excluded = 0) \
             then 1 else 0 end as bigint) from (select u.id as id ",
            sales_under_offer!("$3", "$4"),
            ") as o cross join listing l cross join chain c cross join property p \
             cross join branch b left join chase h on h.listing_id = l.id \
             left join person w on w.id = h.chased_by \
             left join person s on s.id = h.snoozed_by where l.id = o.id and c.id = l.chain_id \
             and p.id = l.property_id and b.id = l.branch_id \
             order by l.updated_at desc, l.id desc"
        ),
        &[
            id_of("sstc").into(),
            id_of("exchange").into(),
            branch.into(),
            limit.into(),
        ],
        |row| Ok((read_sale(row)?, row.flag(21)?)),
    )?;
    let looked_at = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let under_way = found
        .into_iter()
        .filter(|(_sale, is_under_way)| *is_under_way);
    Ok(SalesUnderWay {
        sales: under_way.map(|(sale, _)| sale).collect(),
        looked_at,
    })
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
    let chased = row.optional_integer(16)?.zip(row.optional_text(17)?);
    let snoozed = read_optional_date(row, 18)?.zip(row.optional_text(20)?);
    let reason = row.optional_text(19)?.unwrap_or_default();
    Ok(SaleUnderWay {
        listing: ListingId(row.integer(0)?),
        changed_at: row.integer(15)?,
        chain: row.parsed(1)?,
        version: row.integer(2)?,
        address: read_address(row, 3)?,
        selling_agent: row.text(10)?,
        seller_conveyancer: row.text(11)?,
        buyer_conveyancer: row.text(12)?,
        is_open_top: row.flag(13)?,
        is_open_bottom: row.flag(14)?,
        chased: chased.map(|(at, person)| Chased { at, person }),
        snoozed: snoozed.map(|(until, person)| Snoozed {
            until,
            reason,
            person,
        }),
    })
}
