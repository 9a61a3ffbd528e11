//! Erases listings: the rows about one sale go, and the commitments that prove other sales stay (S-61, S-63).
//!
//! An erasure is marked first. Then its rows go in small parts, and the rest goes in one last transaction. So it
//! can be repeated after a crash at any moment.

mod kept_answers;
mod rows;

use std::collections::BTreeMap;

use chain::ids::PropertyId;

use crate::erased_places::{decode_erased, encode_erased};
use crate::row::Row;
use crate::sealing::{SealedDocument, decode_listings};
use crate::state_log::{WaitingState, read_state};
use crate::{Read, Result, Write, address_index};

pub use self::kept_answers::{AnswerPage, delete_answers, read_answers};
pub use self::rows::{ErasedRows, delete_rows, list_rows};

/// A listing that was erased, or is being erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    /// Its id.
    pub listing: i64,
    /// Its property.
    pub property: i64,
    /// When the listing was created, which tells it from a listing of another store. Unix seconds.
    pub created_at: i64,
    /// When its erasure began. Unix seconds.
    pub erased_at: i64,
    /// When everything was gone. `None`: not yet. Unix seconds.
    pub finished_at: Option<i64>,
}

/// A sealed version that names a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedIn {
    /// The chain.
    pub chain: String,
    /// Its version.
    pub version: i64,
}

/// Sealed versions of a part of the store that name a listing.
#[derive(Debug, Default)]
pub struct NamingPage {
    /// These versions.
    pub named: Vec<NamedIn>,
    /// The last version of the part, to go on after. `None`: nothing is left.
    pub last: Option<(String, i64)>,
}

/// A query for [`read_erasure`], up to its condition.
macro_rules! select_erasure {
    () => {
        "select listing_id, property_id, created_at, erased_at, finished_at from erasure "
    };
}

/// All erasures, by the ids of their listings.
pub fn list_erasures(read: &mut Read<'_>) -> Result<Vec<Erasure>> {
    let sql = concat!(select_erasure!(), "order by listing_id");
    read.query(sql, &[], read_erasure)
}

/// The erasure of a listing. `None` if nobody began one.
pub fn find_erasure(read: &mut Read<'_>, listing: i64) -> Result<Option<Erasure>> {
    read.query_one(
        concat!(select_erasure!(), "where listing_id = $1"),
        &[listing.into()],
        read_erasure,
    )
}

/// When a listing was created, in Unix seconds. `None` if the store has no such listing.
pub fn find_created_at(read: &mut Read<'_>, listing: i64) -> Result<Option<i64>> {
    read.query_one(
        "select created_at from listing where id = $1",
        &[listing.into()],
        |row| row.integer(0),
    )
}

/// Marks a withdrawn listing as erased: from now on no past state is found by its property. A listing without a
/// secret gets this one, which commits to states that are in no log. Returns `None` for a listing that is not
/// withdrawn, and changes nothing then.
pub fn begin(
    write: &mut Write<'_>,
    listing: i64,
    erased_at: i64,
    secret: &[u8; 32],
) -> Result<Option<Erasure>> {
    write.execute(
        "insert into erasure (listing_id, property_id, created_at, erased_at) \
         select id, property_id, created_at, $1 from listing where id = $2 and deleted_at is not null \
         on conflict (listing_id) do nothing",
        &[erased_at.into(), listing.into()],
    )?;
    let Some(erasure) = find_erasure(write, listing)? else {
        return Ok(None);
    };
    if erasure.finished_at.is_none() {
        // A node that logs a version now finds this secret, and so does each part of the erasure.
        write.execute(
            "insert into listing_secret (listing_id, secret) values ($1, $2) \
             on conflict (listing_id) do nothing",
            &[listing.into(), secret.as_slice().into()],
        )?;
        release(write, listing, erasure.property)?;
    }
    Ok(Some(erasure))
}

/// The properties that had a listing as their current one, at any time. Usually one, and more if the listing moved.
pub fn list_holding(read: &mut Read<'_>, listing: i64) -> Result<Vec<i64>> {
    read.query(
        "select distinct property_id from chain_holds where listing_id = $1",
        &[listing.into()],
        |row| row.integer(0),
    )
}

/// No past state is found by this property any more, as far as it was the listing's.
pub fn release(write: &mut Write<'_>, listing: i64, property: i64) -> Result<()> {
    write.execute(
        "update chain_holds set listing_id = null, chain_id = null where listing_id = $1 \
         and property_id = $2",
        &[listing.into(), property.into()],
    )?;
    Ok(())
}

