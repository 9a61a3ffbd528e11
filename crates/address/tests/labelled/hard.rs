//! Hard kinds of pairs, and texts that mean none of the homes beside them, made from the real
//! addresses and a seed. Some homes are stored in another form than the registers have.

mod decoys;
mod forms;
mod house;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use fastrand::Rng;

use crate::data::Pair;
use house::{Around, House};

/// Homes of each kind.
const EACH: usize = 350;

/// Decoys of each home.
const DECOYS: usize = 2;

/// The hard kinds: how the home is typed, and how it is stored.
pub(crate) const KINDS: [&str; 12] = [
    "name, a word less",
    "name, a word more",
    "name, words between",
    "house name for its number",
    "building name for its number",
    "number of a range",
    "number of a range, flat",
    "range for a number",
    "202B for 202B, 202",
    "202B, 202 for 202B",
    "flat A, 853 for 853A",
    "853A for flat A, 853",
];

/// Stored addresses, and pairs of a typed text and the address that it means. A pair without such
/// an address is a decoy.
pub(crate) struct Hard {
    pub(crate) addresses: Vec<String>,
    pub(crate) pairs: Vec<Pair>,
}

impl Hard {
    /// Writes `pairs.tsv` and `addresses.tsv`, which the benchmark of a store reads.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut pairs = BufWriter::new(File::create(folder.join("pairs.tsv"))?);
        writeln!(pairs, "category\tmessy\tcanonical")?;
        for pair in &self.pairs {
            let Pair {
                category,
                typed,
                canonical,
            } = pair;
            writeln!(pairs, "{category}\t{typed}\t{canonical}")?;
        }
        let mut addresses = BufWriter::new(File::create(folder.join("addresses.tsv"))?);
        writeln!(addresses, "address\tpostcode")?;
        for line in &self.addresses {
            let (address, postcode) = line.rsplit_once(", ").unwrap_or_default();
            writeln!(addresses, "{address}\t{postcode}")?;
        }
        pairs.flush()?;
        addresses.flush()
    }
}

/// Makes all pairs. Of each postcode one home at most is asked for.
pub(crate) fn make(addresses: &[String], seed: u64) -> Hard {
    let mut random = Rng::with_seed(seed);
    let mut stored: BTreeSet<String> = addresses.iter().cloned().collect();
    let houses = addresses.iter().filter_map(|line| House::read(line));
    let mut houses: Vec<House> = houses.collect();
    random.shuffle(&mut houses);
    let around = Around::new(stored.iter());
    let mut wanted: Vec<(&str, House)> = Vec::new();
    let mut used = BTreeSet::new();
    for kind in KINDS {
        let mut count = 0;
        for house in &houses {
            if count == EACH || used.contains(&house.postcode) {
                continue;
            }
            if let Some(changed) = forms::stored(kind, house, &around, &mut random) {
                stored.remove(&house.line());
                stored.insert(changed.line());
                used.insert(house.postcode.clone());
                wanted.push((kind, changed));
                count += 1;
            }
        }
    }
    let around = Around::new(stored.iter());
    let mut pairs = Vec::new();
    for (kind, house) in &wanted {
        let mut push = |category: String, typed: &House, canonical, random: &mut Rng| {
            pairs.push(Pair {
                category,
                typed: typed.typed(random),
                canonical,
            });
        };
        if let Some(typed) = forms::typed(kind, house, &around, &mut random) {
            push((*kind).to_owned(), &typed, house.line(), &mut random);
        }
        let decoys = decoys::decoys(kind, house, &around, &mut random);
        for (what, typed) in random.choose_multiple(decoys, DECOYS) {
            push(format!("NOT {what}"), &typed, String::new(), &mut random);
        }
    }
    Hard {
        addresses: stored.into_iter().collect(),
        pairs,
    }
}

/// One of the alternatives, which bars separate.
fn pick<'a>(random: &mut Rng, alternatives: &'a str) -> &'a str {
    let alternatives: Vec<&str> = alternatives.split('|').collect();
    alternatives[random.usize(..alternatives.len())]
}

/// Whether a word is one of the alternatives, which bars separate.
fn is_one_of(word: &str, alternatives: &str) -> bool {
    alternatives.split('|').any(|one| one == word)
}
