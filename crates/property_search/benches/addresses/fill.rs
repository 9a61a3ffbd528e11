//! Fills an empty store with properties.

use std::collections::HashMap;
use std::path::Path;

use address::{normalise, premises};
use chain::ids::{PropertyId, Uprn};
use generate::GenerateError;
use generate::addresses::Properties;
use import::apply::new_property;
use import::limits;
use import::row::PropertyRow;
use observe::clock::Stopwatch;
use storage::properties::{self, NewProperty};
use storage::{Storage, StorageError};

use super::pairs::Pair;

/// The properties that a store was filled with.
pub(super) struct Filled {
    /// The given properties by the normal form of their addresses.
    by_address: HashMap<String, PropertyId>,
    /// The given properties by the normal form of their premises; several registers may have
    /// entries of the same premises.
    by_premises: HashMap<String, Vec<PropertyId>>,
    count: u64,
    seconds: f64,
}

/// The reasons why a store cannot be filled.
#[derive(Debug, thiserror::Error)]
pub(super) enum FillError {
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Filled {
    pub(super) fn find(&self, address: &str) -> Option<PropertyId> {
        self.by_address.get(&normalise(address)).copied()
    }

    /// All given properties with the same premises.
    pub(super) fn list_twins(&self, address: &str) -> &[PropertyId] {
        let twins = self.by_premises.get(&premises(address));
        twins.map_or(&[], Vec::as_slice)
    }
}

impl std::fmt::Display for Filled {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, seconds, .. } = self;
        write!(
            formatter,
            "{count} properties, stored and indexed in {seconds:.1} s"
        )
    }
}

/// Stores the properties of the pairs and of the table, and adds made-up ones up to `wanted` in
/// all. Of a repeated address only the first property is stored.
pub(super) fn fill(
    storage: &Storage,
    pairs: &[Pair],
    table: Option<&Path>,
    wanted: u64,
) -> Result<Filled, FillError> {
    let stopwatch = Stopwatch::start();
    let mut properties = Properties::default();
    let mut given = Given::new();
    let mut batch = Batch::new(storage);
    for pair in pairs.iter().filter(|pair| !pair.canonical.is_empty()) {
        if let Some(row) = properties.read(&pair.canonical)? {
            batch.add_once(&row, &mut given)?;
        }
    }
    if let Some(file) = table {
        for row in properties.read_table(file)? {
            batch.add_once(&row?, &mut given)?;
        }
    }
    let mut count = u64::try_from(given.len()).unwrap_or(u64::MAX);
    let mut made_up = properties.make_up();
    while count < wanted
        && let Some(row) = made_up.next()
    {
        batch.add(new_property(&row?))?;
        count += 1;
    }
    batch.store()?;
    let (by_address, by_premises) = find_ids(storage, given)?;
    Ok(Filled {
        by_address,
        by_premises,
        count,
        seconds: stopwatch.elapsed().as_secs_f64(),
    })
}

/// Properties to be stored in one transaction.
struct Batch<'a> {
    storage: &'a Storage,
    waiting: Vec<NewProperty>,
}

impl<'a> Batch<'a> {
    fn new(storage: &'a Storage) -> Self {
        Self {
            storage,
            waiting: Vec::new(),
        }
    }

    fn add_once(&mut self, row: &PropertyRow, given: &mut Given) -> Result<(), StorageError> {
        let property = new_property(row);
        if given.contains_key(&property.address_key) {
            return Ok(());
        }
        let place = premises(&property.address.display_address);
        given.insert(property.address_key.clone(), (property.uprn, place));
        self.add(property)
    }

    fn add(&mut self, property: NewProperty) -> Result<(), StorageError> {
        self.waiting.push(property);
        if self.waiting.len() < limits::IMPORT_BATCH_ROWS {
            return Ok(());
        }
        self.store()
    }

    fn store(&mut self) -> Result<(), StorageError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.storage.write_blocking(move |write| {
            for property in &waiting {
                properties::insert_property(write, property)?;
            }
            Ok(())
        })
    }
}

/// The UPRN and premises of each given property, by the normal form of its address.
type Given = HashMap<String, (Uprn, String)>;

type Ids = (
    HashMap<String, PropertyId>,
    HashMap<String, Vec<PropertyId>>,
);

fn find_ids(storage: &Storage, given: Given) -> Result<Ids, StorageError> {
    storage.read_blocking(move |read| {
        let mut by_address = HashMap::with_capacity(given.len());
        let mut by_premises: HashMap<String, Vec<PropertyId>> = HashMap::new();
        for (address, (uprn, place)) in given {
            if let Some(id) = properties::find_property_by_uprn(read, uprn)? {
                by_address.insert(address, id);
                by_premises.entry(place).or_default().push(id);
            }
        }
        Ok((by_address, by_premises))
    })
}
