//! Applies rows of properties.

use storage::properties::{Address, NewProperty};

use super::known::KnownProperty;
use super::{Applied, Batch, PropertyRow};

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

impl Batch {
    pub(super) fn apply_property(&mut self, row: &PropertyRow) -> Applied {
        let property = new_property(row);
        let known = self.known.properties.get_mut(&row.uprn);
        let id = match known {
            Some(known) if known.is_verified && known.address == property.address => {
                return Ok(false);
            }
            Some(known) => {
                known.address.clone_from(&property.address);
                known.is_verified = true;
                known.id
            }
            None => {
                let id = self.pending.next_property()?;
                let known = KnownProperty {
                    id,
                    address: property.address.clone(),
                    is_verified: true,
                    is_new: true,
                };
                self.known.properties.insert(row.uprn, known);
                id
            }
        };
        self.pending.put_property(id, property);
        Ok(true)
    }
}
