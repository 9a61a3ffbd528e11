//! The log as the store has it, compared with everything that should be in it.

use std::collections::{BTreeMap, BTreeSet};

use evidence::commit::{Document, Property, State, StateHead};
use evidence::entry::Entry;
use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::tile::{Content, Tile, parse_bundle};
use log::tree::hash_leaf;
use observe::clock::to_rfc3339;
use state_log::{Open, StateLog};
use storage::sealing::SealedDocument;
use storage::state_log::{ENTRIES, StoredLog, find_log, find_secrets, find_tile};
use storage::{Read, Storage, StorageError};

/// What waits: unsealed chains, sealed versions and changes of keys outside a log, and a log without a
/// checkpoint of all its entries.
const WAITING: &str = "select (select count(*) from unsealed) \
     + (select count(*) from sealed where log_number is null) \
     + (select count(*) from key_change where log_number is null) \
     + (select count(*) from service_statement where log_number is null) \
     + (select count(*) from state_log l where l.size > l.signed_size \
        and l.number = (select max(n.number) from state_log n)) \
     + case when exists (select 1 from state_log) then 0 else 1 end";

const LOGGED: &str = "select s.chain_id, s.version, s.recorded_at, s.form, s.digest, s.document, \
     s.listings, s.log_number, s.log_index from sealed s order by s.chain_id, s.version";

/// All logs of a store.
pub(crate) struct StoredLogs {
    pub(crate) logs: Vec<StoredLog>,
    /// The entries of each log, in its order.
    pub(crate) entries: BTreeMap<i64, Vec<Vec<u8>>>,
    /// Each sealed version.
    sealed: Vec<SealedRow>,
}

struct SealedRow {
    chain: String,
    version: i64,
    recorded_at: i64,
    document: SealedDocument,
    listings: Vec<i64>,
    /// The number of the log and the index.
    place: Option<(i64, i64)>,
}

pub(crate) async fn count_waiting(storage: &Storage) -> i64 {
    let counting = storage.read(|read| read.query_exactly_one(WAITING, &[], |row| row.integer(0)));
    let counted: Result<i64, StorageError> = counting.await;
    counted.unwrap()
}

impl StoredLogs {
    pub(crate) async fn read(storage: &Storage) -> Self {
        let reading = storage.read(|read| {
            let (mut logs, mut entries) = (Vec::new(), BTreeMap::new());
            for number in 1.. {
                let Some(log) = find_log(read, number)? else {
                    break;
                };
                entries.insert(number, read_entries(read, &log)?);
                logs.push(log);
            }
            let sealed = read.query(LOGGED, &[], |row| {
                let listings = row.bytes(6)?;
                let listings = listings.as_chunks::<8>().0.iter();
                Ok(SealedRow {
                    chain: row.text(0)?,
                    version: row.integer(1)?,
                    recorded_at: row.integer(2)?,
                    document: SealedDocument {
                        form: row.integer(3)?,
                        digest: row.bytes(4)?.try_into().unwrap(),
                        document: row.bytes(5)?,
                    },
                    listings: listings.map(|one| i64::from_be_bytes(*one)).collect(),
                    place: row.optional_integer(7)?.zip(row.optional_integer(8)?),
                })
            })?;
            Ok::<_, StorageError>(Self {
                logs,
                entries,
                sealed,
            })
        });
        reading.await.unwrap()
    }

    pub(crate) fn newest(&self) -> &StoredLog {
        self.logs.last().unwrap()
    }

    /// The bytes of each sealed document and of each of its properties.
    pub(crate) fn list_parts(&self, open: Open) -> Vec<Vec<u8>> {
        let mut parts = Vec::new();
        for row in &self.sealed {
            let document = open(&row.document).unwrap();
            let properties = Document::parse(&document).unwrap().properties;
            let properties = properties.iter().map(|one| one.get().as_bytes().to_vec());
            parts.extend(properties);
            parts.push(document);
        }
        parts
    }

