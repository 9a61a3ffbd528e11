//! The index of address tokens. The transaction that writes an address also writes its tokens, so a
//! search finds a property as soon as it is committed (S-7).

use address::{Known, index_tokens};
use chain::ids::PropertyId;

use crate::row::Value;
use crate::{Result, Write};

pub(crate) fn insert_tokens(
    write: &mut Write<'_>,
    property: PropertyId,
    address: &Known<'_>,
    is_verified: bool,
) -> Result<()> {
    let tokens = index_tokens(address, is_verified);
    write.execute(
        "insert into address_token (rowid, tokens) values ($1, $2)",
        &[property.into(), Value::Tokens(&tokens)],
    )?;
    Ok(())
}

/// As [`insert_tokens`], for many properties, their addresses, and whether these are verified.
pub(crate) fn insert_all_tokens<'a>(
    write: &mut Write<'_>,
    addresses: impl Iterator<Item = (PropertyId, Known<'a>, bool)>,
) -> Result<()> {
    let rows: Vec<_> = addresses
        .map(|(id, address, is_verified)| (id.0, index_tokens(&address, is_verified)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    write.insert_tokens(&rows)
}

pub(crate) fn delete_tokens(write: &mut Write<'_>, property: PropertyId) -> Result<()> {
    write.execute(
        "delete from address_token where rowid = $1",
        &[property.into()],
    )?;
    Ok(())
}
