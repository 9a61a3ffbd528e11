//! What a store holds, for comparing stores, and what a file should put there.

use std::collections::BTreeSet;

use serde_json::Value;
use storage::{Read, Result, Storage};

/// How many rows the tables have that an import fills.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) branches: i64,
    pub(super) properties: i64,
    pub(super) listings: i64,
    pub(super) chains: i64,
    pub(super) links: i64,
    pub(super) milestones: i64,
    pub(super) end_checks: i64,
}

impl Counts {
    pub(super) fn of(storage: &Storage) -> Self {
        storage.read_blocking(Self::read).unwrap()
    }

    /// What the store holds after these rows, none of which is said twice or
    /// corrects another, and no link of which covers an end check.
    pub(super) fn after<'a>(rows: impl IntoIterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for row in rows {
            let row: Value = serde_json::from_str(row).unwrap();
            let count = match row["type"].as_str().unwrap() {
                "branch" => &mut counts.branches,
                "property" => &mut counts.properties,
                "listing" => &mut counts.listings,
                "link" => &mut counts.links,
                "milestone" => &mut counts.milestones,
                "end_check" => &mut counts.end_checks,
                _party => continue,
            };
            *count += 1;
        }
        // Each listing begins a chain, and each link of a forest ends one.
        counts.chains = counts.listings - counts.links;
        counts
    }

    pub(super) fn total(&self) -> i64 {
        let listings = self.branches + self.properties + self.listings;
        listings + self.links + self.milestones + self.end_checks
    }

    fn read(read: &mut Read<'_>) -> Result<Self> {
        let mut count = |sql| read.query_exactly_one(sql, &[], |row| row.integer(0));
        Ok(Self {
            branches: count("select count(*) from branch")?,
            properties: count("select count(*) from property")?,
            listings: count("select count(*) from listing")?,
            chains: count("select count(*) from chain")?,
            links: count("select count(*) from link")?,
            milestones: count("select count(*) from milestone")?,
            end_checks: count("select count(*) from end_check")?,
        })
    }
}

/// Everything that an import puts into a store, without the ids and times that
/// the store gives.
pub(super) fn read_content(storage: &Storage) -> BTreeSet<String> {
    let texts = |read: &mut Read<'_>, sql| read.query(sql, &[], |row| row.text(0));
    storage
        .read_blocking(move |read| {
            let mut content = BTreeSet::new();
            content.extend(texts(read, LISTINGS)?);
            content.extend(texts(read, LINKS)?);
            content.extend(texts(read, MILESTONES)?);
            content.extend(texts(read, ENDS)?);
            Ok::<_, storage::StorageError>(content)
        })
        .unwrap()
}

const LISTINGS: &str = "select 'listing ' || b.reference || '|' || b.name || '|' || l.external_id \
     || '|' || p.uprn || '|' || p.display_address || '|' || p.address_key || '|' || l.price \
     || '|' || l.tenure || '|' || l.transaction_type || '|' || l.seller_conveyancer \
     || '|' || l.buyer_conveyancer || '|' || l.created_at from listing l \
     join branch b on b.id = l.branch_id join property p on p.id = l.property_id";
const LINKS: &str = "select 'link ' || s.external_id || '|' || b.external_id from link k \
     join listing s on s.id = k.seller_listing_id join listing b on b.id = k.buyer_listing_id \
     where s.chain_id = b.chain_id";
const MILESTONES: &str = "select 'milestone ' || l.external_id || '|' || m.type_id || '|' || m.date \
     from milestone m join listing l on l.id = m.listing_id";
const ENDS: &str = "select 'end ' || l.external_id || '|' || e.chain_end \
     from end_check e join listing l on l.id = e.listing_id";
