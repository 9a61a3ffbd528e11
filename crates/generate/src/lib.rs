//! Writes sample data: synthetic chains over made-up or given addresses, as an import file.
//!
//! The same options give the same bytes on any machine: every random choice comes from `SplitMix64`
//! with the given seed, and nothing reads a clock. A file of any size needs little memory; for a
//! given table, the addresses and UPRNs are kept so that none is listed twice.

pub mod addresses;
mod branches;
mod calendar;
mod chains;
mod counties;
mod firms;
mod given;
mod made_up;
mod pace;
mod places;
mod property;
pub mod random;
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

/// The options of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateOptions {
    /// The number of listings, 1 to 10,000,000. `None` means one for each given address, or 1,000
    /// for made-up addresses. There are fewer if the given addresses run out.
    pub listings: Option<u64>,
    /// The seed of all random choices.
    pub seed: u64,
    /// A table of addresses: `.csv` or `.tsv`, or either with `.gz`. Its header names the columns
    /// `address`, `postcode` and optionally `uprn`. `None` means made-up addresses.
    pub addresses: Option<PathBuf>,
    /// The reference day, in the years 2000 to 2100. No recorded event is later; only expected and
    /// proposed dates are.
    pub as_of: Date,
    /// Chains of the past, to learn durations from. `None` means none: all chains are recent.
    pub history: Option<History>,
}

/// Chains that began in the past, with long tails, stalls and fall-throughs. Most of them have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct History {
    /// How far back the chains reach, 1 to 3,000 days.
    pub days: u32,
    /// How many of the listings are of the past; the last ones written. `None` means three in five.
    pub listings: Option<u64>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            listings: None,
            seed: 1,
            addresses: None,
            as_of: AS_OF,
            history: None,
        }
    }
}

impl GenerateOptions {
    fn past_listings(&self, listings: u64) -> u64 {
        let wanted = self.history.map(|history| history.listings);
        let wanted = wanted.map(|past| past.unwrap_or(listings / 5 * 3));
        wanted.unwrap_or(0).min(listings)
    }

    fn history_days(&self) -> i32 {
        let days = self.history.map_or(0, |history| history.days);
        i32::try_from(days).unwrap_or(0)
    }
}

/// The numbers of written rows and chains, and of skipped addresses.
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
    /// Chains, including chains of one listing.
    pub chains: u64,
    /// Chains of the type `SPLIT_CHAIN` (S-8).
    pub split_chains: u64,
    /// `milestone` rows.
    pub milestones: u64,
    /// Given addresses skipped because their address or postcode is unusable.
    pub addresses_skipped: u64,
    /// Given addresses skipped because they repeat an earlier row.
    pub addresses_repeated: u64,
}

/// The reasons why sample data cannot be written.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// The number of listings is outside 1 to 10,000,000.
    #[error("{0} listings cannot be made: ask for 1 to 10,000,000")]
    ListingCount(u64),
    /// The day is outside the years 2000 to 2100.
    #[error("{0} cannot be the day of sample data: take one of the years 2000 to 2100")]
    AsOf(Date),
    /// The history is not 1 to 3,000 days long.
    #[error("{0} days of history cannot be made: ask for 1 to 3,000")]
    HistoryDays(u32),
    /// The table of addresses cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The table of addresses cannot be used.
    #[error("{}, line {line}: {reason}", file.display())]
    Addresses {
        /// The file of the table.
        file: PathBuf,
        /// The number of the wrong line, from 1.
        line: u64,
        /// The mistake in the line.
        reason: String,
    },
    /// All placeholders are used up.
    #[error("no placeholder UPRN is left: give fewer addresses without a UPRN")]
    NoPlaceholderLeft,
    /// The data cannot be written.
    #[error("the sample data cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes sample data as NDJSON. Every row follows the rows that it names, and the rows of a chain
/// are adjacent. `out` need not be buffered.
pub fn generate(options: &GenerateOptions, out: &mut dyn Write) -> Result<Summary, GenerateError> {
    if let Some(count) = options
        .listings
        .filter(|count| !(1..=LISTINGS_MAX).contains(count))
    {
        return Err(GenerateError::ListingCount(count));
    }
    let history = options.history.map(|history| history.days);
    if let Some(days) = history.filter(|days| !(1..=HISTORY_DAYS_MAX).contains(days)) {
        return Err(GenerateError::HistoryDays(days));
    }
    let listings = match &options.addresses {
        None => options.listings.unwrap_or(LISTINGS_DEFAULT),
        Some(file) => {
            // The number of listings decides the number of branches, and the branches come first.
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
    /// Writes one sentence for people.
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

/// The default reference day of sample data.
pub const AS_OF: Date = date(2026, 11, 1);

/// The most days of history. No date may be before 1990 (S-55).
pub const HISTORY_DAYS_MAX: u32 = 3_000;
const LISTINGS_DEFAULT: u64 = 1_000;
const LISTINGS_MAX: u64 = 10_000_000;
const BUFFER_BYTES: usize = 64 * 1024;
