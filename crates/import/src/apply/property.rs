//! Applies rows of properties, and gives homes with a placeholder their UPRN (S-12).

use std::collections::BTreeMap;

use chain::ids::{PropertyId, Uprn};
use storage::batches;
use storage::properties::{Address, NewProperty};
use storage::{StorageError, Write};

use super::known::{Known, KnownProperty};
use super::{Applied, Batch, PropertyRow, Row};

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
        let placeholders = self.known.placeholders.remove(&row.uprn);
        let mut placeholders = placeholders.unwrap_or_default().into_iter();
        let mut is_known = false;
        let id = match self.known.properties.get_mut(&row.uprn) {
            Some(known) => {
                is_known = known.is_verified && known.address == property.address;
                known.address.clone_from(&property.address);
                known.is_verified = true;
                known.id
            }
            None => self.add_property(&property, placeholders.next())?,
        };
        let moved: Vec<_> = placeholders.collect();
        for placeholder in &moved {
            self.move_listings(*placeholder, row.uprn, id);
        }
        if !is_known {
            self.pending.put_property(id, property);
        }
        Ok(!is_known || !moved.is_empty())
    }

    /// A property that the store does not have: a new one, or the one that had a placeholder until now.
    fn add_property(
        &mut self,
        property: &NewProperty,
        placeholder: Option<PropertyId>,
    ) -> Result<PropertyId, StorageError> {
        let id = match placeholder {
            Some(id) => {
                self.pending.number_placeholder(id, property.uprn, None);
                id
            }
            None => self.pending.next_property()?,
        };
        let known = KnownProperty {
            id,
            address: property.address.clone(),
            is_verified: true,
            is_new: placeholder.is_none(),
        };
        self.known.properties.insert(property.uprn, known);
        Ok(id)
    }

    /// Moves all listings of a property with a placeholder to the property with the UPRN of the home.
    fn move_listings(&mut self, placeholder: PropertyId, uprn: Uprn, home: PropertyId) {
        self.pending
            .number_placeholder(placeholder, uprn, Some(home));
        self.unsettled.note_property(placeholder);
        self.unsettled.note_property(home);
        for listing in self.known.listings.values_mut() {
            let property = &mut listing.found.details.property;
            if *property == placeholder {
                *property = home;
            }
        }
    }
}

impl Known {
    /// Finds the properties with a placeholder that are certainly the homes of rows, by the UPRNs of the rows. A
    /// placeholder that a row names is the operator's own.
    pub(super) fn load_placeholders(
        &mut self,
        write: &mut Write<'_>,
        rows: &[Row],
    ) -> Result<(), StorageError> {
        let mut postcodes: BTreeMap<String, BTreeMap<Uprn, Address>> = BTreeMap::new();
        for row in rows {
            if let Row::Property(row) = row {
                let new = new_property(row);
                let homes = postcodes.entry(new.postcode_key).or_default();
                homes.insert(new.uprn, new.address);
            }
        }
        let keys: Vec<&str> = postcodes.keys().map(String::as_str).collect();
        for found in batches::find_placeholders(write, &keys)? {
            let key = address::postcode(&found.address.postcode).unwrap_or_default();
            let Some(homes) = postcodes.get(&key) else {
                continue;
            };
            if homes.contains_key(&found.uprn) {
                continue;
            }
            let Some(uprn) = property_search::find_certain(write, &found, homes)? else {
                continue;
            };
            let others = self.placeholders.entry(uprn).or_default();
            let home = self.properties.get(&uprn).map(|known| known.id);
            // Two sales in one chain are never of one home (S-41).
            let is_apart = match home.or(others.first().copied()) {
                Some(home) => !batches::share_a_chain(write, home, found.id)?,
                None => true,
            };
            if is_apart {
                others.push(found.id);
            }
        }
        Ok(())
    }
}
