//! One row of an import file, with every member checked.

mod error;
mod fields;
mod members;
mod row_type;
mod write;

#[cfg(test)]
mod tests;

use chain::ids::Uprn;
use chain::listing::{Tenure, TransactionType};
use chain::milestone::MilestoneType;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use storage::properties::ADDRESS_KEY_BYTES_MAX;

pub use error::RowError;
pub(crate) use error::quoted;
use fields::Fields;
use members::Members;
use row_type::RowType;
pub use write::date_text;

/// A row with every member checked by itself. The importer checks whether the rows that it names
/// exist.
///
/// [`Row::from_json`] and [`Row::from_cells`] read a row. `serde` writes it as one flat JSON object
/// that begins with `type` and omits empty optional members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Row {
    /// A property with its address.
    Property(PropertyRow),
    /// A branch of an estate agent.
    Branch(BranchRow),
    /// The sale of a property by a branch.
    Listing(ListingRow),
    /// The conveyancer of one side of a listing.
    Party(PartyRow),
    /// A buyer's listing joined to the listing that its seller buys.
    Link(LinkRow),
    /// A milestone of a listing.
    Milestone(MilestoneRow),
    /// A confirmed end of a chain.
    EndCheck(EndCheckRow),
}

/// A row with `type: property`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PropertyRow {
    /// The property's UPRN, a placeholder from 900 000 000 000 where none is assigned (S-12).
    #[serde(serialize_with = "write::uprn")]
    pub uprn: Uprn,
    /// The first address line; never empty. The other lines and the post town are empty if unknown
    /// (S-12).
    pub line1: String,
    /// The second address line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line2: String,
    /// The third address line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line3: String,
    /// The fourth address line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line4: String,
    /// The post town.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub post_town: String,
    /// The postcode in capitals with its space (`LS1 4AP`).
    pub postcode: String,
    /// The address as shown; never empty.
    pub display_address: String,
}

/// A row with `type: branch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchRow {
    /// The reference that other rows use for the branch.
    pub branch: String,
    /// The name shown as the selling agent.
    pub name: String,
    /// The name of the organisation that owns the branch.
    pub participant: String,
}

/// A row with `type: listing`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListingRow {
    /// The reference of the selling branch.
    pub branch: String,
    /// The branch's own id of the listing.
    pub listing: String,
    /// The property on sale.
    #[serde(serialize_with = "write::uprn")]
    pub uprn: Uprn,
    /// The price in whole pounds; 0 when not stated.
    pub price: i64,
    /// The tenure; `None` when unknown.
    #[serde(
        serialize_with = "write::tenure",
        skip_serializing_if = "Option::is_none"
    )]
    pub tenure: Option<Tenure>,
    /// The reasons why the sale is not a standard purchase; each at most once.
    #[serde(
        serialize_with = "write::transaction_types",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub transaction_type: Vec<TransactionType>,
    /// The seller's conveyancer; `None` when not stated, empty to clear it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller_conveyancer: Option<String>,
    /// The buyer's conveyancer; `None` when not stated, empty to clear it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer_conveyancer: Option<String>,
    /// The time of the listing, in Unix seconds; `None` for the time of the import.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
}

/// A row with `type: party`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartyRow {
    /// The reference of the listing's branch.
    pub branch: String,
    /// The branch's own id of the listing.
    pub listing: String,
    /// The side of the sale that the conveyancer acts for.
    pub role: PartyRole,
    /// The organisation's name; empty clears it.
    pub name: String,
}

/// The side of a sale that a conveyancer acts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartyRole {
    /// Acts for the seller of the listing.
    SellerConveyancer,
    /// Acts for the buyer of the listing.
    BuyerConveyancer,
}

/// A row with `type: link`: the seller of the buyer's listing buys the seller's listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkRow {
    /// The branch of the listing above, which is being bought.
    pub seller_branch: String,
    /// The listing above.
    pub seller: String,
    /// The branch of the listing below. Its seller buys.
    pub buyer_branch: String,
    /// The listing below.
    pub buyer: String,
    /// Whether the link may make a split chain (S-46).
    #[serde(skip_serializing_if = "write::is_false")]
    pub split: bool,
}

/// A row with `type: milestone`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MilestoneRow {
    /// The reference of the listing's branch.
    pub branch: String,
    /// The branch's own id of the listing.
    pub listing: String,
    /// The entry of the milestone catalogue (S-50); written as its key.
    #[serde(rename = "key", serialize_with = "write::milestone_key")]
    pub milestone_type: &'static MilestoneType,
    /// The date in London (S-11); for the expected and proposed types, the expected date.
    #[serde(serialize_with = "write::date")]
    pub date: Date,
}

/// A row with `type: end_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndCheckRow {
    /// The reference of the listing's branch.
    pub branch: String,
    /// The branch's own id of a listing of the chain.
    pub listing: String,
    /// The end that is confirmed.
    pub end: ChainEnd,
}

/// An end of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainEnd {
    /// Nothing further is bought above.
    Top,
    /// Nothing further is sold below.
    Bottom,
}

impl Row {
    /// Reads one line of NDJSON without its line end.
    pub fn from_json(line: &str) -> Result<Self, RowError> {
        Self::from_members(Members::from_json(line)?)
    }

    /// Reads one CSV record. `columns` are the names in the header line, and `cells` has the same
    /// order. An empty cell is an absent member.
    pub fn from_cells(columns: &[String], cells: &[String]) -> Result<Self, RowError> {
        Self::from_members(Members::from_cells(columns, cells)?)
    }

