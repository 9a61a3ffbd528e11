//! Compares each log with the entry of the next log that names its end, and the newest one with the checkpoint
//! outside the store (S-61).
//!
//! A restore loses the entries since the copy. The next log names the end that was known, so such a loss is a note.

use evidence::entry::{Entry, ServiceEvent};
use log::TreeHead;
use log::checkpoint::{Checkpoint, SignedCheckpoint};
use log::tile::{cut_bundle, parse_bundle};
use storage::state_log::{ENTRIES, StoredLog};

use super::Audit;
use crate::fault::Fault;
use crate::publication::read_stored_head;
use crate::{StateLog, checkpoint_file};

/// An end that the first entry of the next log names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedLog {
    /// The origin.
    pub origin: String,
    /// The size that the next log names.
    pub size: u64,
    /// How many of these entries the store shows.
    pub in_store: u64,
}

/// The checkpoint outside the store, or why nothing can be compared with it.
pub(super) type Outside = Result<SignedCheckpoint, String>;

impl StateLog {
    /// Reads the checkpoint outside the store.
    pub(super) fn read_outside(&self) -> Outside {
        let Some(path) = self.file.as_deref() else {
            return Err("`state_log_checkpoint_file` is not set".to_owned());
        };
        match checkpoint_file::read(path) {
            Ok(Some(last)) => Ok(last),
            Ok(None) => Err(format!(
                "{} does not exist, which is `state_log_checkpoint_file`",
                path.display()
            )),
            Err(fault) => Err(fault.to_string()),
        }
    }
}

impl Audit<'_> {
    /// The store must continue the checkpoint outside it.
    pub(super) fn compare_outside(
        &mut self,
        outside: &Outside,
        newest: Option<&StoredLog>,
    ) -> Result<(), Fault> {
        let (last, newest) = match (outside, newest) {
            (Ok(last), Some(newest)) => (last.checkpoint(), newest),
            (Ok(last), None) => {
                let origin = &last.checkpoint().origin;
                self.report.add_fault(format!(
                    "the checkpoint file is of the log {origin}, and the store has no log"
                ));
                return Ok(());
            }
            (Err(reason), Some(_newest)) => {
                self.report.add_fault(format!(
                    "nothing shows whether the store went back in time: {reason}"
                ));
                return Ok(());
            }
            (Err(_reason), None) => return Ok(()),
        };
        if last.origin != newest.origin {
            let text = format!(
                "the checkpoint file is of the log {}, and the newest log is {}",
                last.origin, newest.origin
            );
            self.report.add_fault(text);
            return Ok(());
        }
        if self.find_head(newest, last.head.size)? != Some(last.head) {
            let origin = &newest.origin;
            self.report.add_fault(format!(
                "the log {origin} does not continue its last checkpoint, which is in the checkpoint file"
            ));
        }
        Ok(())
    }

    /// Compares the end of each log with the log after it. `logs` are all of the store, the oldest first.
    pub(super) fn compare_ends(&mut self, logs: &[StoredLog]) -> Result<(), Fault> {
        let mut before = None;
        for log in logs {
            match self.read_named(log)? {
                Some(named) => self.compare_named(log, before, named)?,
                None if log.number == 1 => {}
                None => {
                    let origin = &log.origin;
                    let text = format!("the log {origin} does not name the log before it");
                    self.report.add_fault(text);
                }
            }
            before = Some(log);
        }
        Ok(())
    }

    /// Compares the end that a log names with the log before it in the store.
    fn compare_named(
        &mut self,
        log: &StoredLog,
        before: Option<&StoredLog>,
        named: Checkpoint,
    ) -> Result<(), Fault> {
        let absent = log.number - before.map_or(0, |before| before.number) - 1;
        let (next, origin) = (&log.origin, &named.origin);
        let named_before = before.filter(|before| before.origin == *origin);
        let in_store = if let Some(before) = named_before {
            self.compare_end(next, before, &named)?
        } else if self.logs.values().any(|other| other.origin == *origin) {
            self.report.add_fault(format!(
                "the log {next} names the log {origin}, and the store has another one between them"
            ));
            return Ok(());
        } else {
            self.note_lost_log(&named, before);
            0
        };
        let unnamed = absent - i64::from(named_before.is_none());
        if unnamed > 0 {
            let are = if unnamed == 1 { "is" } else { "are" };
            self.report.add_note(format!(
                "of the logs before the log {next}, {unnamed} more {are} not in the store"
            ));
        }
        self.report.ended.push(EndedLog {
            in_store,
            size: named.head.size,
            origin: named.origin,
        });
        Ok(())
    }

    /// Notes that a restore lost a whole log. No log names the end of the log before it then.
    fn note_lost_log(&mut self, named: &Checkpoint, before: Option<&StoredLog>) {
        let (origin, size) = (&named.origin, named.head.size);
        self.report.add_note(format!(
            "the log {origin} ended at size {size}, and the store does not have it: a restore lost it"
        ));
        if let Some(before) = before {
            let (origin, shown) = (&before.origin, before.signed_size);
            self.report.add_note(format!(
                "no log in the store names the end of the log {origin}, of which the store has {shown} entries"
            ));
        }
    }

    /// Compares the end of a log in the store with the end that the next one names. Returns how many of the named
    /// entries the store shows.
    fn compare_end(
        &mut self,
        next: &str,
        log: &StoredLog,
        named: &Checkpoint,
    ) -> Result<u64, Fault> {
        let (origin, size) = (&log.origin, named.head.size);
        let shown = log.signed_size.unsigned_abs();
        let found = self.find_head(log, size)?;
        if found == Some(named.head) && size >= shown {
            return Ok(size);
        }
        if size < shown {
            self.report.add_fault(format!(
                "the log {origin} ended at size {size} as the log {next} says, and it has a checkpoint of {shown} entries"
            ));
        } else if size > shown {
            // Nobody was shown the entries after its checkpoint: they wait for the next log.
            let lost = size - shown;
            self.report.add_note(format!(
                "the log {origin} ended at size {size}, and the store has {shown} of its entries: a restore lost {lost}"
            ));
            return Ok(shown);
        }
        if found.is_some_and(|found| found != named.head) {
            self.report.add_fault(format!(
                "the log {origin} has another root at size {size} than the log {next} says"
            ));
        }
        Ok(size)
    }

    /// The end of an earlier log that the first entry of a log names.
    fn read_named(&self, log: &StoredLog) -> Result<Option<Checkpoint>, Fault> {
        let bundle = self.find_tile(log.number, (ENTRIES, 0))?;
        let entries = cut_bundle(&bundle, 1).and_then(|bundle| parse_bundle(bundle, 1).ok());
        let first = entries
            .unwrap_or_default()
            .first()
            .map(|first| Entry::parse(first));
        let Some(Ok(Entry::Service(statement))) = first else {
            return Ok(None);
        };
        let ServiceEvent::Continues { origin, root, size } = statement.event else {
            return Ok(None);
        };
        let head = TreeHead { size, root: root.0 };
        Ok(Some(Checkpoint { origin, head }))
    }

    /// The head that a stored log had at an earlier size. `None`: it is shorter, or damaged as the report says.
    fn find_head(&self, log: &StoredLog, size: u64) -> Result<Option<TreeHead>, Fault> {
        let (number, tree_size) = (log.number, log.size.unsigned_abs());
        if size > tree_size {
            return Ok(None);
        }
        let reading = self
            .log
            .storage
            .read_blocking(move |read| read_stored_head(read, number, size, tree_size).map(Some));
        match reading {
            Err(Fault::Damaged(_)) => Ok(None),
            found => found,
        }
    }
}
