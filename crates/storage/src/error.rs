//! Errors of the store, with texts for an operator.

/// A failure of the store. Refusals of requests are not among them: `chain` and the callers of
/// this crate decide about those.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// The store cannot be opened at all.
    #[error("cannot open the store {target}: {reason}")]
    Open {
        /// The store's name without its password.
        target: String,
        /// The message of the engine.
        reason: String,
    },
    /// The settings do not allow to open the store.
    #[error("cannot open the store {target}: {reason}")]
    Forbidden {
        /// The store's name without its password.
        target: String,
        /// The fault in the settings.
        reason: String,
    },
    /// The setting that names the store cannot be understood.
    #[error(
        "`{0}` is no store: give a file path, `sqlite:PATH` or `postgres://USER@HOST/DATABASE`"
    )]
    BadUrl(String),
    /// The store was written by a newer program.
    #[error(
        "the store {target} has schema version {found}, this program knows up to {known}: \
         run the newer program, or restore a copy made before the upgrade"
    )]
    NewerStore {
        /// The store's name without its password.
        target: String,
        /// The version of the store.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// A newer program has changed the store while this one used it.
    #[error(
        "a newer version of the program has changed the store, so this node no longer uses it: \
         replace this node by that version"
    )]
    Fenced,
    /// The store was written by an older program, and this way of opening must not upgrade it.
    #[error(
        "the store {target} has schema version {found}, and this program needs {needed}: make a \
         copy, stop the programs of the older version, and run `onward migrate`"
    )]
    OlderStore {
        /// The store's name without its password.
        target: String,
        /// The version of the store.
        found: i64,
        /// The version that this program needs.
        needed: i64,
    },
    /// Another version of the program wrote the address index, and this way of opening must not
    /// rebuild it.
    #[error(
        "the address index of the store has version {found}, and this program needs {needed}: \
         stop the programs of the other version, and run `onward migrate`"
    )]
    OlderIndex {
        /// The version of the store.
        found: i64,
        /// The version that this program needs.
        needed: i64,
    },
    /// The store has no tables, and this way of opening must not create them.
    #[error("the store {target} is empty: `onward init` creates its tables and keys")]
    EmptyStore {
        /// The store's name without its password.
        target: String,
    },
    /// Other writers locked the store for too long, or the transaction conflicted again and again.
    /// Nothing was changed. A retry may succeed.
    #[error("the store is busy; nothing was changed")]
    Busy,
    /// The database cannot be reached, or cannot be written: its disk is full, it became read-only, or
    /// a right is missing.
    #[error("the store cannot be used: {0}")]
    Unavailable(String),
    /// The connection broke during a commit, or the standby or the disk did not confirm it. The change may or
    /// may not be stored. A retry may succeed.
    #[error("the store did not confirm a change, which may or may not be stored: {0}")]
    Unconfirmed(String),
    /// A statement failed.
    #[error("the store refused a statement: {0}")]
    Statement(String),
    /// The store holds data that this program never writes.
    #[error("the store holds invalid data: {0}")]
    Corrupt(String),
    /// The store closed before the work ran, or the work panicked.
    #[error("the store stopped before the work was finished")]
    Stopped,
}

impl StorageError {
    /// Whether a retry may succeed.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::Fenced | Self::Unavailable(_) | Self::Unconfirmed(_) | Self::Stopped
        )
    }
}
