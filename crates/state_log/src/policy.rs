//! Writes the policy of this service's logs (C2SP tlog-policy), with which everybody verifies packs.

use std::fmt::Write as _;

use storage::{Read, StorageError, state_log};

use crate::witnesses::WitnessSettings;
use crate::{StateLog, url_of};

const HEAD: &str = "\
# Verifies evidence packs of this service (C2SP tlog-policy). Keep it, and never take it from whoever gives you
# a pack.";
const WITHOUT_WITNESSES: &str = " No witness is named: a pack reaches level 3.\n";
const WITH_WITNESSES: &str =
    " Packs reach level 4, with the quorum of these witnesses. With `quorum none` in the
# place of the last line, packs reach level 3 without them.\n";

impl StateLog {
    /// The policy of this service. Blocks.
    ///
    /// # Errors
    /// [`StorageError`].
    pub fn policy(&self) -> Result<String, StorageError> {
        let first = self.url.clone();
        let settings = self.witnesses.as_ref();
        let settings = settings.map_or_else(WitnessSettings::default, |all| all.settings.clone());
        self.storage
            .read_blocking(move |read| write_policy(read, &first, &settings))
    }
}

/// The policy with all logs of a store. `first` is the address of the first log. A policy without logs, which
/// accepts nothing, is what a store has whose first log has not begun.
///
/// # Errors
/// [`StorageError`].
pub fn write_policy(
    read: &mut Read<'_>,
    first: &str,
    witnesses: &WitnessSettings,
) -> Result<String, StorageError> {
    let mut policy = HEAD.to_owned();
    policy.push_str(if witnesses.is_empty() {
        WITHOUT_WITNESSES
    } else {
        WITH_WITNESSES
    });
    for (number, verifier) in state_log::list_verifiers(read)? {
        let url = url_of(first, number);
        let _infallible = writeln!(policy, "log {verifier} {url}");
    }
    policy.push_str(&witnesses.policy_lines());
    Ok(policy)
}
