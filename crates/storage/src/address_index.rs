//! The index of address tokens. The transaction that writes an address also writes its tokens, so a
//! search finds a property as soon as it is committed (S-7).

use address::{INDEX_VERSION, Known, index_tokens};
use chain::ids::PropertyId;

use crate::properties::{self, Address, StoredProperty, select_property};
use crate::row::Value;
use crate::{Opening, Result, Storage, StorageError, Write};

/// Properties in one transaction of a rebuild.
const BATCH: i64 = 2_000;

/// Converts an address for crate `address`.
fn known(address: &Address) -> Known<'_> {
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

/// Rebuilds the index if another version of crate `address` wrote it. An interrupted rebuild starts
/// again. An error if `opening` must not rebuild it, because other programs may search it.
pub(crate) fn bring_up_to_date(storage: &Storage, opening: Opening) -> Result<()> {
    let (found, is_empty) = storage.read_blocking(|read| -> Result<_> {
        let version = "select value from revision where name = 'address_index'";
        let version = read.query_integer(version, &[])?;
        Ok((version, !properties::has_properties(read)?))
    })?;
    match opening {
        _ if found == INDEX_VERSION => Ok(()),
        Opening::Unchanged if is_empty => Ok(()),
        Opening::Unchanged | Opening::Create if !is_empty => Err(StorageError::OlderIndex {
            found,
            needed: INDEX_VERSION,
        }),
        Opening::Unchanged | Opening::Create | Opening::Upgrade => rebuild(storage),
    }
}

fn rebuild(storage: &Storage) -> Result<()> {
    let mut done = PropertyId(0);
    while let Some(last) =
        storage.write_under_row_locks_blocking(move |write| rebuild_batch(write, done))?
    {
        if done == PropertyId(0) {
            let version = INDEX_VERSION;
            tracing::info!(version, "the address index is being rebuilt");
        }
        done = last;
    }
    Ok(())
}

/// Rewrites the tokens of a batch of properties after `after`. Returns the last one, or `None` when
/// this or another node has finished.
fn rebuild_batch(write: &mut Write<'_>, after: PropertyId) -> Result<Option<PropertyId>> {
    // This update locks the row, so nodes that start at the same time take turns.
    let version = write.query_integer(
        "update revision set value = value where name = 'address_index' returning value",
        &[],
    )?;
    if version == INDEX_VERSION {
        return Ok(None);
    }
    let batch: Vec<StoredProperty> = write.query(
        concat!(select_property!(), "where id > $1 order by id limit $2"),
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
