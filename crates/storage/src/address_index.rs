//! The tokens of each property's address, kept in the transaction that keeps the
//! address, so that a committed property is found at once (S-7).

use address::{INDEX_VERSION, Known, index_tokens};
use chain::ids::PropertyId;

use crate::properties::{self, Address, StoredProperty};
use crate::row::Value;
use crate::{Opening, Result, Storage, StorageError, Write};

/// Properties whose tokens are made anew in one transaction.
const BATCH: i64 = 2_000;

/// The address as crate `address` takes it.
pub fn known(address: &Address) -> Known<'_> {
    Known {
        lines: [
            &address.line1,
            &address.line2,
            &address.line3,
            &address.line4,
        ],
        post_town: &address.post_town,
        postcode: &address.postcode,
        display_address: &address.display_address,
    }
}

pub(crate) fn insert_tokens(
    write: &mut Write<'_>,
    property: PropertyId,
    address: &Address,
) -> Result<()> {
    let tokens = index_tokens(&known(address));
    write.execute(
        "insert into address_token (rowid, tokens) values ($1, $2)",
        &[property.into(), Value::Tokens(&tokens)],
    )?;
    Ok(())
}

pub(crate) fn delete_tokens(write: &mut Write<'_>, property: PropertyId) -> Result<()> {
    write.execute(
        "delete from address_token where rowid = $1",
        &[property.into()],
    )?;
    Ok(())
}

/// Makes all tokens anew if those that are there were made by another version
/// of crate `address`. Cut off, it begins again the next time. Who may not do
/// that is refused: others may search with what is there.
pub(crate) fn bring_up_to_date(storage: &Storage, opening: Opening) -> Result<()> {
    let (found, is_empty) = storage.read_blocking(|read| {
        let version = read.query_exactly_one(
            "select value from revision where name = 'address_index'",
            &[],
            |row| row.integer(0),
        )?;
        let any = read.query_one("select 1 from property limit 1", &[], |_row| Ok(()))?;
        Ok::<_, StorageError>((version, any.is_none()))
    })?;
    match opening {
        _ if found == INDEX_VERSION => return Ok(()),
        Opening::AsItIs if is_empty => return Ok(()),
        Opening::Make if is_empty => {}
        Opening::AsItIs | Opening::Make => {
            let needed = INDEX_VERSION;
            return Err(StorageError::OlderIndex { found, needed });
        }
        Opening::Upgrade => {}
    }
    let mut done = PropertyId(0);
    while let Some(last) =
        storage.write_under_row_locks_blocking(move |write| renew_batch(write, done))?
    {
        if done == PropertyId(0) {
            let version = INDEX_VERSION;
            tracing::info!(version, "the index of addresses is made anew");
        }
        done = last;
    }
    Ok(())
}

/// Makes the tokens of the properties that follow `after`; gives the last of
/// them. None when all are made, by this node or another one.
fn renew_batch(write: &mut Write<'_>, after: PropertyId) -> Result<Option<PropertyId>> {
    // A second node that starts at the same time waits here for its turn.
    let version = write.query_exactly_one(
        "update revision set value = value where name = 'address_index' returning value",
        &[],
        |row| row.integer(0),
    )?;
    if version == INDEX_VERSION {
        return Ok(None);
    }
    let batch: Vec<StoredProperty> = write.query(
        "select id, uprn, line1, line2, line3, line4, post_town, postcode, display_address \
         from property where id > $1 order by id limit $2",
        &[after.into(), BATCH.into()],
        properties::read_property,
    )?;
    for property in &batch {
        delete_tokens(write, property.id)?;
        insert_tokens(write, property.id, &property.address)?;
    }
    if batch.is_empty() {
        write.execute(
            "update revision set value = $1 where name = 'address_index'",
            &[INDEX_VERSION.into()],
        )?;
    }
    Ok(batch.last().map(|property| property.id))
}
