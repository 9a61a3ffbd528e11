//! Properties: buildings and flats with an address and a UPRN.

use address::Known;
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};

use crate::row::Row;
use crate::{Read, Result, StorageError, Write, address_index};

/// A query for [`read_property`], up to its condition.
macro_rules! select_property {
    () => {
        "select id, uprn, line1, line2, line3, line4, post_town, postcode, display_address, \
         verified from property "
    };
}
pub(crate) use select_property;

/// An address in the parts of document 1. Unknown lines are empty (S-12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    /// First line.
    pub line1: String,
    /// Second line.
    pub line2: String,
    /// Third line.
    pub line3: String,
    /// Fourth line.
    pub line4: String,
    /// Post town.
    pub post_town: String,
    /// Postcode with its space.
    pub postcode: String,
    /// The whole address in one line.
    pub display_address: String,
}

impl Address {
    /// The form that crate `address` reads.
    pub(crate) fn known(&self) -> Known<'_> {
        Known {
            lines: [&self.line1, &self.line2, &self.line3, &self.line4],
            post_town: &self.post_town,
            postcode: &self.postcode,
            display_address: &self.display_address,
        }
    }
}

/// Bytes of [`NewProperty::address_key`]. An index of PostgreSQL refuses a row of more than 2,704 bytes.
pub const ADDRESS_KEY_BYTES_MAX: usize = 2_000;

/// A property to be stored, with the normal forms for address search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProperty {
    /// Its UPRN. No other property has it.
    pub uprn: Uprn,
    /// Its address.
    pub address: Address,
    /// `address::normalise` of the display address.
    pub address_key: String,
    /// `address::postcode` of the postcode.
    pub postcode_key: String,
    /// Whether an import confirms the address.
    pub is_verified: bool,
}

/// A property with an address that no import has confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnverifiedProperty {
    /// Its UPRN.
    pub uprn: Uprn,
    /// Its address in one line.
    pub display_address: String,
    /// The name of the branch with its current listing.
    pub branch: String,
}

/// A stored property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProperty {
    /// Its id.
    pub id: PropertyId,
    /// Its UPRN.
    pub uprn: Uprn,
    /// Its address.
    pub address: Address,
    /// Whether an import has confirmed the address.
    pub is_verified: bool,
}

/// Finds a property by its id.
pub fn find_property(read: &mut Read<'_>, id: PropertyId) -> Result<Option<StoredProperty>> {
    read.query_one(
        concat!(select_property!(), "where id = $1"),
        &[id.into()],
        read_property,
    )
}

/// The property of a listing, and its UPRN. The listing exists.
pub fn find_property_of_listing(
    read: &mut Read<'_>,
    listing: ListingId,
) -> Result<(PropertyId, Uprn)> {
    read.query_exactly_one(
        "select p.id, p.uprn from listing l join property p on p.id = l.property_id where l.id = $1",
        &[listing.into()],
        |row| Ok((PropertyId(row.integer(0)?), read_uprn(row, 1)?)),
    )
}

