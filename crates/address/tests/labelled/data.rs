//! Reads the addresses and the labelled pairs, and finds the entries of one building.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, read_to_string};
use std::io::Read;
use std::path::PathBuf;

use address::{Candidate, premises};
use flate2::read::GzDecoder;

/// A typed text and the address that it means.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) category: String,
    pub(crate) typed: String,
    pub(crate) canonical: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
}

/// All addresses in one line each, without repeats; `None` when the data is not there.
pub(crate) fn read_addresses(pairs: &[Pair]) -> Option<Vec<String>> {
    let file = File::open(folder().join("addresses_ogl.tsv.gz")).ok()?;
    let mut table = String::new();
    GzDecoder::new(file).read_to_string(&mut table).ok()?;
    let rows = table.lines().skip(1).map(|row| row.split('\t').skip(3));
    let rows = rows.filter_map(|mut cells| Some((cells.next()?, cells.next()?)));
    let rows = rows.map(|(address, postcode)| format!("{}, {postcode}", address.to_uppercase()));
    let canonical = pairs.iter().map(|pair| pair.canonical.clone());
    let addresses: BTreeSet<String> = rows.chain(canonical).collect();
    Some(addresses.into_iter().collect())
}

/// The labelled pairs.
pub(crate) fn read_pairs() -> Vec<Pair> {
    let table = read_to_string(folder().join("noise_pairs_ogl.tsv")).unwrap_or_default();
    let pair = |row: &str| {
        let mut cells = row.split('\t').map(str::to_owned);
        Some(Pair {
            category: cells.next()?,
            typed: cells.next()?,
            canonical: cells.next()?,
        })
    };
    table.lines().skip(1).filter_map(pair).collect()
}

/// The ids of entries by their premises.
pub(crate) struct Premises(HashMap<String, Vec<usize>>);

impl Premises {
    pub(crate) fn new(addresses: &[String]) -> Self {
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        for (id, display) in addresses.iter().enumerate() {
            entries.entry(premises(display)).or_default().push(id);
        }
        Self(entries)
    }

    /// The entries of an address and of its twins in other registers.
    pub(crate) fn twins(&self, display: &str) -> &[usize] {
        self.0.get(&premises(display)).map_or(&[], Vec::as_slice)
    }
}

/// Splits a line at its commas into up to four lines, the town and the postcode.
pub(crate) fn split(id: usize, display: &str) -> Candidate<usize> {
    let mut parts: Vec<&str> = display.split(", ").collect();
    let postcode = parts.pop().unwrap_or_default().to_owned();
    let town = (parts.len() > 1).then(|| parts.pop().unwrap_or_default());
    let line = |at: usize| parts.get(at).copied().unwrap_or_default().to_owned();
    Candidate {
        id,
        lines: [
            line(0),
            line(1),
            line(2),
            parts.get(3..).unwrap_or_default().join(", "),
        ],
        post_town: town.unwrap_or_default().to_owned(),
        postcode,
        display_address: display.to_owned(),
        is_verified: false,
    }
}
