//! The commands by which operators changed the store.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Read, Result, Write};

/// A command that changed the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorChange {
    /// Rises with each change.
    pub id: i64,
    /// Unix seconds.
    pub changed_at: i64,
    /// The user of the operating system who ran the command; empty: from before this was noted.
    pub os_user: String,
    /// The command and its arguments, without settings.
    pub command: String,
    /// Why, in the operator's words; empty: not said.
    pub reason: String,
}

/// A command of an operator, before it changes anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCommand {
    /// The user of the operating system who runs it.
    pub os_user: String,
    /// The command and its arguments, without settings.
    pub command: String,
    /// Why, in the operator's words; empty: not said.
    pub reason: String,
    /// Unix seconds.
    pub now: i64,
}

/// A command that is noted with its first write, in the same transaction.
#[derive(Debug)]
pub(crate) struct Note {
    command: OperatorCommand,
    is_kept: AtomicBool,
}

impl Note {
    pub(crate) fn new(command: OperatorCommand) -> Self {
        Self {
            command,
            is_kept: AtomicBool::new(false),
        }
    }

    /// Inserts the note, unless an earlier transaction kept it.
    pub(crate) fn insert(&self, write: &mut Write<'_>) -> Result<()> {
        if self.is_kept.load(Ordering::Relaxed) {
            return Ok(());
        }
        write.execute(
            "insert into operator_change (changed_at, os_user, command, reason) \
             values ($1, $2, $3, $4)",
            &[
                self.command.now.into(),
                (&self.command.os_user).into(),
                (&self.command.command).into(),
                (&self.command.reason).into(),
            ],
        )?;
        Ok(())
    }

    /// Notes that the transaction was committed.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

/// The id of the last change; 0 if there is none.
pub fn find_last_id(read: &mut Read<'_>) -> Result<i64> {
    read.query_integer("select coalesce(max(id), 0) from operator_change", &[])
}

/// At most `limit` changes after this id, in their order.
pub fn list_changes(read: &mut Read<'_>, after: i64, limit: i64) -> Result<Vec<OperatorChange>> {
    read.query(
        "select id, changed_at, os_user, command, reason from operator_change where id > $1 \
         order by id limit $2",
        &[after.into(), limit.into()],
        |row| {
            Ok(OperatorChange {
                id: row.integer(0)?,
                changed_at: row.integer(1)?,
                os_user: row.text(2)?,
                command: row.text(3)?,
                reason: row.text(4)?,
            })
        },
    )
}
