//! The sandbox's API keys for webhook management.

use std::path::Path;

use ::client::sandbox::SandboxApiKey;
use observe::clock::Clock;
use provision::files;
use storage::{Storage, api_keys};

use super::SandboxError;
use crate::registration::issue_key;

/// The participants that get an API key.
const PARTICIPANTS: [&str; 2] = ["Example Lender", "Example Platform"];
const FILE_NAME: &str = "api-keys.json";

/// Reads the keys of an earlier start, or issues new ones. The store holds only their digests, so a
/// file beside it keeps the keys.
pub(super) fn ensure_api_keys(
    storage: &Storage,
    clock: &Clock,
    directory: &Path,
) -> Result<Vec<SandboxApiKey>, SandboxError> {
    let path = directory.join(FILE_NAME);
    let known = storage
        .read_blocking(api_keys::list_api_keys)
        .map_err(SandboxError::new)?;
    let active = known.iter().filter(|key| key.revoked_at.is_none()).count();
    let kept = std::fs::read(&path).ok();
    let kept: Option<Vec<SandboxApiKey>> = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
    if let Some(kept) = kept.filter(|kept| kept.len() <= active) {
        return Ok(kept);
    }
    let issue = |participant: &str| {
        let (_id, key) = issue_key(storage, participant, clock.now_seconds())?;
        Ok(SandboxApiKey {
            participant_name: participant.to_owned(),
            key,
        })
    };
    let keys = PARTICIPANTS.into_iter().map(issue);
    let keys = keys
        .collect::<Result<Vec<_>, crate::failure::Failure>>()
        .map_err(SandboxError::new)?;
    let text = serde_json::to_string_pretty(&keys).map_err(SandboxError::new)?;
    files::write_secret(&path, &text).map_err(SandboxError::new)?;
    Ok(keys)
}
