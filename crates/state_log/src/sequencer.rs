//! Appends new entries to the log, on one node at a time (S-61).
//!
//! All work blocks, and runs on a thread of its own. Entries are made outside the store's transactions, so
//! writes wait only for the updates.

use std::sync::Arc;

use evidence::commit::Secret;
use evidence::entry::Entry;
use observe::clock::{Stopwatch, to_rfc3339};
use observe::outage::Outage;
use storage::lease::Lease;
use storage::state_log::{self, Appended, Batch, StoredLog, Waiting};
use storage::{StorageError, Write};
use tokio::sync::watch;

use crate::StateLog;
use crate::entries::{Secrets, commit, state_key};
use crate::fault::Fault;
use crate::limits::{
    BATCHES_MAX, ENTRIES_AT_ONCE, INTERVAL, LEASE_MILLISECONDS, LEASE_PAUSE, LEASE_WAIT_MAX,
};
use crate::program::Program;
use crate::thread::on_thread;
use crate::tree::Tree;
use crate::witnesses::last;

/// Who may change the log now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// This node, or nobody had to.
    Own,
    /// Another node.
    Other,
}

/// Closes a log that the store does not continue, before the node seals or signs anything. While another node
/// may change the log, this waits a few seconds; then the node serves, and `run` goes on.
pub async fn check_before_serving(log: &Arc<StateLog>) {
    if log.file().is_err() {
        return;
    }
    let waiting = Stopwatch::start();
    loop {
        match check(log).await {
            Ok(Turn::Other) if waiting.elapsed() < LEASE_WAIT_MAX => {
                tokio::time::sleep(LEASE_PAUSE).await;
            }
            Ok(Turn::Own | Turn::Other) => return,
            Err(fault) => {
                tracing::warn!(%fault, "the log of states could not be compared with its last checkpoint");
                return;
            }
        }
    }
}

/// Appends until `stop` turns true, and then leaves the log to another node.
pub(crate) async fn run(log: Arc<StateLog>, mut stop: watch::Receiver<bool>) {
    if let Err(fault) = log.file() {
        tracing::warn!(%fault, "states of chains enter no log, and nothing proves them later");
        return;
    }
    let outage = Outage::new("new states of chains cannot enter the log");
    let (mut others_until, mut is_checked) = (0, false);
    loop {
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => break,
        }
        if log.clock.now_milliseconds() < others_until {
            continue;
        }
        let mut turn = Some(Turn::Own);
        if !is_checked {
            // Before anything is appended to a log that must be closed.
            let checked = tokio::select! {
                checked = check(&log) => checked,
                _stopped = stop.wait_for(|stop| *stop) => break,
            };
            turn = outage.note(checked);
            is_checked = turn == Some(Turn::Own);
        }
        if is_checked {
            turn = outage.note(on_thread(&log, StateLog::take_turn).await);
        }
        if turn == Some(Turn::Other) {
            others_until = log.clock.now_milliseconds() + LEASE_MILLISECONDS;
            // The node that takes the log over compares the store with the witnesses again.
            is_checked &= log.witnesses.is_none();
        }
    }
    if let Err(error) = on_thread(&log, StateLog::end_lease).await {
        tracing::debug!(%error, "another node appends to the log only after some seconds");
    }
}

/// Asks the witnesses, and then compares the store with their answers and the checkpoint file.
async fn check(log: &Arc<StateLog>) -> Result<Turn, Fault> {
    let seen = last::ask(log).await?;
    on_thread(log, move |log| log.check(seen.as_ref())).await
}

impl StateLog {
    /// Appends what waits, and signs at most one checkpoint. Blocks.
    ///
    /// # Errors
    /// [`Fault`]; nothing is lost, and the next turn goes on.
    pub fn take_turn(&self) -> Result<Turn, Fault> {
        if self
            .storage
            .read_blocking(state_log::find_newest)?
            .is_none()
        {
            return self.begin_first();
        }
        let mut turn = Turn::Own;
        for _batch in 0..BATCHES_MAX {
            let working = Stopwatch::start();
            let Some((count, appended)) = self.append_some()? else {
                break;
            };
            match appended {
                Appended::NotOwner => turn = Turn::Other,
                Appended::Done if count >= ENTRIES_AT_ONCE => {
                    // Many wait, as in an upgraded store. Recordings come in between.
                    std::thread::sleep(working.elapsed());
                    continue;
                }
                // All is appended, or another node has appended meanwhile.
                Appended::Done | Appended::Stale => {}
            }
            break;
        }
        match turn {
            Turn::Own => self.publish(),
            Turn::Other => Ok(turn),
        }
    }

