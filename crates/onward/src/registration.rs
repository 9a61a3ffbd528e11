//! Prepares stores, and registers organisations, clients and API keys in them, for commands and the sandbox.

use std::path::Path;

use observe::clock::Clock;
use provision::key_encryption_key;
use server::config::Config;
use signing::jwk::JwkSet;
use storage::clients::{self, StoredClient};
use storage::{Opening, Storage, api_keys, branch, participants};
use tokens::key_source::KeySource;
use tokens::keys;
use tokens::limits::CLIENT_KEYS_BYTES_MAX;
use uuid::Uuid;
use web::secret::NewSecret;
use webhooks::holder;

use crate::failure::Failure;

/// Creates the store and the keys if they are missing.
pub(crate) fn prepare_store(config: &Config, opening: Opening) -> Result<(), Failure> {
    // The store comes first, so that a store that cannot be reached leaves no key without a store.
    let storage = server::foundation::open_storage(config, opening).map_err(Failure::new)?;
    let settings = config.key_safe();
    if let KeySource::File(path) = settings.source {
        key_encryption_key::ensure(Path::new(path)).map_err(Failure::new)?;
    }
    let safe = settings.open().map_err(Failure::new)?;
    keys::ensure_keys(&storage, &safe, Clock::System.now_seconds()).map_err(Failure::new)?;
    // Another node of the same store may have sealed keys in it already.
    let stored = storage.read_blocking(storage::keys::list_keys)?;
    keys::unseal(&stored, &safe).map_err(Failure::new)?;
    Ok(())
}

/// Returns the id of the named organisation, which is created if it is new. Fails if it is
/// disabled.
pub fn ensure_active(write: &mut storage::Write<'_>, name: &str, now: i64) -> Result<i64, Failure> {
    let found = participants::find_participant(write, name)?;
    if found.is_some_and(|found| found.status == participants::WITHDRAWN) {
        let reason = format!("{name} is disabled: `onward participant enable` lets it in again");
        return Err(Failure::new(reason));
    }
    let organisation = Uuid::new_v4().to_string();
    Ok(participants::ensure_participant(
        write,
        name,
        &organisation,
        now,
    )?)
}

/// Stores a client. Fails if its id is taken or one of its branches does not exist.
pub fn register_client(
    write: &mut storage::Write<'_>,
    client: &StoredClient,
) -> Result<(), Failure> {
    if clients::find_client(write, &client.id)?.is_some() {
        return Err(Failure::new(format!(
            "the client id {} is taken",
            client.id
        )));
    }
    for id in &client.branches {
        if !branch::branch_exists(write, *id)? {
            return Err(Failure::new(format!("there is no branch {id}")));
        }
    }
    let participant = ensure_active(write, &client.participant, client.created_at)?;
    Ok(clients::insert_client(write, client, participant)?)
}

/// Generates a client id below the URL of the directory, in the form that directories use.
pub(crate) fn make_client_id(directory_url: &str) -> String {
    let id = Uuid::new_v4();
    format!("{directory_url}/openid_relying_party/{id}")
}

/// Checks a key set at registration: weak and malformed keys are refused (S-21).
pub fn check_jwks(jwks: &[u8]) -> Result<String, String> {
    if jwks.len() > CLIENT_KEYS_BYTES_MAX {
        return Err(format!("it is larger than {CLIENT_KEYS_BYTES_MAX} bytes"));
    }
    JwkSet::parse(jwks).map_err(|error| error.to_string())?;
    String::from_utf8(jwks.to_vec()).map_err(|error| error.to_string())
}

/// Stores a new key of a participant. Returns its id and the key. The store keeps only its digest, so
/// the key cannot be shown again.
pub fn issue_key(storage: &Storage, participant: &str, now: i64) -> Result<(i64, String), Failure> {
    let secret = NewSecret::draw().map_err(Failure::new)?;
    let (name, digest) = (participant.to_owned(), secret.digest.clone());
    let id = storage.write_blocking(move |write| {
        let owner = ensure_active(write, &name, now)?;
        Ok::<_, Failure>(api_keys::insert_api_key(write, owner, &digest, now)?)
    })?;
    Ok((id, holder::to_key(&secret, id)))
}

/// A key that takes the place of another one.
#[derive(Debug)]
pub struct RotatedKey {
    /// The id of the new key.
    pub id: i64,
    /// The new key.
    pub key: String,
    /// When the old key ends, in Unix seconds.
    pub old_ends_at: i64,
}

/// Stores one more key of the account of the key `old`. The old one ends at `ends_at`, in Unix seconds, unless an
/// earlier rotation ends it before (S-92).
pub fn rotate_key(
    storage: &Storage,
    old: i64,
    now: i64,
    ends_at: i64,
) -> Result<RotatedKey, Failure> {
    let secret = NewSecret::draw().map_err(Failure::new)?;
    let digest = secret.digest.clone();
    let (id, old_ends_at) = storage.write_blocking(move |write| {
        let found = api_keys::find_api_key(write, old)?;
        let found = found.filter(|key| key.is_valid(now)).ok_or_else(|| {
            Failure::new(format!(
                "there is no valid API key {old}; `onward api-key list` shows all keys"
            ))
        })?;
        ensure_active(write, &found.participant, now)?;
        let ends_at = found.ends_at.map_or(ends_at, |end| end.min(ends_at));
        let id = api_keys::rotate_api_key(write, &found, &digest, now, ends_at)?;
        Ok::<_, Failure>((id, ends_at))
    })?;
    let key = holder::to_key(&secret, id);
    Ok(RotatedKey {
        id,
        key,
        old_ends_at,
    })
}
