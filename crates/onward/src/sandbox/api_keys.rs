//! The sandbox's API keys for webhook management.

use std::path::Path;

use ::client::sandbox::{SANDBOX_FILE_NAME, SandboxApiKey, SandboxFile};
use observe::clock::Clock;
use provision::files;
use serde::de::DeserializeOwned;
use storage::Storage;
use storage::api_keys::{self, StoredApiKey};
use webhooks::holder;

use super::SandboxError;
use crate::registration::issue_key;

/// The participants that get an API key.
const PARTICIPANTS: [&str; 2] = ["Example Lender", "Example Platform"];
const FILE_NAME: &str = "api-keys.json";

/// The keys in `sandbox.json`, where the operator may have written others.
pub(super) fn published(directory: &Path) -> Vec<SandboxApiKey> {
    let file: Option<SandboxFile> = read(&directory.join(SANDBOX_FILE_NAME));
    file.map_or_else(Vec::new, |file| file.api_keys)
}

/// Takes the keys of an earlier start that still work, the `published` ones first, and issues the others anew. The store holds only digests, so a
/// second file beside it keeps the keys.
pub(super) fn ensure_api_keys(
    storage: &Storage,
    clock: &Clock,
    directory: &Path,
    published: Vec<SandboxApiKey>,
) -> Result<Vec<SandboxApiKey>, SandboxError> {
    let path = directory.join(FILE_NAME);
    let now = clock.now_seconds();
    let known = storage
        .read_blocking(api_keys::list_api_keys)
        .map_err(SandboxError::new)?;
    let kept: Vec<SandboxApiKey> = read(&path).unwrap_or_default();
    let mut keys = published;
    keys.retain(|key| works(key, &known, now));
    for key in kept.into_iter().filter(|key| works(key, &known, now)) {
        if !keys
            .iter()
            .any(|taken| taken.participant_name == key.participant_name)
        {
            keys.push(key);
        }
    }
    for participant in PARTICIPANTS {
        if keys.iter().any(|key| key.participant_name == participant) {
            continue;
        }
        let (_id, key) = issue_key(storage, participant, now).map_err(SandboxError::new)?;
        keys.push(SandboxApiKey {
            participant_name: participant.to_owned(),
            key,
        });
    }
    keys.sort_by_key(|key| {
        let mut participants = PARTICIPANTS.iter();
        let place = participants.position(|name| *name == key.participant_name);
        place.unwrap_or(PARTICIPANTS.len())
    });
    let text = serde_json::to_string_pretty(&keys).map_err(SandboxError::new)?;
    files::write_secret(&path, &text).map_err(SandboxError::new)?;
    Ok(keys)
}

/// `None`: the file is missing, or not as this program writes it.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let text = std::fs::read(path).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Whether the store takes the key.
fn works(key: &SandboxApiKey, known: &[StoredApiKey], now: i64) -> bool {
    let Some((id, digest)) = holder::identify(&key.key) else {
        return false;
    };
    let mut known = known.iter();
    known.any(|stored| stored.id == id && stored.digest == digest && stored.is_valid(now))
}