    /// Begins the first log of a store at once, and leaves it to whoever appends. Blocks.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn ensure_begun(&self) -> Result<(), Fault> {
        let newest = self.storage.read_blocking(state_log::find_newest)?;
        if newest.is_none() {
            self.take_turn()?;
            self.end_lease()?;
        }
        Ok(())
    }

    /// Appends a batch. `None`: nothing waits. Returns the number of entries, too.
    fn append_some(&self) -> Result<Option<(i64, Appended)>, Fault> {
        let reading = self.storage.read_blocking(|read| {
            let Some(log) = state_log::find_newest(read)? else {
                return Ok(None);
            };
            let waiting = state_log::read_waiting(read, ENTRIES_AT_ONCE)?;
            let tree = Tree::open(&log.frontier, |(level, place)| {
                Ok(state_log::find_tile(read, log.number, level, place)?)
            })?;
            Ok::<_, Fault>(Some((log, waiting, tree)))
        });
        let Some((log, waiting, tree)) = reading? else {
            return Ok(None);
        };
        let program = Program::of_this_process().map_err(|error| {
            Fault::Signing(format!("the program's own file cannot be read: {error}"))
        })?;
        let is_known = log.program == program.to_string();
        if is_known && waiting.is_empty() {
            return Ok(None);
        }
        let first = if is_known {
            Vec::new()
        } else {
            let at = to_rfc3339(self.clock.now_seconds());
            vec![Entry::Service(program.statement(at))]
        };
        let batch = self.make_batch(&log, tree, &first, waiting)?;
        let batch = Batch {
            program: program.to_string(),
            ..batch
        };
        let count = batch.states.len().max(batch.keys.len());
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let appended = self.change(move |write, lease| state_log::append(write, lease, &batch))?;
        Ok(Some((count, appended)))
    }

    /// Appends the entries to the tree: `first`, the changes of keys, the statements, and then the states.
    pub(crate) fn make_batch(
        &self,
        log: &StoredLog,
        mut tree: Tree,
        first: &[Entry],
        waiting: Waiting,
    ) -> Result<Batch, Fault> {
        let secret = Secret::try_from(log.secret.as_slice());
        let secret =
            secret.map_err(|_| Fault::Damaged(format!("log {} has no secret", log.number)))?;
        let old_size = tree.size();
        for entry in first {
            tree.append(&entry.to_bytes()?)?;
        }
        let mut keys = Vec::with_capacity(waiting.keys.len());
        for change in &waiting.keys {
            let entry = state_key(change, self.registry.safe())?;
            let index = entry.map(|entry| tree.append(&entry.to_bytes()?));
            keys.push((change.id, index.transpose()?));
        }
        let statements = append_statements(&mut tree, waiting.statements)?;
        let mut secrets = Secrets::new(waiting.secrets);
        let mut states = Vec::with_capacity(waiting.states.len());
        for sealed in waiting.states {
            secrets.ensure(sealed.shown_listings())?;
            let committed = commit(&sealed, self.open, secrets.known(), &secret);
            let (chain, version) = (sealed.chain, sealed.version);
            let index = match committed {
                Ok(state) => Some(tree.append(&state.entry()?.to_bytes()?)?),
                Err(reason) => {
                    tracing::error!(chain, version, reason, "a sealed version enters no log");
                    None
                }
            };
            states.push((chain, version, index));
        }
        let size = tree.size();
        let (frontier, tiles) = tree.into_parts();
        Ok(Batch {
            log: log.number,
            old_size,
            size,
            frontier,
            program: log.program.clone(),
            tiles,
            states,
            keys,
            statements,
            secrets: secrets.into_new(),
        })
    }

    /// Changes the log in a transaction that takes or renews the lease. Blocks.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Write<'_>, Lease<'_>) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Fault> {
        let (owner, now) = (self.node.clone(), self.clock.now_milliseconds());
        let changing = self.storage.write_under_row_locks_blocking(move |write| {
            let lease = Lease {
                owner: &owner,
                now,
                until: now + LEASE_MILLISECONDS,
            };
            work(write, lease)
        });
        Ok(changing?)
    }

    fn end_lease(&self) -> Result<(), Fault> {
        let now = self.clock.now_milliseconds();
        self.change(move |write, lease| {
            let ended = Lease {
                until: now,
                ..lease
            };
            state_log::take_lease(write, ended).map(drop)
        })
    }
}

/// Appends statements about the service. Returns the index of each one; `None` for an unreadable one.
fn append_statements(
    tree: &mut Tree,
    statements: Vec<(i64, String)>,
) -> Result<Vec<(i64, Option<i64>)>, Fault> {
    let mut placed = Vec::with_capacity(statements.len());
    for (id, text) in statements {
        let index = match serde_json::from_str(&text) {
            Ok(statement) => Some(tree.append(&Entry::Service(statement).to_bytes()?)?),
            Err(error) => {
                tracing::error!(id, %error, "a statement about the service enters no log");
                None
            }
        };
        placed.push((id, index));
    }
    Ok(placed)
}
