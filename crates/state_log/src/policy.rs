//! Writes the policy of this service's logs (C2SP tlog-policy), with which everybody verifies packs.

use std::fmt::Write as _;

use storage::{Read, StorageError, state_log};

use crate::{StateLog, url_of};

const HEAD: &str = "\
# Verifies evidence packs of this service (C2SP tlog-policy). Keep it, and never take it from whoever gives you
# a pack. No witness is named: a pack reaches level 3.
";

impl StateLog {
    /// The policy of this service. Blocks.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn policy(&self) -> Result<String, StorageError> {
        let first = self.url.clone();
        self.storage
            .read_blocking(move |read| write_policy(read, &first))
    }
}

/// The policy with all logs of a store. `first` is the address of the first log. A policy without logs, which
/// accepts nothing, is what a store has whose first log has not begun.
///
/// # Errors
/// [`StorageError`].
pub fn write_policy(read: &mut Read<'_>, first: &str) -> Result<String, StorageError> {
    let mut policy = HEAD.to_owned();
    for (number, verifier) in state_log::list_verifiers(read)? {
        let url = url_of(first, number);
        let _infallible = writeln!(policy, "log {verifier} {url}");
    }
    policy.push_str("quorum none\n");
    Ok(policy)
}
