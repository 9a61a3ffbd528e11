//! The cursor of a branch's changes, from which the next read goes on (S-93).

use std::fmt;

use chain::ids::BranchId;
use storage::branch_changes::{self, BranchChange};
use storage::{Read, StorageError, history};
use web::refusal::Refusal;

use crate::limits::CHANGES_SECONDS;

/// The numbers in the text of a cursor.
const NUMBERS: usize = 6;
/// The most digits of a number.
const DIGITS_MAX: usize = 18;

/// How far a reader has read the changes of a branch. Times are in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    branch: i64,
    /// How often the store had been restored.
    restores: i64,
    /// The number of the last line; 0 if none was read.
    number: i64,
    /// The id of the last line.
    line: i64,
    /// When the last line was recorded.
    recorded_at: i64,
    /// The reader has all lines that were recorded before.
    read_until: i64,
}

impl Cursor {
    /// The cursor of a reader that has read nothing. All lines from before `oldest` do not count.
    pub(crate) fn first(
        read: &mut Read<'_>,
        branch: BranchId,
        oldest: i64,
    ) -> Result<Self, StorageError> {
        Ok(Self {
            branch: branch.0,
            restores: branch_changes::count_restores(read)?,
            number: 0,
            line: 0,
            recorded_at: 0,
            read_until: oldest,
        })
    }

    /// Reads the text that an earlier answer had.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let to_number = |part: &str| {
            let is_number = (1..=DIGITS_MAX).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        };
        let parts = text.splitn(NUMBERS + 1, '-').map(to_number);
        let numbers: Vec<i64> = parts.collect::<Option<_>>()?;
        let numbers: [i64; NUMBERS] = numbers.try_into().ok()?;
        let [branch, restores, number, line, recorded_at, read_until] = numbers;
        Some(Self {
            branch,
            restores,
            number,
            line,
            recorded_at,
            read_until,
        })
    }

    /// The number after which the next read begins.
    pub(crate) fn number(self) -> i64 {
        self.number
    }

    /// Says why a reader of a branch cannot go on from here, if it cannot.
    pub(crate) fn find_fault(
        self,
        read: &mut Read<'_>,
        branch: BranchId,
        now: i64,
    ) -> Result<Option<Fault>, StorageError> {
        let oldest = now - CHANGES_SECONDS;
        if self.branch != branch.0 {
            return Ok(Some(Fault::OtherBranch));
        }
        if self.read_until < oldest {
            return Ok(Some(Fault::TooOld));
        }
        if self.restores != branch_changes::count_restores(read)? {
            return Ok(Some(Fault::Restored));
        }
        if self.number == 0 {
            return Ok(None);
        }
        // Housekeeping may have removed an old line from the branch's list.
        let is_there = match branch_changes::find_line(read, branch, self.number)? {
            Some(line) => line == self.line,
            None => {
                self.recorded_at < oldest
                    && self.number <= branch_changes::find_last_number(read, branch)?
            }
        };
        // An erasure removes lines, and a restore was excluded above.
        let time = history::find_time(read, self.line)?;
        let is_same = is_there && time.is_none_or(|time| time == self.recorded_at);
        Ok((!is_same).then_some(Fault::Restored))
    }

    /// The cursor after these lines. `is_last` says that no more lines were there at `now`.
    pub(crate) fn after(self, lines: &[BranchChange], is_last: bool, now: i64) -> Self {
        let mut next = self;
        if let Some(last) = lines.last() {
            next.number = last.number;
            next.line = last.entry.id;
            next.recorded_at = last.entry.at;
            next.read_until = self.read_until.max(last.entry.at);
        }
        if is_last {
            next.read_until = now;
        }
        next
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            branch,
            restores,
            number,
            line,
            recorded_at,
            read_until,
        } = self;
        write!(
            formatter,
            "{branch}-{restores}-{number}-{line}-{recorded_at}-{read_until}"
        )
    }
}

/// Why a cursor is worth nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is of another branch.
    OtherBranch,
    /// Lines after it may be gone.
    TooOld,
    /// The store is in an earlier state than its own.
    Restored,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        let why = match fault {
            Fault::OtherBranch => "this cursor is of another branch",
            Fault::TooOld => "this cursor is older than the changes that are kept",
            Fault::Restored => "the store was restored since this cursor was given",
        };
        let detail = format!("{why}; read your listings again, then the changes without `after`");
        Self::gone("cursor_gone", detail).about("after")
    }
}
