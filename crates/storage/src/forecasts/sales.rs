//! Reads the sales of chains with their milestones.

use chain::ids::{BranchId, ChainId, ListingId};
use chain::listing::Tenure;
use chain::progress::Recorded;
use forecast::sale::Sale;

use crate::chase::sales_under_offer;
use crate::milestone_columns::{read_optional_date, read_type};
use crate::row::Row;
use crate::{Read, Result, StorageError};

/// The sales of one chain, by listing id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainSales {
    /// The chain.
    pub chain: ChainId,
    /// Its sales.
    pub sales: Vec<Sale>,
}

/// A query for [`list_chain_sales`], up to the condition on the chain.
macro_rules! select_sales {
    () => {
        "select l.chain_id, l.id, l.tenure, m.type_id, m.date, m.excluded from listing l \
         left join milestone m on m.listing_id = l.id and m.deleted_at is null \
         where l.deleted_at is null and "
    };
}

/// Reads the next `limit` chains after an id, and the id of the last of them. The id is empty before the
/// first page, and the answer is `None` after the last one.
pub fn list_chain_sales(
    read: &mut Read<'_>,
    after: &str,
    limit: i64,
) -> Result<Option<(String, Vec<ChainSales>)>> {
    let ids = read.query(
        "select id from chain where id > $1 order by id limit $2",
        &[after.into(), limit.into()],
        |row| row.text(0),
    )?;
    let Some(last) = ids.into_iter().next_back() else {
        return Ok(None);
    };
    let rows = read.query(
        concat!(select_sales!(), "l.chain_id > $1 and l.chain_id <= $2"),
        &[after.into(), (&last).into()],
        read_part,
    )?;
    Ok(Some((last, gather(rows))))
}

/// Reads the sales of one chain, by listing id.
pub fn list_sales_of_chain(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<Sale>> {
    let rows = read.query(
        concat!(select_sales!(), "l.chain_id = $1"),
        &[(&chain.to_string()).into()],
        read_part,
    )?;
    Ok(gather(rows).into_iter().flat_map(|one| one.sales).collect())
}

/// Reads the sales of the chains of a branch's sales under offer: of the `limit` ones that changed last.
pub fn list_sales_of_branch(
    read: &mut Read<'_>,
    branch: BranchId,
    limit: i64,
) -> Result<Vec<ChainSales>> {
    let rows = read.query(
        concat!(
            select_sales!(),
            "l.chain_id in (select u.chain_id ",
            sales_under_offer!("$1", "$2"),
            ")"
        ),
        &[branch.into(), limit.into()],
        read_part,
    )?;
    Ok(gather(rows))
}

/// A listing and one of its milestones, if it has any.
struct Part {
    chain: ChainId,
    listing: ListingId,
    tenure: Option<Tenure>,
    milestone: Option<Recorded>,
    is_excluded: bool,
}

fn read_part(row: &Row<'_>) -> Result<Part> {
    let has_milestone = row.optional_integer(3)?.is_some();
    let recorded = || {
        Ok::<_, StorageError>(Recorded {
            milestone: read_type(row, 3)?,
            date: read_optional_date(row, 4)?,
        })
    };
    Ok(Part {
        chain: row.parsed(0)?,
        listing: ListingId(row.integer(1)?),
        tenure: Tenure::parse(row.str(2)?),
        milestone: has_milestone.then(recorded).transpose()?,
        is_excluded: has_milestone && row.flag(5)?,
    })
}

fn gather(mut parts: Vec<Part>) -> Vec<ChainSales> {
    parts.sort_by_key(|part| (part.chain, part.listing));
    let mut chains: Vec<ChainSales> = Vec::new();
    for part in parts {
        if chains.last().is_none_or(|last| last.chain != part.chain) {
            chains.push(ChainSales {
                chain: part.chain,
                sales: Vec::new(),
            });
        }
        let Some(ChainSales { sales, .. }) = chains.last_mut() else {
            continue;
        };
        if sales.last().is_none_or(|last| last.listing != part.listing) {
            sales.push(Sale::new(part.listing, part.tenure));
        }
        if let (Some(sale), Some(recorded)) = (sales.last_mut(), part.milestone) {
            sale.record(recorded.milestone, recorded.date, part.is_excluded);
        }
    }
    chains
}
