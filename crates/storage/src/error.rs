//! What can go wrong in the store, in words for an operator.

/// A failure of the store. None of these is a refusal of something that a
/// caller asked for: those are decided in `chain` and by the callers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// The store cannot be opened at all.
    #[error("cannot open the store {target}: {reason}")]
    Open {
        /// Which store, without any password.
        target: String,
        /// The engine's own words.
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
        /// Which store.
        target: String,
        /// Version found.
        found: i64,
        /// Newest version that this program knows.
        known: i64,
    },
    /// The store was written by an older program, and is not to be changed now.
    #[error(
        "the store {target} has schema version {found}, and this program needs {needed}: make a \
         copy, stop the programs of the older version, and `onward serve` upgrades it"
    )]
    OlderStore {
        /// Which store.
        target: String,
        /// Version found.
        found: i64,
        /// Version of this program.
        needed: i64,
    },
    /// The store's index of addresses is of another program, and is not to be changed now.
    #[error(
        "the store's index of addresses has version {found}, and this program needs {needed}: \
         stop the programs of the other version, and `onward serve` makes it anew"
    )]
    OlderIndex {
        /// Version found.
        found: i64,
        /// Version of this program.
        needed: i64,
    },
    /// There are no tables in the store yet, and none are to be made now.
    #[error("the store {target} is empty: `onward init` makes its tables and keys")]
    EmptyStore {
        /// Which store.
        target: String,
    },
    /// Other writers held the store for too long, or the transaction met the
    /// same conflict again and again. Nothing was changed; try again.
    #[error("the store is busy; nothing was changed")]
    Busy,
    /// The database cannot be reached.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// The connection broke, or the standby did not answer, while a transaction was being
    /// committed: whether it counts is not known. Try again.
    #[error("the store did not confirm a change, which may count or not: {0}")]
    Unconfirmed(String),
    /// A statement failed.
    #[error("the store refused a statement: {0}")]
    Statement(String),
    /// What the store holds breaks a rule that the program keeps.
    #[error("the store holds something impossible: {0}")]
    Corrupt(String),
    /// The store was closed while the work waited, or the work panicked.
    #[error("the work on the store did not finish")]
    Stopped,
}

impl StorageError {
    /// Whether the same request may succeed a moment later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::Unavailable(_) | Self::Unconfirmed(_) | Self::Stopped
        )
    }
}
