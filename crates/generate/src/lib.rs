//! Writes sample data: synthetic chains over made-up or given addresses, as an import file.
//!
//! The same options give the same bytes on any machine: all chance comes from `SplitMix64`, started
//! from the seed, and nothing reads a clock. A file of any size is made in little memory; of a
//! given table of addresses the addresses and UPRNs are held, so that none is listed twice.

pub mod addresses;
mod branches;
mod calendar;
mod chains;
mod counties;
mod firms;
mod given;
mod made_up;
mod places;
mod property;
mod random;
mod rows;
mod sample;
mod shape;
mod streets;
mod timeline;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use given::GivenAddresses;
use import::reader::OpenError;
use import::row::Row;
use jiff::civil::{Date, date};
use sample::Sample;
use thiserror::Error;

/// What sample data to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateOptions {
    /// How many listings, 1 to 10,000,000. `None`: as many as there are addresses, or 1,000 when
    /// they are made up. There are fewer than asked for when the given addresses do not suffice.
    pub listings: Option<u64>,
    /// The seed that everything random follows from.
    pub seed: u64,
    /// A table of addresses: `.csv` or `.tsv`, or either with `.gz`, whose header names the
    /// columns `address`, `postcode` and, if it likes, `uprn`. `None`: made-up addresses.
    pub addresses: Option<PathBuf>,
    /// The day on which the data is looked at. Nothing in it happened later; only expected and
    /// proposed dates lie beyond. A day of the years 2000 to 2100.
    pub as_of: Date,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            listings: None,
            seed: 1,
            addresses: None,
            as_of: AS_OF,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// All rows.
    pub rows: u64,
    /// `branch` rows.
    pub branches: u64,
    /// `property` rows.
    pub properties: u64,
    /// `listing` rows.
    pub listings: u64,
    /// Chains, those of one listing included.
    pub chains: u64,
    /// Chains of the type `SPLIT_CHAIN` (S-8).
    pub split_chains: u64,
    /// `milestone` rows.
    pub milestones: u64,
    /// Given addresses passed over for want of a usable address or postcode.
    pub addresses_skipped: u64,
    /// Given addresses passed over because they stood in the table before.
    pub addresses_repeated: u64,
}

/// Why sample data cannot be written.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// The number of listings is outside 1 to 10,000,000.
    #[error("{0} listings cannot be made: ask for 1 to 10,000,000")]
    ListingCount(u64),
    /// The day is outside the years 2000 to 2100.
    #[error("{0} cannot be the day of sample data: take one of the years 2000 to 2100")]
    AsOf(Date),
    /// The table of addresses cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The table of addresses cannot be used.
    #[error("{}, line {line}: {reason}", file.display())]
    Addresses {
        /// The table.
        file: PathBuf,
        /// The line that shows it.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// All placeholders are used up.
    #[error("no placeholder UPRN is left: give fewer addresses without a UPRN")]
    NoPlaceholderLeft,
    /// The data cannot be written.
    #[error("the sample data cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes sample data as NDJSON. Every row comes after those that it names, and the rows of a
/// chain stand together. `out` need not be buffered.
pub fn generate(options: &GenerateOptions, out: &mut dyn Write) -> Result<Summary, GenerateError> {
    if let Some(count) = options
        .listings
        .filter(|count| !(1..=LISTINGS_MAX).contains(count))
    {
        return Err(GenerateError::ListingCount(count));
    }
    let listings = match &options.addresses {
        None => options.listings.unwrap_or(LISTINGS_DEFAULT),
        Some(file) => {
            // The number of listings decides how many branches there are, and those come first.
            let wanted = options.listings.unwrap_or(LISTINGS_MAX);
            GivenAddresses::open(file)?.count_up_to(wanted)?
        }
    };
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    Sample::new(options, listings, &mut out)?.write()
}

impl Summary {
    fn count(&mut self, row: &Row) {
        self.rows += 1;
        match row {
            Row::Branch(_) => self.branches += 1,
            Row::Property(_) => self.properties += 1,
            Row::Listing(_) => self.listings += 1,
            Row::Milestone(_) => self.milestones += 1,
            Row::Party(_) | Row::Link(_) | Row::EndCheck(_) => {}
        }
    }
}

impl fmt::Display for Summary {
    /// One sentence for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rows: {} branches, {} properties, {} listings in {} chains ({} split), {} milestones",
            self.rows,
            self.branches,
            self.properties,
            self.listings,
            self.chains,
            self.split_chains,
            self.milestones,
        )?;
        if self.addresses_skipped > 0 {
            write!(
                f,
                "; {} addresses skipped as unusable",
                self.addresses_skipped
            )?;
        }
        if self.addresses_repeated > 0 {
            write!(
                f,
                "; {} addresses skipped as repeated",
                self.addresses_repeated
            )?;
        }
        Ok(())
    }
}

/// The day on which sample data is looked at when no other is named.
pub const AS_OF: Date = date(2026, 11, 1);

const LISTINGS_DEFAULT: u64 = 1_000;
const LISTINGS_MAX: u64 = 10_000_000;
const BUFFER_BYTES: usize = 64 * 1024;
