//! Signs checkpoints and begins logs, after a comparison with the checkpoint outside the store (S-61).

use evidence::entry::{Bytes32, Entry, ServiceEvent};
use log::TreeHead;
use log::checkpoint::{Checkpoint, SignedCheckpoint};
use log::frontier::Frontier;
use log::note::LogKey;
use log::tile::read_head;
use observe::clock::to_rfc3339;
use storage::state_log::{self, Appended, Batch, StoredLog, Waiting};
use storage::{Read, StorageError};

use crate::fault::Fault;
use crate::key::{make_key, make_secret, open_key};
use crate::program::service_statement;
use crate::sequencer::Turn;
use crate::standing::{Standing, judge};
use crate::tree::{Tree, stored_place};
use crate::witnesses::last::Seen;
use crate::{StateLog, checkpoint_file};

/// The newest log, and the checkpoint outside the store.
struct Compared {
    log: StoredLog,
    last: Option<SignedCheckpoint>,
    /// The key and the tree of a log that the store continues, or why it does not.
    standing: Result<(LogKey, Frontier), &'static str>,
}

impl StateLog {
    /// Signs the head of the newest log and shows it, unless it is shown already. A log that the store does not
    /// continue is closed, and the next one begins. Blocks.
    pub(crate) fn publish(&self) -> Result<Turn, Fault> {
        let log = self.find_newest()?;
        if log.signed_size == log.size {
            return Ok(Turn::Own);
        }
        if !self.change(state_log::take_lease)? {
            return Ok(Turn::Other);
        }
        let Some(_held) = checkpoint_file::hold(self.file()?)? else {
            return Ok(Turn::Other);
        };
        // Nobody else signs from here on, neither for this store nor for a copy of it.
        let Compared {
            log,
            last,
            standing,
        } = self.compare(&[])?;
        match standing {
            Ok((key, frontier)) => {
                let signed = SignedCheckpoint::sign(frontier.head(), &key)?;
                self.show(&log, log.size, &signed)
            }
            Err(reason) => self.begin(Some(&log), last.as_ref(), reason),
        }
    }

    /// Closes the newest log and begins the next one if the store does not continue it, also when nothing new
    /// waits. `seen` is what witnesses answered. A node calls this before it serves a store, which may be a copy
    /// of an earlier moment, and before it takes the log over. Blocks.
    pub(crate) fn check(&self, seen: Option<&Seen>) -> Result<Turn, Fault> {
        let Some(newest) = self.storage.read_blocking(state_log::find_newest)? else {
            return Ok(Turn::Own);
        };
        if seen.is_some_and(|seen| seen.log != newest.number) {
            // Another node closed the log of which the witnesses were asked.
            return Ok(Turn::Other);
        }
        let Some(_held) = checkpoint_file::hold(self.file()?)? else {
            return Ok(Turn::Other);
        };
        let seen = seen.map_or(&[][..], |seen| &seen.checkpoints);
        let compared = self.compare(seen)?;
        let Err(reason) = compared.standing else {
            return Ok(Turn::Own);
        };
        if !self.change(state_log::take_lease)? {
            return Ok(Turn::Other);
        }
        self.begin(Some(&compared.log), compared.last.as_ref(), reason)
    }

    /// Compares the newest log with the checkpoints outside the store: the one in the file, and those that
    /// witnesses cosigned. The caller holds the file.
    fn compare(&self, seen: &[SignedCheckpoint]) -> Result<Compared, Fault> {
        let log = self.find_newest()?;
        let number = log.number;
        let last = checkpoint_file::read(self.file()?)?;
        let Some(key) = open_key(&log, &self.registry.safe().sealing)? else {
            let reason = "its key cannot be opened: the key-encryption key is another one";
            return Ok(Compared {
                log,
                last,
                standing: Err(reason),
            });
        };
        let frontier = Frontier::from_bytes(&log.frontier)?;
        let seen = seen.to_vec();
        let compared = self.storage.read_blocking(move |read| {
            let size = frontier.size();
            let mut judge = |last| {
                judge(last, key.verifier(), size, |of| {
                    read_stored_head(read, number, of, size)
                })
            };
            let mut standing = judge(last.as_ref())?;
            for seen in &seen {
                if standing == Standing::Continues {
                    standing = judge(Some(seen))?;
                }
            }
            let standing = match standing {
                Standing::Continues => Ok((key, frontier)),
                Standing::Apart(reason) => Err(reason),
            };
            Ok::<_, Fault>((find_largest(last, seen), standing))
        });
        let (last, standing) = compared?;
        Ok(Compared {
            log,
            last,
            standing,
        })
    }

    /// Begins the first log of a store.
    pub(crate) fn begin_first(&self) -> Result<Turn, Fault> {
        if !self.change(state_log::take_lease)? {
            return Ok(Turn::Other);
        }
        let Some(_held) = checkpoint_file::hold(self.file()?)? else {
            return Ok(Turn::Other);
        };
        if self
            .storage
            .read_blocking(state_log::find_newest)?
            .is_some()
        {
            // Another node was quicker.
            return Ok(Turn::Own);
        }
        let last = checkpoint_file::read(self.file()?)?;
        self.begin(None, last.as_ref(), "the store has no log yet")
    }

