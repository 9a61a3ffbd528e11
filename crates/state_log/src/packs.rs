//! Makes evidence packs (S-62): finds the key and the states of an answer in the logs, and proves them against
//! the newest checkpoints.

use std::collections::{BTreeMap, HashMap};

use evidence::commit::Secret;
use evidence::entry::{Entry, KeyStatement};
use evidence::pack::{Answer, LoggedKey, LoggedState, MAX_PACK_BYTES, Pack};
use evidence::verify::check_signature;
use log::Hash;
use log::checkpoint::SignedCheckpoint;
use log::policy::Policy;
use log::proof::prove_inclusion;
use log::tile::{Content, FULL_WIDTH, Tile, cut_bundle, parse_bundle, read_node};
use log::tlog_proof::TlogProof;
use serde_json::Value;
use signing::canonical;
use storage::state_log::{self, Place, StoredLog};
use storage::{Read, StorageError};

use crate::entries::commit;
use crate::fault::Fault;
use crate::limits::QUORUM_WAIT_SECONDS;
use crate::policy::write_policy;
use crate::tree::{Place as TilePlace, stored_place};
use crate::witnesses::WitnessSettings;
use crate::{Open, StateLog};

/// Why an answer gets no pack.
#[derive(Debug, thiserror::Error)]
pub enum NoPack {
    /// The newest checkpoint does not show the key or a state yet, or the witnesses have not cosigned it yet.
    #[error("the log does not show this yet")]
    NotLogged,
    /// No log ever shows this: nobody named a checkpoint file.
    #[error("this service keeps no log")]
    NoLog,
    /// No key of this service signed the answer.
    #[error("no key of this service signed the answer")]
    Foreign,
    /// The answer is not about states of chains.
    #[error("the answer shows no state of a chain")]
    NoState,
    /// A state is not kept any more, was erased, or entered no log.
    #[error("a state is not kept")]
    NotKept,
    /// The pack would be longer than any reader accepts.
    #[error("the pack is longer than {MAX_PACK_BYTES} bytes")]
    TooLong,
    /// The store failed, or is damaged.
    #[error(transparent)]
    Fault(Fault),
}

impl<E: Into<Fault>> From<E> for NoPack {
    fn from(error: E) -> Self {
        Self::Fault(error.into())
    }
}

impl StateLog {
    /// The pack of an answer, in bytes. Of several versions with the same document the pack has the last one that
    /// was recorded at `at` or before, in Unix seconds.
    ///
    /// # Errors
    /// [`NoPack`].
    pub async fn make_pack(&self, answer: Answer, at: i64) -> Result<Vec<u8>, NoPack> {
        let (open, has_file, first) = (self.open, self.file.is_some(), self.url.clone());
        let now = self.clock.now_seconds();
        let asked_since = self.witnesses.as_ref().map(|_| now - QUORUM_WAIT_SECONDS);
        let making = self.storage.read(move |read| {
            let mut maker = Maker::new(read, open, asked_since);
            let made = maker.make(answer, at).and_then(|pack| {
                // The witnesses' signatures were verified before they were stored.
                let policy = write_policy(maker.read, &first, &WitnessSettings::default())?;
                check(&pack, &policy)
            });
            Ok::<_, StorageError>(match made {
                Err(NoPack::NotLogged) if !has_file => Err(NoPack::NoLog),
                made => made,
            })
        });
        making.await?
    }
}

/// The bytes of a pack that verifies with the policy of this service.
fn check(pack: &Pack, policy: &str) -> Result<Vec<u8>, NoPack> {
    let bytes = pack.to_bytes()?;
    if bytes.len() > MAX_PACK_BYTES {
        return Err(NoPack::TooLong);
    }
    let damaged = |reason: String| Fault::Damaged(format!("a new pack is refused: {reason}"));
    let policy = Policy::parse(policy).map_err(|error| damaged(error.to_string()))?;
    evidence::verify(&bytes, &policy).map_err(|refusal| damaged(refusal.to_string()))?;
    Ok(bytes)
}

