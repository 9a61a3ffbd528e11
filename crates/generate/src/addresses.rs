//! Makes properties without chains, for a store to search in. Their UPRNs are placeholders.

use std::path::Path;

use import::row::PropertyRow;

use super::GenerateError;
use super::given::{self, GivenAddresses};
use super::made_up::MadeUpAddresses;
use super::property::{Placeholders, Property};
use super::random::Random;

/// Makes properties from several sources; no UPRN appears twice.
#[derive(Debug)]
pub struct Properties {
    placeholders: Placeholders,
}

impl Default for Properties {
    /// Starts with the first placeholder UPRN.
    fn default() -> Self {
        Self {
            placeholders: Placeholders::new(),
        }
    }
}

impl Properties {
    /// The property of an address in one text that ends with the postcode; `None` if it is
    /// unusable.
    pub fn read(&mut self, text: &str) -> Result<Option<PropertyRow>, GenerateError> {
        let Some((address, postcode)) = text.rsplit_once(',') else {
            return Ok(None);
        };
        let property = given::read_property(address.trim(), postcode);
        property.map(|found| self.number(found)).transpose()
    }

    /// The properties of a table, read as `onward generate` reads it.
    pub fn read_table(
        &mut self,
        file: &Path,
    ) -> Result<impl Iterator<Item = Result<PropertyRow, GenerateError>>, GenerateError> {
        let mut table = GivenAddresses::open(file)?;
        Ok(std::iter::from_fn(move || {
            let property = table.next_property().transpose()?;
            Some(property.and_then(|found| self.number(found)))
        }))
    }

    /// Made-up properties, until all are used.
    pub fn make_up(&mut self) -> impl Iterator<Item = Result<PropertyRow, GenerateError>> {
        let mut random = Random::new(SEED);
        let mut made_up = MadeUpAddresses::new(SEED);
        std::iter::from_fn(move || {
            let town = made_up.pick_town(&mut random);
            let property = made_up.next_property(town, false)?;
            Some(self.number(property))
        })
    }

    fn number(&mut self, mut property: Property) -> Result<PropertyRow, GenerateError> {
        Ok(property.take_row(self.placeholders.take()?))
    }
}

/// One seed is enough: the choice of made-up properties matters little.
const SEED: u64 = 1;