    /// Writes a checkpoint into the file, and then into the store, where everybody sees it.
    fn show(&self, log: &StoredLog, size: i64, signed: &SignedCheckpoint) -> Result<Turn, Fault> {
        checkpoint_file::write(self.file()?, signed)?;
        let (number, text) = (log.number, signed.to_string());
        let stored = self.change(move |write, lease| {
            state_log::store_checkpoint(write, lease, number, size, &text)
        })?;
        Ok(match stored {
            Appended::Done | Appended::Stale => Turn::Own,
            Appended::NotOwner => Turn::Other,
        })
    }

    /// Closes the newest log, if there is one, and begins the next one with a key of its own. `last` is the
    /// checkpoint outside the store. The caller has the lease and holds the file.
    fn begin(
        &self,
        closed: Option<&StoredLog>,
        last: Option<&SignedCheckpoint>,
        reason: &'static str,
    ) -> Result<Turn, Fault> {
        let last = last.map(|last| last.checkpoint().clone());
        let known = last.as_ref().map_or(0, |last| self.number_of(&last.origin));
        let number = closed.map_or(0, |log| log.number).max(known) + 1;
        let origin = self.origin_of(number);
        let (key, sealed_key) = make_key(&origin, &self.registry.safe().sealing)?;
        let checkpoint = SignedCheckpoint::sign(TreeHead::empty(), &key)?;
        let log = StoredLog {
            number,
            origin,
            verifier: key.verifier().to_string(),
            sealed_key,
            secret: make_secret()?.to_vec(),
            size: 0,
            frontier: Frontier::new().to_bytes(),
            checkpoint: checkpoint.to_string(),
            signed_size: 0,
            signed_at: self.clock.now_seconds(),
            witnessed: String::new(),
            witnessed_size: 0,
            unwitnessed_since: self.clock.now_seconds(),
            program: String::new(),
        };
        let before = find_last(closed, last, known)?;
        let batch = self.make_first_batch(&log, before.as_ref())?;
        if let Some(before) = &before {
            let (size, origin) = (before.head.size, &before.origin);
            tracing::warn!(%origin, size, next = %log.origin, reason, "the log is closed, and the next one begins");
        }
        let begun =
            self.change(move |write, lease| state_log::begin(write, lease, &log, &batch))?;
        if begun == Appended::Done {
            // A node that ends here leaves a log without the file, which the next node closes.
            checkpoint_file::write(self.file()?, &checkpoint)?;
        }
        Ok(match begun {
            Appended::Done | Appended::Stale => Turn::Own,
            Appended::NotOwner => Turn::Other,
        })
    }

    /// The entry that names the log before.
    fn make_first_batch(
        &self,
        log: &StoredLog,
        before: Option<&Checkpoint>,
    ) -> Result<Batch, Fault> {
        let at = to_rfc3339(self.clock.now_seconds());
        let first = before.map(|before| {
            let event = ServiceEvent::Continues {
                origin: before.origin.clone(),
                root: Bytes32(before.head.root),
                size: before.head.size,
            };
            Entry::Service(service_statement(at, event))
        });
        let tree = Tree::open(&log.frontier, |_place| Ok(None))?;
        self.make_batch(log, tree, first.as_slice(), Waiting::default())
    }

    fn find_newest(&self) -> Result<StoredLog, Fault> {
        let found = self.storage.read_blocking(state_log::find_newest)?;
        found.ok_or_else(|| Fault::Damaged("the newest log is gone".to_owned()))
    }
}

/// The largest checkpoint: the one in the file, or a later one of the same log that a witness cosigned.
fn find_largest(
    file: Option<SignedCheckpoint>,
    seen: Vec<SignedCheckpoint>,
) -> Option<SignedCheckpoint> {
    let size = |one: &SignedCheckpoint| one.checkpoint().head.size;
    let largest = seen.into_iter().max_by_key(size);
    match (file, largest) {
        (Some(file), Some(seen)) => {
            let is_of_log = file.checkpoint().origin == seen.checkpoint().origin;
            let is_later = is_of_log && size(&seen) > size(&file);
            Some(if is_later { seen } else { file })
        }
        (file, seen) => file.or(seen),
    }
}

/// The newest checkpoint that is known: the one outside the store, or the one in the store. The store may have lost
/// a later log than `closed`, its newest one: `last` of number `known` is then of that log.
fn find_last(
    closed: Option<&StoredLog>,
    last: Option<Checkpoint>,
    known: i64,
) -> Result<Option<Checkpoint>, Fault> {
    let Some(closed) = closed else {
        return Ok(last);
    };
    let stored = SignedCheckpoint::parse(&closed.checkpoint)?;
    let stored = stored.checkpoint();
    let is_later = |last: &Checkpoint| {
        if last.origin == stored.origin {
            last.head.size >= stored.head.size
        } else {
            known > closed.number
        }
    };
    Ok(last.filter(is_later).or_else(|| Some(stored.clone())))
}

/// The head that the stored tree of `tree_size` entries had with `size` entries.
pub(crate) fn read_stored_head(
    read: &mut Read<'_>,
    number: i64,
    size: u64,
    tree_size: u64,
) -> Result<TreeHead, Fault> {
    let head = read_head(size, tree_size, &mut |tile| {
        let (level, place) = stored_place(tile.content(), tile.index());
        let content = state_log::find_tile(read, number, level, place)?;
        Ok::<_, StorageError>(content.unwrap_or_default())
    });
    Ok(head?)
}