/// The digest of the document that an answer shows beside `queriedAddress`.
fn digest_document(chain: &Value) -> Result<Hash, NoPack> {
    let mut document = chain.clone();
    if let Value::Object(members) = &mut document {
        members.remove("queriedAddress");
    }
    Ok(canonical::digest(&canonical::canonicalize(&document)?))
}

/// Reads logs and their tiles, each once.
struct Maker<'r, 's> {
    read: &'r mut Read<'s>,
    open: Open,
    /// A checkpoint that was signed after this moment waits for its witnesses. Unix seconds. `None`: none waits.
    asked_since: Option<i64>,
    logs: BTreeMap<i64, StoredLog>,
    tiles: HashMap<(i64, TilePlace), Vec<u8>>,
}

impl<'r, 's> Maker<'r, 's> {
    fn new(read: &'r mut Read<'s>, open: Open, asked_since: Option<i64>) -> Self {
        Self {
            read,
            open,
            asked_since,
            logs: BTreeMap::new(),
            tiles: HashMap::new(),
        }
    }

    fn make(&mut self, answer: Answer, at: i64) -> Result<Pack, NoPack> {
        // The signature first: nobody learns about states by guessing.
        let keys = self.find_keys(&answer)?;
        let mut states = Vec::new();
        let mut known = HashMap::new();
        for chain in answer.chains().ok_or(NoPack::NoState)? {
            let id = chain.get("chainId").and_then(Value::as_str);
            let id = id.ok_or(NoPack::NoState)?;
            let digest = digest_document(chain)?;
            match known.insert(id, digest) {
                // Several queried values can lead to one chain.
                Some(other) if other == digest => {}
                Some(_other) => return Err(NoPack::NotKept),
                None => states.push(self.find_state(id, &digest, at)?),
            }
        }
        if states.is_empty() {
            return Err(NoPack::NoState);
        }
        Ok(Pack::new(answer, keys, states))
    }

    /// All statements about the key that signed the answer.
    fn find_keys(&mut self, answer: &Answer) -> Result<Vec<LoggedKey>, NoPack> {
        let places = state_log::find_key_places(self.read, &answer.provenance.kid)?;
        if places.is_empty() {
            return Err(NoPack::Foreign);
        }
        let mut keys = Vec::with_capacity(places.len());
        let mut is_waiting = false;
        for place in places {
            match self.find_published(place)? {
                Some((log, index)) => {
                    let statement = self.read_key(log, index)?;
                    keys.push(LoggedKey::new(statement, &self.prove(log, index)?));
                }
                None => is_waiting |= place != Place::Nowhere,
            }
        }
        let Some(first) = keys.first() else {
            return Err(if is_waiting {
                NoPack::NotLogged
            } else {
                NoPack::NotKept
            });
        };
        check_signature(answer, &first.statement).map_err(|_refusal| NoPack::Foreign)?;
        if is_waiting {
            return Err(NoPack::NotLogged);
        }
        Ok(keys)
    }

    /// The state of a chain whose document has this digest.
    fn find_state(&mut self, id: &str, digest: &Hash, at: i64) -> Result<LoggedState, NoPack> {
        let Some((sealed, place)) = state_log::find_state(self.read, id, digest, at)? else {
            let is_unsealed = state_log::is_unsealed(self.read, id)?;
            return Err(if is_unsealed {
                NoPack::NotLogged
            } else {
                NoPack::NotKept
            });
        };
        if place == Place::Nowhere {
            return Err(NoPack::NotKept);
        }
        let published = self.find_published(place)?;
        let (log, index) = published.ok_or(NoPack::NotLogged)?;
        let listings: Vec<i64> = sealed.shown_listings().collect();
        let secrets = state_log::find_secrets(self.read, &listings)?;
        if listings
            .iter()
            .any(|listing| !secrets.contains_key(listing))
        {
            return Err(NoPack::NotKept);
        }
        let damaged = |reason: String| Fault::Damaged(format!("chain {id}: {reason}"));
        let log_secret = Secret::try_from(self.log(log)?.secret.as_slice());
        let log_secret = log_secret.map_err(|_| damaged(format!("log {log} has no secret")))?;
        let state = commit(&sealed, self.open, &secrets, &log_secret).map_err(damaged)?;
        Ok(state.with_proof(&self.prove(log, index)?))
    }

