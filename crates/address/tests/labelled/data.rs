//! Reads the addresses and the labelled pairs.

use std::collections::BTreeSet;
use std::fs::{File, read_to_string};
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;

/// What somebody types, and the address that is meant.
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
pub(crate) fn read_addresses() -> Option<Vec<String>> {
    let file = File::open(folder().join("addresses_ogl.tsv.gz")).ok()?;
    let mut table = String::new();
    GzDecoder::new(file).read_to_string(&mut table).ok()?;
    let lines = table.lines().skip(1);
    let mut addresses: BTreeSet<String> = lines
        .filter_map(|line| {
            let mut cells = line.split('\t').skip(3);
            let (address, postcode) = (cells.next()?, cells.next()?);
            Some(format!("{}, {postcode}", address.to_uppercase()))
        })
        .collect();
    addresses.extend(read_pairs().into_iter().map(|pair| pair.canonical));
    Some(addresses.into_iter().collect())
}

/// The labelled pairs.
pub(crate) fn read_pairs() -> Vec<Pair> {
    let table = read_to_string(folder().join("noise_pairs_ogl.tsv")).unwrap_or_default();
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| {
            let mut cells = line.split('\t').map(str::to_owned);
            Some(Pair {
                category: cells.next()?,
                typed: cells.next()?,
                canonical: cells.next()?,
            })
        })
        .collect()
}
