//! Rebuilds the index of address tokens, and the normal forms, after a change of crate `address`.

use address::INDEX_VERSION;
use chain::ids::PropertyId;

use crate::address_index::{delete_tokens, insert_tokens};
use crate::properties::{self, StoredProperty, select_property};
use crate::{Opening, Result, Storage, StorageError, Write};

/// Properties in one transaction.
const BATCH: i64 = 2_000;

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

/// Rewrites the tokens and normal forms of a batch of properties after `after`. Returns the last one, or `None` when
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
        insert_tokens(
            write,
            property.id,
            &property.address.known(),
            property.is_verified,
        )?;
        let address_key = address::normalise(&property.address.display_address);
        write.execute(
            "update property set address_key = $1 where id = $2 and address_key <> $3",
            &[
                (&address_key).into(),
                property.id.into(),
                (&address_key).into(),
            ],
        )?;
    }
    if batch.is_empty() {
        write.execute(
            "update revision set value = $1 where name = 'address_index'",
            &[INDEX_VERSION.into()],
        )?;
    }
    Ok(batch.last().map(|property| property.id))
}