    /// The log and the index of an entry that a checkpoint shows. A checkpoint that witnesses may cosign in some
    /// seconds does not count yet.
    fn find_published(&mut self, place: Place) -> Result<Option<(i64, u64)>, Fault> {
        let Place::In { log, index } = place else {
            return Ok(None);
        };
        let asked_since = self.asked_since;
        let stored = self.log(log)?;
        let is_soon = asked_since.is_some_and(|since| stored.unwitnessed_since > since);
        let is_published =
            index < stored.witnessed_size || (index < stored.signed_size && !is_soon);
        Ok(is_published.then_some((log, index.unsigned_abs())))
    }

    /// A statement about a key, as the log has it.
    fn read_key(&mut self, log: i64, index: u64) -> Result<KeyStatement, Fault> {
        let damaged = || Fault::Damaged(format!("entry {index} of log {log} is no key"));
        let size = self.log(log)?.signed_size.unsigned_abs();
        let (bundle, offset) = (index / u64::from(FULL_WIDTH), index % u64::from(FULL_WIDTH));
        let tile = Tile::in_tree(Content::Entries, bundle, size).ok_or_else(damaged)?;
        let content = self.read_tile(log, tile)?;
        let content = cut_bundle(&content, tile.width()).ok_or_else(damaged)?;
        let entries = parse_bundle(content, tile.width())?;
        let entry = usize::try_from(offset).ok().and_then(|at| entries.get(at));
        match entry.map(|entry| Entry::parse(entry)) {
            Some(Ok(Entry::Key(statement))) => Ok(statement),
            Some(Ok(Entry::State(_) | Entry::Service(_)) | Err(_)) | None => Err(damaged()),
        }
    }

    /// Proves that the newest checkpoint of a log shows an entry: the newest one that witnesses cosigned, unless
    /// the entry is later.
    fn prove(&mut self, log: i64, index: u64) -> Result<TlogProof, Fault> {
        let stored = self.log(log)?;
        let is_witnessed = index < stored.witnessed_size.unsigned_abs();
        let text = if is_witnessed {
            &stored.witnessed
        } else {
            &stored.checkpoint
        };
        let checkpoint = SignedCheckpoint::parse(text)?;
        let size = checkpoint.checkpoint().head.size;
        let hashes = prove_inclusion(index, size, &mut |node| {
            read_node(node, size, &mut |tile| self.read_tile(log, tile))
        });
        let hashes = hashes.map_err(|error| Fault::Damaged(error.to_string()))?;
        Ok(TlogProof {
            extra: None,
            index,
            hashes,
            checkpoint,
        })
    }

    fn log(&mut self, number: i64) -> Result<&StoredLog, Fault> {
        if !self.logs.contains_key(&number) {
            let found = state_log::find_log(self.read, number)?;
            let found = found.ok_or_else(|| Fault::Damaged(format!("log {number} is gone")))?;
            self.logs.insert(number, found);
        }
        Ok(&self.logs[&number])
    }

    fn read_tile(&mut self, log: i64, tile: Tile) -> Result<Vec<u8>, StorageError> {
        let (level, place) = stored_place(tile.content(), tile.index());
        let key = (log, (level, place));
        if let Some(known) = self.tiles.get(&key) {
            return Ok(known.clone());
        }
        let content = state_log::find_tile(self.read, log, level, place)?;
        let content = content.unwrap_or_default();
        self.tiles.insert(key, content.clone());
        Ok(content)
    }
}
