//! Makes the root of a log again from its entries.

use std::collections::BTreeMap;

use evidence::entry::Entry;
use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::note::VerifierKey;
use log::tile::{FULL_WIDTH, cut_bundle, parse_bundle};
use log::tree::hash_leaf;
use storage::state_log::{ENTRIES, StoredLog, find_tile};

use super::{Audit, AuditedLog};
use crate::fault::Fault;
use crate::tree::{HASH_BYTES, Place, place_of};

/// The entries of a log by their kinds, and those that the store's rows account for.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Entries {
    pub(super) states: u64,
    pub(super) states_found: u64,
    pub(super) keys: u64,
    pub(super) keys_found: u64,
}

/// A tree that is built again.
struct Again {
    frontier: Frontier,
    /// Tiles that nobody has compared yet.
    tiles: BTreeMap<Place, Vec<u8>>,
    /// The head at the size of the checkpoint.
    signed: Option<TreeHead>,
    /// The entries that count. Those of a closed log without a checkpoint are in the next log again.
    counted: u64,
    entries: Entries,
}

impl Audit<'_> {
    /// Reads all entries of a log, and compares tiles, root and signature.
    pub(super) fn read_log(&mut self, stored: &StoredLog) -> Result<Entries, Fault> {
        let is_newest = self.logs.keys().max() == Some(&stored.number);
        let counted = if is_newest {
            stored.size
        } else {
            stored.signed_size
        };
        let mut again = Again {
            frontier: Frontier::new(),
            tiles: BTreeMap::new(),
            signed: (stored.signed_size == 0).then(TreeHead::empty),
            counted: counted.unsigned_abs(),
            entries: Entries::default(),
        };
        let bundles = stored.size.unsigned_abs().div_ceil(FULL_WIDTH.into());
        for place in 0..i64::try_from(bundles).unwrap_or(i64::MAX) {
            let first = again.frontier.size();
            let width = (stored.size.unsigned_abs() - first).min(FULL_WIDTH.into());
            let width = u16::try_from(width).unwrap_or(FULL_WIDTH);
            let bundle = self.find_tile(stored.number, (ENTRIES, place))?;
            let bundle = cut_bundle(&bundle, width).unwrap_or_default();
            let Ok(entries) = parse_bundle(bundle, width) else {
                self.report.add_fault(format!(
                    "the log {} lacks entries from index {first} on, or they are damaged",
                    stored.origin
                ));
                return Ok(again.entries);
            };
            for entry in entries {
                self.append(stored, &mut again, entry)?;
            }
            self.compare_tiles(stored, &mut again.tiles, false)?;
            self.advance(width.into());
        }
        self.compare_tiles(stored, &mut again.tiles, true)?;
        if again.frontier.to_bytes() != stored.frontier {
            self.report.add_fault(format!(
                "the frontier of the log {} is not its entries'",
                stored.origin
            ));
        }
        self.compare_checkpoint(stored, again.signed);
        self.report.logs.push(AuditedLog {
            origin: stored.origin.clone(),
            checkpoint: stored.checkpoint.clone(),
            size: again.frontier.size(),
        });
        Ok(again.entries)
    }

    fn append(&mut self, stored: &StoredLog, again: &mut Again, entry: &[u8]) -> Result<(), Fault> {
        let counted = u64::from(again.frontier.size() < again.counted);
        match Entry::parse(entry) {
            Ok(Entry::State(_commitment)) => again.entries.states += counted,
            Ok(Entry::Key(_statement)) => again.entries.keys += counted,
            Ok(Entry::Service(_statement)) => {}
            Err(error) => {
                let (origin, index) = (&stored.origin, again.frontier.size());
                self.report
                    .add_fault(format!("entry {index} of the log {origin} is {error}"));
            }
        }
        let tiles = &mut again.tiles;
        again.frontier.append(hash_leaf(entry), |node, hash| {
            if let Some(place) = place_of(node) {
                tiles.entry(place).or_default().extend_from_slice(&hash);
            }
        })?;
        if again.frontier.size() == stored.signed_size.unsigned_abs() {
            again.signed = Some(again.frontier.head());
        }
        Ok(())
    }

    /// Compares the tiles that are full, or at the end all of them. Stored ones may have grown since.
    fn compare_tiles(
        &mut self,
        stored: &StoredLog,
        tiles: &mut BTreeMap<Place, Vec<u8>>,
        is_end: bool,
    ) -> Result<(), Fault> {
        let full = usize::from(FULL_WIDTH) * HASH_BYTES;
        let ready = |tile: &Vec<u8>| is_end || tile.len() == full;
        let ready: Vec<_> = tiles.extract_if(.., |_place, tile| ready(tile)).collect();
        for (place, tile) in ready {
            if !self.find_tile(stored.number, place)?.starts_with(&tile) {
                let ((level, place), origin) = (place, &stored.origin);
                self.report.add_fault(format!(
                    "tile {place} of level {level} of the log {origin} is not its entries'"
                ));
            }
        }
        Ok(())
    }

    fn compare_checkpoint(&mut self, stored: &StoredLog, head: Option<TreeHead>) {
        let origin = &stored.origin;
        let is_signed = |checkpoint: &SignedCheckpoint| {
            let key = VerifierKey::parse(&stored.verifier).ok();
            key.is_some_and(|key| matches!(checkpoint.verify(&key), Ok(Some(_))))
        };
        let text = match SignedCheckpoint::parse(&stored.checkpoint) {
            Err(error) => format!("the checkpoint of the log {origin} is damaged: {error}"),
            Ok(checkpoint)
                if !is_signed(&checkpoint) || checkpoint.checkpoint().origin != *origin =>
            {
                format!("the checkpoint of the log {origin} is not signed by its key")
            }
            Ok(checkpoint) if Some(checkpoint.checkpoint().head) != head => {
                format!("the signed root of the log {origin} is not the root of its entries")
            }
            Ok(_checkpoint) => return,
        };
        self.report.add_fault(text);
    }

    pub(super) fn find_tile(&self, log: i64, (level, place): Place) -> Result<Vec<u8>, Fault> {
        let reading = self
            .log
            .storage
            .read_blocking(move |read| find_tile(read, log, level, place));
        Ok(reading?.unwrap_or_default())
    }
}
