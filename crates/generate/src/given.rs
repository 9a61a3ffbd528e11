//! Reads addresses from a given table, in its order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use address::{normalise, postcode_spaced};
use chain::ids::Uprn;
use import::reader::{RecordReader, open_table};
use import::row::RowError;

use super::GenerateError;
use super::counties::is_county;
use super::property::{Kind, Placeholders, Property};

/// Reads a table with the columns `address`, `postcode` and optionally `uprn`.
#[derive(Debug)]
pub(super) struct GivenAddresses {
    file: PathBuf,
    table: RecordReader,
    columns: Columns,
    cells: Vec<String>,
    /// All UPRNs used so far, and all addresses in their normal form.
    uprns: HashSet<Uprn>,
    addresses: HashSet<String>,
    placeholders: Placeholders,
    counts: GivenCounts,
}

/// The numbers of addresses that were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct GivenCounts {
    /// Addresses without a usable postcode or text.
    pub(super) skipped: u64,
    /// Addresses that repeat an earlier row's address and postcode and have no UPRN that tells them
    /// apart.
    pub(super) repeated: u64,
}

/// The positions of the columns.
#[derive(Debug, Clone, Copy)]
struct Columns {
    address: usize,
    postcode: usize,
    uprn: Option<usize>,
}

impl GivenAddresses {
    /// Opens the table and reads its header.
    pub(super) fn open(file: &Path) -> Result<Self, GenerateError> {
        let mut table = open_table(file)?;
        let mut cells = Vec::new();
        let unusable = |reason: String| GenerateError::Addresses {
            file: file.to_owned(),
            line: 1,
            reason,
        };
        match table.read_record(&mut cells) {
            Some((_, Ok(()))) => {}
            Some((_, Err(error))) => return Err(unusable(error.to_string())),
            None => return Err(unusable("the file is empty".to_owned())),
        }
        let find = |name: &str| cells.iter().position(|cell| cell.trim() == name);
        let needs = |name: &str| unusable(format!("the header line needs a column `{name}`"));
        let columns = Columns {
            address: find("address").ok_or_else(|| needs("address"))?,
            postcode: find("postcode").ok_or_else(|| needs("postcode"))?,
            uprn: find("uprn"),
        };
        Ok(Self {
            file: file.to_owned(),
            table,
            columns,
            cells,
            uprns: HashSet::new(),
            addresses: HashSet::new(),
            placeholders: Placeholders::new(),
            counts: GivenCounts::default(),
        })
    }

    /// The next usable address; `None` at the end.
    pub(super) fn next_property(&mut self) -> Result<Option<Property>, GenerateError> {
        while let Some((line, record)) = self.table.read_record(&mut self.cells) {
            match record {
                Ok(()) => {
                    if let Some(property) = self.read_property()? {
                        return Ok(Some(property));
                    }
                }
                Err(RowError::Unreadable(reason)) => {
                    let file = self.file.clone();
                    return Err(GenerateError::Addresses { file, line, reason });
                }
                Err(_) => self.counts.skipped += 1,
            }
        }
        Ok(None)
    }

    /// Counts the usable addresses, at most up to `limit`.
    pub(super) fn count_up_to(mut self, limit: u64) -> Result<u64, GenerateError> {
        let mut count = 0;
        while count < limit && self.next_property()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// The addresses skipped so far.
    pub(super) const fn counts(&self) -> GivenCounts {
        self.counts
    }

    /// The property of the current record; `None`, and counted, when it is skipped.
    fn read_property(&mut self) -> Result<Option<Property>, GenerateError> {
        let cell = |position: usize| self.cells.get(position).map_or("", |cell| cell.trim());
        let usable = read_property(cell(self.columns.address), cell(self.columns.postcode));
        let Some(property) = usable else {
            self.counts.skipped += 1;
            return Ok(None);
        };
        let given = self
            .columns
            .uprn
            .and_then(|column| Uprn::parse(cell(column)).ok());
        let is_new = self.addresses.insert(normalise(&property.display_address));
        let own_uprn = given.filter(|uprn| self.uprns.insert(*uprn));
        if !is_new && own_uprn.is_none() {
            self.counts.repeated += 1;
            return Ok(None);
        }
        let uprn = match own_uprn {
            Some(uprn) => uprn,
            None => self.take_placeholder()?,
        };
        Ok(Some(Property {
            uprn: Some(uprn),
            ..property
        }))
    }

    /// Takes a placeholder that no row of the table has used.
    fn take_placeholder(&mut self) -> Result<Uprn, GenerateError> {
        loop {
            let placeholder = self.placeholders.take()?;
            if self.uprns.insert(placeholder) {
                return Ok(placeholder);
            }
        }
    }
}

/// The property of an address and its postcode; `None` if an import would refuse it.
pub(super) fn read_property(address: &str, postcode: &str) -> Option<Property> {
    let postcode = postcode_spaced(postcode)?;
    let display_address = format!("{address}, {postcode}");
    if !is_usable(address, &display_address) {
        return None;
    }
    let (lines, post_town) = part_address(address);
    Some(Property {
        uprn: None,
        lines,
        post_town,
        postcode,
        kind: kind_of(address),
        display_address,
        price_thousands: USUAL_PRICE_THOUSANDS,
    })
}

/// Whether an import would accept the address.
fn is_usable(address: &str, display_address: &str) -> bool {
    let has_words = address.chars().any(char::is_alphanumeric);
    let is_plain = unicode::clean(display_address).is_ok();
    has_words && is_plain && display_address.chars().count() <= chain::limits::TEXT_CHARACTERS_MAX
}

/// Splits an address at its commas into four lines and the post town, which is the last part that
/// is not a county. A text with only one part besides counties becomes the first line.
fn part_address(address: &str) -> ([String; 4], String) {
    let mut parts: Vec<&str> = address
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    while parts.len() > 1 && parts.last().is_some_and(|part| is_county(part)) {
        parts.pop();
    }
    let post_town = if parts.len() > 1 { parts.pop() } else { None };
    let further = parts.split_off(parts.len().min(3)).join(", ");
    let mut lines = parts.into_iter().map(str::to_owned);
    let mut next = || lines.next().unwrap_or_default();
    (
        [next(), next(), next(), further],
        post_town.unwrap_or_default().to_owned(),
    )
}

fn kind_of(address: &str) -> Kind {
    let first = address.split([' ', ',']).next().unwrap_or_default();
    let is_flat = ["flat", "apartment", "apt"]
        .iter()
        .any(|word| first.eq_ignore_ascii_case(word));
    if is_flat { Kind::Flat } else { Kind::House }
}

/// The usual price of a house in an unknown place, in thousands of pounds.
const USUAL_PRICE_THOUSANDS: u16 = 290;