/// Looks through at most `limit` sealed versions after a chain and version for those whose documents still have
/// the property of a listing.
pub fn find_named(
    read: &mut Read<'_>,
    listing: i64,
    after: &(String, i64),
    limit: i64,
) -> Result<NamingPage> {
    let (chain, version) = after;
    let mut page = NamingPage::default();
    let looked_at = read.query(
        "select chain_id, version, listings, erased from sealed \
         where (chain_id, version) > ($1, $2) order by chain_id, version limit $3",
        &[chain.into(), (*version).into(), limit.into()],
        |row| {
            let key = (row.text(0)?, row.integer(1)?);
            // Rows from before the log name no listings.
            let listings = row.bytes(2).ok().and_then(|bytes| decode_listings(&bytes));
            let erased = row.bytes(3).ok().and_then(|bytes| decode_erased(&bytes));
            let erased = erased.unwrap_or_default();
            let listings = listings.unwrap_or_default();
            let mut places = listings.iter().enumerate();
            let is_named =
                places.any(|(place, one)| *one == listing && !erased.contains_key(&place));
            Ok((key, is_named))
        },
    )?;
    for ((chain, version), is_named) in looked_at {
        page.last = Some((chain.clone(), version));
        if is_named {
            page.named.push(NamedIn { chain, version });
        }
    }
    Ok(page)
}

/// Reads a sealed version. `None` if it is gone after its retention.
pub fn find_sealed(read: &mut Read<'_>, named: &NamedIn) -> Result<Option<WaitingState>> {
    read.query_one(
        "select chain_id, version, recorded_at, form, digest, document, listings, erased from sealed \
         where chain_id = $1 and version = $2",
        &[(&named.chain).into(), named.version.into()],
        read_state,
    )
}

/// Replaces the document of a sealed version by one that lacks the erased properties.
pub fn replace_document(
    write: &mut Write<'_>,
    named: &NamedIn,
    document: &SealedDocument,
    erased: &BTreeMap<usize, [u8; 32]>,
) -> Result<()> {
    write.execute(
        "update sealed set form = $1, digest = $2, document = $3, erased = $4 \
         where chain_id = $5 and version = $6",
        &[
            document.form.into(),
            document.digest.as_slice().into(),
            document.document.as_slice().into(),
            encode_erased(erased).as_slice().into(),
            (&named.chain).into(),
            named.version.into(),
        ],
    )?;
    Ok(())
}

/// Statements that delete the last rows of a listing, and then the listing itself.
const LAST_ROWS: [&str; 8] = [
    "delete from milestone where listing_id = $1",
    "delete from end_check where listing_id = $1",
    "delete from chase where listing_id = $1",
    "delete from note where listing_id = $1",
    "delete from share where listing_id = $1",
    "delete from history where listing_id = $1",
    "delete from link_proposal where seller_listing_id = $1",
    "delete from link_proposal where buyer_listing_id = $1",
];

/// Deletes what is left of a listing, its secret and itself. Its property goes too, unless it has another
/// listing. Nobody can open the listing's commitments after this.
pub fn finish(write: &mut Write<'_>, erasure: &Erasure, now: i64) -> Result<()> {
    let listing = erasure.listing;
    for statement in LAST_ROWS {
        write.execute(statement, &[listing.into()])?;
    }
    write.execute("delete from listing where id = $1", &[listing.into()])?;
    let property = erasure.property;
    let is_listed = write.exists(
        "select 1 from listing where property_id = $1 limit 1",
        &[property.into()],
    )?;
    if !is_listed {
        address_index::delete_tokens(write, PropertyId(property))?;
        for statement in [
            "delete from chain_holds where property_id = $1",
            "delete from property where id = $1",
        ] {
            write.execute(statement, &[property.into()])?;
        }
    }
    write.execute(
        "delete from listing_secret where listing_id = $1",
        &[listing.into()],
    )?;
    write.execute(
        "update erasure set finished_at = $1 where listing_id = $2 and finished_at is null",
        &[now.into(), listing.into()],
    )?;
    Ok(())
}

fn read_erasure(row: &Row<'_>) -> Result<Erasure> {
    Ok(Erasure {
        listing: row.integer(0)?,
        property: row.integer(1)?,
        created_at: row.integer(2)?,
        erased_at: row.integer(3)?,
        finished_at: row.optional_integer(4)?,
    })
}