    /// Whether a CSV header may name this member: `type`, or a member of any row type.
    pub fn is_member(name: &str) -> bool {
        name == members::TYPE
            || RowType::ALL
                .into_iter()
                .any(|row_type| row_type.members().contains(&name))
    }

    fn from_members(mut members: Members<'_>) -> Result<Self, RowError> {
        let row_type = RowType::take_from(&mut members)?;
        let mut fields = Fields::new(row_type, members)?;
        match row_type {
            RowType::Property => read_property(&mut fields).map(Self::Property),
            RowType::Branch => read_branch(&mut fields).map(Self::Branch),
            RowType::Listing => read_listing(&mut fields).map(Self::Listing),
            RowType::Party => read_party(&mut fields).map(Self::Party),
            RowType::Link => read_link(&mut fields).map(Self::Link),
            RowType::Milestone => read_milestone(&mut fields).map(Self::Milestone),
            RowType::EndCheck => read_end_check(&mut fields).map(Self::EndCheck),
        }
    }
}

impl PropertyRow {
    /// The known lines, the post town and the postcode, joined with `, `. It is shown if the row
    /// gives no display address.
    pub fn joined_address(&self) -> String {
        let parts = [
            &self.line1,
            &self.line2,
            &self.line3,
            &self.line4,
            &self.post_town,
            &self.postcode,
        ];
        let mut joined = String::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            if !joined.is_empty() {
                joined.push_str(", ");
            }
            joined.push_str(part);
        }
        joined
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde's internally tagged enums accept some unknown members and do not name the row type
        // in errors. So the row is read as flat members first.
        Self::from_members(Members::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn read_property(fields: &mut Fields<'_>) -> Result<PropertyRow, RowError> {
    let mut row = PropertyRow {
        uprn: fields.uprn("uprn")?,
        line1: fields.text("line1")?,
        line2: fields.text_or_empty("line2")?,
        line3: fields.text_or_empty("line3")?,
        line4: fields.text_or_empty("line4")?,
        post_town: fields.text_or_empty("post_town")?,
        postcode: fields.postcode("postcode")?,
        display_address: fields.text_or_empty("display_address")?,
    };
    if row.display_address.is_empty() {
        row.display_address = row.joined_address();
    }
    if address::normalise(&row.display_address).len() > ADDRESS_KEY_BYTES_MAX {
        let rule = format!(
            "and the other lines must have at most {ADDRESS_KEY_BYTES_MAX} bytes together in UTF-8"
        );
        return Err(RowError::wrong_value("line1", &row.line1, rule));
    }
    Ok(row)
}

fn read_branch(fields: &mut Fields<'_>) -> Result<BranchRow, RowError> {
    let branch = fields.reference("branch")?;
    let name = fields.text("name")?;
    let participant = fields.text_or_empty("participant")?;
    let participant = if participant.is_empty() {
        name.clone()
    } else {
        participant
    };
    Ok(BranchRow {
        branch,
        name,
        participant,
    })
}

fn read_listing(fields: &mut Fields<'_>) -> Result<ListingRow, RowError> {
    Ok(ListingRow {
        branch: fields.reference("branch")?,
        listing: fields.reference("listing")?,
        uprn: fields.uprn("uprn")?,
        price: fields
            .integer("price", 0..=chain::limits::PRICE_MAX)?
            .unwrap_or(0),
        tenure: fields.tenure("tenure")?,
        transaction_type: fields.transaction_types("transaction_type")?,
        seller_conveyancer: fields.optional_text("seller_conveyancer")?,
        buyer_conveyancer: fields.optional_text("buyer_conveyancer")?,
        created_at: fields.integer("created_at", 0..=CREATED_AT_MAX_SECONDS)?,
    })
}

fn read_party(fields: &mut Fields<'_>) -> Result<PartyRow, RowError> {
    Ok(PartyRow {
        branch: fields.reference("branch")?,
        listing: fields.reference("listing")?,
        role: fields.choice("role", &PARTY_ROLES)?,
        name: fields.text_maybe_empty("name")?,
    })
}

fn read_link(fields: &mut Fields<'_>) -> Result<LinkRow, RowError> {
    Ok(LinkRow {
        seller_branch: fields.reference("seller_branch")?,
        seller: fields.reference("seller")?,
        buyer_branch: fields.reference("buyer_branch")?,
        buyer: fields.reference("buyer")?,
        split: fields.boolean("split")?.unwrap_or(false),
    })
}

fn read_milestone(fields: &mut Fields<'_>) -> Result<MilestoneRow, RowError> {
    Ok(MilestoneRow {
        branch: fields.reference("branch")?,
        listing: fields.reference("listing")?,
        milestone_type: fields.milestone_type("key")?,
        date: fields.date("date")?,
    })
}

fn read_end_check(fields: &mut Fields<'_>) -> Result<EndCheckRow, RowError> {
    Ok(EndCheckRow {
        branch: fields.reference("branch")?,
        listing: fields.reference("listing")?,
        end: fields.choice("end", &CHAIN_ENDS)?,
    })
}

/// The year 2200. A later time was probably given in milliseconds.
const CREATED_AT_MAX_SECONDS: i64 = 7_258_118_400;

const PARTY_ROLES: [(&str, PartyRole); 2] = [
    ("seller_conveyancer", PartyRole::SellerConveyancer),
    ("buyer_conveyancer", PartyRole::BuyerConveyancer),
];

const CHAIN_ENDS: [(&str, ChainEnd); 2] = [("top", ChainEnd::Top), ("bottom", ChainEnd::Bottom)];