/// The UPRNs of a chain's properties, in ascending order.
pub fn list_uprns_of_chain(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<Uprn>> {
    read.query(
        "select distinct p.uprn from listing l join property p on p.id = l.property_id \
         where l.chain_id = $1 and l.deleted_at is null order by p.uprn",
        &[(&chain.to_string()).into()],
        |row| read_uprn(row, 0),
    )
}

/// The number of properties with this normal form of the address, and one page of them, by id. They
/// need no listing.
pub fn list_properties_by_address(
    read: &mut Read<'_>,
    address_key: &str,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<StoredProperty>)> {
    let total = read.query_integer(
        "select count(*) from property where address_key = $1",
        &[address_key.into()],
    )?;
    let properties = read.query(
        concat!(
            select_property!(),
            "where address_key = $1 order by id limit $2 offset $3"
        ),
        &[address_key.into(), limit.into(), offset.into()],
        read_property,
    )?;
    Ok((total, properties))
}

/// The number of properties of a postcode, and one page of them, by id. They need no listing.
pub fn list_properties_by_postcode(
    read: &mut Read<'_>,
    postcode_key: &str,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<StoredProperty>)> {
    let total = read.query_integer(
        "select count(*) from property where postcode_key = $1",
        &[postcode_key.into()],
    )?;
    let properties = read.query(
        concat!(
            select_property!(),
            "where postcode_key = $1 order by id limit $2 offset $3"
        ),
        &[postcode_key.into(), limit.into(), offset.into()],
        read_property,
    )?;
    Ok((total, properties))
}

/// Whether there is any property.
pub fn has_properties(read: &mut Read<'_>) -> Result<bool> {
    read.exists("select id from property limit 1", &[])
}

/// Finds a property's id by its UPRN.
pub fn find_property_by_uprn(read: &mut Read<'_>, uprn: Uprn) -> Result<Option<PropertyId>> {
    read.query_one(
        "select id from property where uprn = $1",
        &[uprn.value().into()],
        |row| Ok(PropertyId(row.integer(0)?)),
    )
}

/// Finds a property by its UPRN.
pub fn find_known_property(read: &mut Read<'_>, uprn: Uprn) -> Result<Option<StoredProperty>> {
    read.query_one(
        concat!(select_property!(), "where uprn = $1"),
        &[uprn.value().into()],
        read_property,
    )
}

/// Lists the properties with a current listing and an address that no import has confirmed, by id.
pub fn list_unverified(read: &mut Read<'_>) -> Result<Vec<UnverifiedProperty>> {
    read.query(
        "select p.uprn, p.display_address, b.name from property p \
         join listing l on l.id = p.current_listing_id join branch b on b.id = l.branch_id \
         where p.verified = 0 order by p.id",
        &[],
        |row| {
            Ok(UnverifiedProperty {
                uprn: read_uprn(row, 0)?,
                display_address: row.text(1)?,
                branch: row.text(2)?,
            })
        },
    )
}

pub(crate) fn read_property(row: &Row<'_>) -> Result<StoredProperty> {
    Ok(StoredProperty {
        id: PropertyId(row.integer(0)?),
        uprn: read_uprn(row, 1)?,
        address: read_address(row, 2)?,
        is_verified: row.flag(9)?,
    })
}

/// Reads an address from seven columns that begin at `first`.
pub(crate) fn read_address(row: &Row<'_>, first: usize) -> Result<Address> {
    Ok(Address {
        line1: row.text(first)?,
        line2: row.text(first + 1)?,
        line3: row.text(first + 2)?,
        line4: row.text(first + 3)?,
        post_town: row.text(first + 4)?,
        postcode: row.text(first + 5)?,
        display_address: row.text(first + 6)?,
    })
}

pub(crate) fn read_uprn(row: &Row<'_>, column: usize) -> Result<Uprn> {
    let value = row.integer(column)?;
    Uprn::new(value).ok_or_else(|| StorageError::Corrupt(format!("{value} is no UPRN")))
}

/// Takes the next placeholder UPRN (S-12). It skips numbers that an import used. The counter's row is
/// locked, so that two writers never take the same number.
pub fn next_placeholder_uprn(write: &mut Write<'_>) -> Result<Uprn> {
    let next = write.query_integer(
        "update counter set value = value + 1 where name = 'placeholder_uprn' returning value",
        &[],
    )?;
    let used_up = || StorageError::Corrupt("all placeholder UPRNs are used up".to_owned());
    let next = Uprn::new(next).ok_or_else(used_up)?;
    if find_property_by_uprn(write, next)?.is_none() {
        return Ok(next);
    }
    Uprn::new(skip_imported(write, next.value())?).ok_or_else(used_up)
}

/// Moves the counter to the first free number above a taken one, and returns it.
fn skip_imported(write: &mut Write<'_>, taken: i64) -> Result<i64> {
    let next = write.query_integer(
        "select p.uprn + 1 from property p where p.uprn >= $1 \
         and not exists (select 1 from property n where n.uprn = p.uprn + 1) \
         order by p.uprn limit 1",
        &[taken.into()],
    )?;
    write.execute(
        "update counter set value = $1 where name = 'placeholder_uprn'",
        &[next.into()],
    )?;
    Ok(next)
}

/// Inserts a property and its address tokens.
pub fn insert_property(write: &mut Write<'_>, property: &NewProperty) -> Result<PropertyId> {
    let address = &property.address;
    let id = write.insert(
        "insert into property (uprn, line1, line2, line3, line4, post_town, postcode, \
         display_address, address_key, postcode_key, verified) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id",
        &[
            property.uprn.value().into(),
            (&address.line1).into(),
            (&address.line2).into(),
            (&address.line3).into(),
            (&address.line4).into(),
            (&address.post_town).into(),
            (&address.postcode).into(),
            (&address.display_address).into(),
            (&property.address_key).into(),
            (&property.postcode_key).into(),
            property.is_verified.into(),
        ],
    )?;
    let id = PropertyId(id);
    address_index::insert_tokens(write, id, &address.known(), property.is_verified)?;
    Ok(id)
}
