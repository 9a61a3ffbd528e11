//! Opens each sealed version and compares it with its entry, and does the same for changes of keys.

use std::collections::HashMap;

use evidence::commit::Secret;
use log::Hash;
use log::tile::FULL_WIDTH;
use log::tree::hash_leaf;
use storage::state_log::{self, AuditedState, StoredLog};

use super::Audit;
use super::tree::Entries;
use crate::entries::{commit, state_key};
use crate::fault::Fault;
use crate::limits::AUDITED_AT_ONCE;
use crate::tree::{HASH_BYTES, Place};

/// The tile of hashes that was read last. Versions of one time are near each other in the log.
type LastTile = Option<(i64, Place, Vec<u8>)>;

/// The version before, of the same chain or of another one.
#[derive(Default)]
struct Before {
    chain: String,
    recorded_at: i64,
    place: (i64, i64),
}

impl Audit<'_> {
    pub(super) fn compare_keys(
        &mut self,
        counted: &mut HashMap<i64, Entries>,
    ) -> Result<(), Fault> {
        let keys = self
            .log
            .storage
            .read_blocking(state_log::list_logged_keys)?;
        let mut last = None;
        for (change, number, index) in keys {
            let Some(log) = self.find_log(number, index, &change.key.kid) else {
                continue;
            };
            let expected = match state_key(&change, self.log.registry.safe())? {
                Some(entry) => Some(hash_leaf(&entry.to_bytes()?)),
                // The key that sealed it is lost, so nobody can tell it any more.
                None => None,
            };
            let found = self.find_leaf(&log, index, &mut last)?;
            if expected.is_some() && expected != found {
                let kid = &change.key.kid;
                self.report.add_fault(format!(
                    "entry {index} of the log {} is not the change of key {kid} that the store has",
                    log.origin
                ));
            }
            self.report.keys += 1;
            counted.entry(number).or_default().keys_found += 1;
        }
        Ok(())
    }

    pub(super) fn compare_states(
        &mut self,
        counted: &mut HashMap<i64, Entries>,
    ) -> Result<(), Fault> {
        let (mut after, mut last, mut before) = ((String::new(), 0), None, Before::default());
        loop {
            let (from, since) = (after, self.since);
            let reading = self.log.storage.read_blocking(move |read| {
                let page = state_log::read_audited(read, &from, since, AUDITED_AT_ONCE)?;
                let shown = page.iter().flat_map(|one| one.state.shown_listings());
                let mut listings: Vec<i64> = shown.collect();
                listings.sort_unstable();
                listings.dedup();
                let secrets = state_log::find_secrets(read, &listings)?;
                Ok::<_, Fault>((page, secrets))
            });
            let (page, secrets) = reading?;
            let Some(end) = page.last() else {
                return Ok(());
            };
            after = (end.state.chain.clone(), end.state.version);
            for one in &page {
                self.compare_state(one, &secrets, &mut last, counted)?;
                self.compare_order(one, &mut before);
                self.compare_erased(&one.state)?;
            }
            self.advance(page.len());
        }
    }

    fn compare_state(
        &mut self,
        audited: &AuditedState,
        secrets: &HashMap<i64, Secret>,
        last: &mut LastTile,
        counted: &mut HashMap<i64, Entries>,
    ) -> Result<(), Fault> {
        self.report.versions += 1;
        let AuditedState { state, place } = audited;
        let name = format!("version {} of chain {}", state.version, state.chain);
        let (number, index) = match place {
            Some((number, index)) if *number > 0 => (*number, *index),
            Some(_) | None => {
                // It waits for the log, or is older than it: the document alone can be compared.
                let opened = state.sealed.as_ref().ok_or("its row is damaged".to_owned());
                if let Err(reason) = opened.and_then(|(sealed, _)| (self.log.open)(sealed)) {
                    self.report
                        .add_fault(format!("{name} cannot be opened: {reason}"));
                }
                return Ok(());
            }
        };
        let Some(log) = self.find_log(number, index, &name) else {
            return Ok(());
        };
        counted.entry(number).or_default().states_found += 1;
        let secret = Secret::try_from(log.secret.as_slice());
        let secret = secret.map_err(|_| Fault::Damaged(format!("log {number} has no secret")))?;
        match commit(state, self.log.open, secrets, &secret) {
            Ok(committed) => {
                let expected = hash_leaf(&committed.entry()?.to_bytes()?);
                if self.find_leaf(&log, index, last)? == Some(expected) {
                    self.report.logged += 1;
                } else {
                    let origin = &log.origin;
                    self.report
                        .add_fault(format!("entry {index} of the log {origin} is not {name}"));
                }
            }
            Err(reason) => {
                self.report
                    .add_fault(format!("{name} cannot be opened: {reason}"));
            }
        }
        Ok(())
    }

    /// Versions of a chain are in the order of their times, and of the log.
    fn compare_order(&mut self, audited: &AuditedState, before: &mut Before) {
        let AuditedState { state, place } = audited;
        if before.chain != state.chain {
            before.chain.clone_from(&state.chain);
            (before.recorded_at, before.place) = (i64::MIN, (0, i64::MIN));
        }
        let name = || format!("version {} of chain {}", state.version, state.chain);
        if state.recorded_at < before.recorded_at {
            let text = format!("{} was recorded before the version before it", name());
            self.report.add_fault(text);
        }
        if let Some(place) = place.filter(|place| place.0 > 0) {
            if place <= before.place {
                let text = format!("{} is in the log before the version before it", name());
                self.report.add_fault(text);
            }
            before.place = place;
        }
        before.recorded_at = state.recorded_at;
    }

    /// The log of an entry. `None`: the entry came after the audit began, or no such log exists.
    fn find_log(&mut self, number: i64, index: i64, name: &str) -> Option<StoredLog> {
        let log = self.logs.get(&number);
        if log.is_none() {
            self.report.add_fault(format!(
                "{name} is in log {number}, which the store does not have"
            ));
        }
        log.filter(|log| index < log.size).cloned()
    }

    /// The hash of an entry, from its tile.
    fn find_leaf(
        &self,
        log: &StoredLog,
        index: i64,
        last: &mut LastTile,
    ) -> Result<Option<Hash>, Fault> {
        let width = i64::from(FULL_WIDTH);
        let place = (0, index / width);
        let is_last =
            matches!(last, Some((number, at, _)) if (*number, *at) == (log.number, place));
        if !is_last {
            *last = Some((log.number, place, self.find_tile(log.number, place)?));
        }
        let content = last.as_ref().map(|(_, _, content)| content.as_slice());
        let at = usize::try_from(index % width).unwrap_or(0) * HASH_BYTES;
        let hash = content.and_then(|content| content.get(at..at + HASH_BYTES));
        Ok(hash.and_then(|hash| hash.try_into().ok()))
    }
}