    /// Faults of the logs. Each sealed version is one entry, in the order of versions for each chain, and its
    /// commitment opens. No other entry commits to a state.
    pub(crate) async fn list_faults(&self, storage: &Storage, open: Open) -> Vec<String> {
        let mut faults = Vec::new();
        let listings: Vec<_> = self
            .sealed
            .iter()
            .flat_map(|row| row.listings.clone())
            .collect();
        let finding = storage.read(move |read| find_secrets(read, &listings));
        let secrets: Result<_, StorageError> = finding.await;
        let secrets: std::collections::HashMap<i64, [u8; 32]> = secrets.unwrap();
        let (mut taken, mut last) = (BTreeSet::new(), BTreeMap::new());
        for row in &self.sealed {
            let SealedRow { chain, version, .. } = row;
            // It waits, and so do its successors.
            let Some(place) = row.place else {
                continue;
            };
            if !taken.insert(place) {
                faults.push(format!("{chain} {version} shares entry {place:?}"));
            }
            let before = last.insert(chain.clone(), (*version, place));
            let is_next = before.map_or(*version == 1, |(number, before)| {
                number + 1 == *version && before < place
            });
            if !is_next {
                faults.push(format!(
                    "{chain} {version} is out of order: {before:?} {place:?}"
                ));
            }
            let log = &self.logs[usize::try_from(place.0 - 1).unwrap()];
            let entry = self.entries[&place.0].get(usize::try_from(place.1).unwrap());
            if entry != Some(&commit(row, log, &secrets, open)) {
                faults.push(format!("{chain} {version} is not entry {place:?}"));
            }
        }
        for (number, entries) in &self.entries {
            for (index, entry) in (0..).zip(entries) {
                let parsed = Entry::parse(entry).unwrap();
                // A closed log may have entries that no checkpoint showed.
                let is_shown = index < self.logs[usize::try_from(*number - 1).unwrap()].signed_size;
                if is_shown
                    && matches!(parsed, Entry::State(_))
                    && !taken.contains(&(*number, index))
                {
                    faults.push(format!("entry {index} of log {number} is of no version"));
                }
            }
        }
        faults
    }
}

/// The entry that a sealed version must have.
fn commit(
    row: &SealedRow,
    log: &StoredLog,
    secrets: &std::collections::HashMap<i64, [u8; 32]>,
    open: Open,
) -> Vec<u8> {
    let document = open(&row.document).unwrap();
    let document = Document::parse(&document).unwrap();
    let properties = row.listings.iter().zip(&document.properties);
    let properties: Vec<_> = properties
        .map(|(listing, property)| Property::Kept {
            secret: &secrets[listing],
            canonical: property.get(),
        })
        .collect();
    assert_eq!(properties.len(), document.properties.len());
    let head = StateHead {
        chain: document.chain,
        dissolved_into: document.dissolved_into.map(|into| vec![into]),
        recorded_at: to_rfc3339(row.recorded_at),
        summary: document.summary,
        version: row.version.unsigned_abs(),
    };
    let secret = log.secret.as_slice().try_into().unwrap();
    let state = State::new(head, &properties, &secret);
    state.entry().unwrap().to_bytes().unwrap()
}

/// Reads the entries of a log from its tiles, and checks that hashes, frontier and checkpoint are theirs.
fn read_entries(read: &mut Read<'_>, log: &StoredLog) -> Result<Vec<Vec<u8>>, StorageError> {
    let size = log.size.unsigned_abs();
    let mut entries = Vec::new();
    for index in 0..size.div_ceil(256) {
        let bundle = Tile::in_tree(Content::Entries, index, size).unwrap();
        let place = i64::try_from(index).unwrap();
        let stored = find_tile(read, log.number, ENTRIES, place)?.unwrap();
        let part = parse_bundle(&stored, bundle.width()).unwrap();
        let hashes = find_tile(read, log.number, 0, place)?.unwrap();
        let expected: Vec<_> = part.iter().flat_map(|entry| hash_leaf(entry)).collect();
        assert_eq!(hashes, expected, "tile {index} of log {}", log.number);
        entries.extend(part.into_iter().map(<[u8]>::to_vec));
    }
    assert_eq!(head_of(&entries).1, log.frontier, "log {}", log.number);
    let signed = SignedCheckpoint::parse(&log.checkpoint).unwrap();
    let shown = &entries[..usize::try_from(log.signed_size).unwrap()];
    assert_eq!(signed.checkpoint().head, head_of(shown).0);
    assert_eq!(signed.checkpoint().origin, log.origin);
    Ok(entries)
}

/// The head and the frontier of the tree with these entries.
pub(crate) fn head_of(entries: &[Vec<u8>]) -> (TreeHead, Vec<u8>) {
    let mut frontier = Frontier::new();
    for entry in entries {
        frontier
            .append(hash_leaf(entry), |_node, _hash| {})
            .unwrap();
    }
    (frontier.head(), frontier.to_bytes())
}

/// Waits until the log of a store has everything, and compares it.
pub(crate) async fn check_log(storage: &Storage, log: &StateLog) -> StoredLogs {
    let logs = StoredLogs::read(storage).await;
    assert_eq!(count_waiting(storage).await, 0);
    assert_eq!(
        logs.list_faults(storage, log.open).await,
        Vec::<String>::new()
    );
    logs
}
