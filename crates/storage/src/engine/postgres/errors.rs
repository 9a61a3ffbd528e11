//! The errors of PostgreSQL as errors of the store.

use tokio_postgres::error::{DbError, SqlState};

use super::PostgresSession;
use super::client::StepError;
use crate::StorageError;

/// Transactions that run alone after the server had no room for predicate locks.
const EXCLUSIVE_TURNS: u32 = 500;
/// The server's source file that refuses predicate locks. Unlike messages, its name is not translated.
const PREDICATE_LOCKS: &str = "predicate.c";

impl PostgresSession {
    /// The next transactions take no predicate locks, so that writes go on. An open serializable
    /// transaction, also of another program, makes the server keep the locks of all later ones.
    pub(super) fn begin_exclusive_turns(&mut self) {
        if self.exclusive_turns == 0 {
            tracing::warn!(
                "PostgreSQL has no room for more predicate locks: writes of the nodes go on, one \
                 after the other; end the serializable transaction that is open for long, and \
                 raise max_pred_locks_per_transaction"
            );
        }
        self.exclusive_turns = EXCLUSIVE_TURNS;
    }

    pub(super) fn takes_exclusive_turn(&mut self) -> bool {
        let takes = self.exclusive_turns > 0;
        self.exclusive_turns = self.exclusive_turns.saturating_sub(1);
        takes
    }
}

/// Whether the server has no room for predicate locks, or for conflicts between serializable
/// transactions. It reports both as exhausted shared memory.
pub(super) fn is_of_predicate_locks(error: &StepError) -> bool {
    let StepError::Database(error) = error else {
        return false;
    };
    let is_theirs = |error: &DbError| error.file() == Some(PREDICATE_LOCKS);
    error.code() == Some(&SqlState::OUT_OF_MEMORY) && error.as_db_error().is_some_and(is_theirs)
}

/// The server's words, with its advice to the operator. Its detail may show data.
fn words(error: &DbError) -> String {
    let message = error.message();
    let hint = error
        .hint()
        .map(|hint| format!("; the server advises: {hint}"));
    format!("{message}{}", hint.unwrap_or_default())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
pub(super) fn storage_error(error: tokio_postgres::Error) -> StorageError {
    let Some(database) = error.as_db_error() else {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        return StorageError::Unavailable(source.unwrap_or_else(|| error.to_string()));
    };
    let code = database.code();
    let unavailable = [
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        &SqlState::INSUFFICIENT_PRIVILEGE,
        &SqlState::READ_ONLY_SQL_TRANSACTION,
        &SqlState::QUERY_CANCELED,
        // This node or its machine was frozen for a while.
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    // The classes of broken connections, of exhausted resources such as the disk, and of errors of
    // the operating system.
    let classes = ["08", "53", "58"];
    if unavailable.contains(&code) || classes.iter().any(|class| code.code().starts_with(class)) {
        return StorageError::Unavailable(words(database));
    }
    StorageError::Statement(format!("{} ({})", words(database), code.code()))
}
