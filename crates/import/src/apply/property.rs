//! Applies rows of properties.

use storage::properties::{self, Address, NewProperty};
use storage::{StorageError, Write};

use crate::row::PropertyRow;

/// The property of a row, with its normalised texts.
pub fn new_property(row: &PropertyRow) -> NewProperty {
    NewProperty {
        uprn: row.uprn,
        address: Address {
            line1: row.line1.clone(),
            line2: row.line2.clone(),
            line3: row.line3.clone(),
            line4: row.line4.clone(),
            post_town: row.post_town.clone(),
            postcode: row.postcode.clone(),
            display_address: row.display_address.clone(),
        },
        address_key: address::normalise(&row.display_address),
        postcode_key: address::postcode(&row.postcode).unwrap_or_default(),
        is_verified: true,
    }
}

/// Applies a row. `false` if the store holds it already.
pub(super) fn apply_property(
    write: &mut Write<'_>,
    row: &PropertyRow,
) -> Result<bool, StorageError> {
    let property = new_property(row);
    let Some(known) = properties::find_known_property(write, row.uprn)? else {
        properties::insert_property(write, &property)?;
        return Ok(true);
    };
    if known.is_verified && known.address == property.address {
        return Ok(false);
    }
    properties::update_property(write, known.id, &property)?;
    Ok(true)
}
