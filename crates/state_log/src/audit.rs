//! Compares everything that was sealed and logged with what it should be (S-60, S-61).
//!
//! An audit runs beside a serving node. Entries and sealed versions never change, so it looks at those that the
//! logs had when it began, a part at a time.

mod ends;
mod erased;
mod states;
mod tree;

use std::collections::HashMap;

use evidence::entry::ServiceEvent;
use observe::clock::to_rfc3339;
use storage::Seal;
use storage::erasures::Erasure;
use storage::state_log::{self, Rendered, StoredLog};

pub use self::ends::EndedLog;
use self::tree::Entries;
use crate::StateLog;
use crate::fault::Fault;
use crate::limits::{AUDIT_FAULTS_KEPT, AUDITED_AT_ONCE};
use crate::program::service_statement;

/// The result of an audit.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report {
    /// Sealed versions whose documents were opened.
    pub versions: u64,
    /// Those of them that a log proves.
    pub logged: u64,
    /// Present versions that were rendered again.
    pub rendered: u64,
    /// Changes of signing keys that were compared.
    pub keys: u64,
    /// Opened versions that lack a sale since it was erased.
    pub redacted: u64,
    /// The erasures, by the ids of their listings.
    pub erasures: Vec<Erasure>,
    /// The logs.
    pub logs: Vec<AuditedLog>,
    /// The ends of earlier logs that these logs name.
    pub ended: Vec<EndedLog>,
    /// Sentences about entries and logs that restores lost, as the logs say.
    pub notes: Vec<String>,
    /// Sentences about what is wrong, at most 1,000.
    pub faults: Vec<String>,
    /// Faults beyond these.
    pub more_faults: u64,
}

/// A log whose root was made again from its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedLog {
    /// The origin.
    pub origin: String,
    /// Its newest checkpoint.
    pub checkpoint: String,
    /// The number of entries.
    pub size: u64,
}

impl Report {
    /// The number of faults.
    pub fn fault_count(&self) -> u64 {
        u64::try_from(self.faults.len()).unwrap_or(u64::MAX) + self.more_faults
    }

    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn add_fault(&mut self, fault: String) {
        if self.faults.len() < AUDIT_FAULTS_KEPT {
            self.faults.push(fault);
        } else {
            self.more_faults += 1;
        }
    }
}

/// Hears of the progress: of how many steps how many are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// An audit under way.
struct Audit<'a> {
    log: &'a StateLog,
    /// Versions that were recorded earlier are not opened. Unix seconds.
    since: i64,
    logs: HashMap<i64, StoredLog>,
    report: Report,
    done: u64,
    progress: Progress<'a>,
}

impl StateLog {
    /// Audits the whole store: each log from its entries, each version that was recorded at `since` (Unix
    /// seconds) or later, and each present version by rendering it again. Blocks.
    ///
    /// # Errors
    /// [`Fault`] when the store cannot be read. Faults of its content are in the report.
    pub fn audit(&self, seal: Seal, since: i64, progress: Progress<'_>) -> Result<Report, Fault> {
        // Before the logs: a checkpoint is in the store before the file has the next one.
        let outside = self.read_outside();
        let logs = self.storage.read_blocking(state_log::list_logs)?;
        let mut audit = Audit {
            log: self,
            since,
            logs: logs.iter().map(|log| (log.number, log.clone())).collect(),
            report: Report::default(),
            done: 0,
            progress,
        };
        let mut counted = HashMap::new();
        for log in &logs {
            let entries = audit.read_log(log)?;
            counted.insert(log.number, entries);
        }
        audit.compare_outside(&outside, logs.last())?;
        audit.compare_ends(&logs)?;
        audit.compare_keys(&mut counted)?;
        audit.read_erasures()?;
        audit.compare_states(&mut counted)?;
        audit.compare_erasures()?;
        audit.compare_counts(&counted)?;
        audit.find_gaps()?;
        audit.render_again(seal)?;
        Ok(audit.report)
    }
}

impl StateLog {
    /// Leaves the result of an audit of all versions for the log. Nothing happens while no log has begun. Blocks.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn note_audit(&self, report: &Report) -> Result<(), Fault> {
        let at = to_rfc3339(self.clock.now_seconds());
        let event = ServiceEvent::Audit {
            faults: report.fault_count(),
            states: report.versions,
        };
        let statement = serde_json::to_string(&service_statement(at, event));
        let statement = statement.map_err(|error| Fault::Damaged(error.to_string()))?;
        let noting =
            self.storage
                .write_blocking(move |write| match state_log::find_newest(write)? {
                    Some(_log) => state_log::add_statement(write, &statement),
                    None => Ok(()),
                });
        Ok(noting?)
    }
}

impl Audit<'_> {
    /// Each entry of a log belongs to one version, which may be gone after its retention, to one change of a
    /// key, or to the service itself.
    fn compare_counts(&mut self, counted: &HashMap<i64, Entries>) -> Result<(), Fault> {
        if self.since > 0 {
            return Ok(());
        }
        let gone = self.log.storage.read_blocking(state_log::list_gone)?;
        let gone: HashMap<i64, u64> = gone.into_iter().collect();
        let mut logs: Vec<_> = counted.iter().collect();
        logs.sort_unstable_by_key(|(number, _)| **number);
        for (number, entries) in logs {
            let gone = gone.get(number).copied().unwrap_or(0);
            for (kind, logged, found, gone) in [
                ("states", entries.states, entries.states_found, gone),
                ("changes of keys", entries.keys, entries.keys_found, 0),
            ] {
                // A version may go after it was counted here.
                if found > logged || found + gone < logged {
                    let origin = self.logs.get(number).map_or("", |log| &log.origin);
                    self.report.add_fault(format!(
                        "the log {origin} has entries of {logged} {kind}, and the store has {found}"
                    ));
                }
            }
        }
        Ok(())
    }

    fn find_gaps(&mut self) -> Result<(), Fault> {
        let limit = i64::try_from(AUDIT_FAULTS_KEPT).unwrap_or(i64::MAX);
        let storage = &self.log.storage;
        let gaps = storage.read_blocking(move |read| state_log::list_gaps(read, limit))?;
        for (sentence, chain) in gaps {
            self.report.add_fault(format!("chain {chain}: {sentence}"));
        }
        Ok(())
    }

    /// Renders the present versions again.
    fn render_again(&mut self, seal: Seal) -> Result<(), Fault> {
        let mut after = None;
        loop {
            let from = after;
            let reading = self.log.storage.read_blocking(move |read| {
                state_log::render_again(read, seal, from, AUDITED_AT_ONCE)
            });
            let page = reading?;
            for Rendered { version, kept } in page.chains {
                let now = (version.sealed.form, version.sealed.digest.to_vec());
                // Another form has another rendering.
                if kept.is_some_and(|kept| kept.0 == now.0 && kept.1 != now.1) {
                    let (chain, number) = (version.chain, version.version);
                    self.report.add_fault(format!(
                        "version {number} of chain {chain} is sealed with another document than its facts give"
                    ));
                }
                self.report.rendered += 1;
            }
            if let Some(damage) = page.damage {
                self.report.add_fault(damage.to_string());
            }
            match page.last {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    fn advance(&mut self, steps: usize) {
        let total = self
            .logs
            .values()
            .map(|log| log.size.unsigned_abs())
            .sum::<u64>()
            * 2;
        self.done += u64::try_from(steps).unwrap_or(0);
        (self.progress)(self.done.min(total), total);
    }
}
