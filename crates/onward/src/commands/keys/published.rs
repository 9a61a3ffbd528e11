//! Looks at `published_jwks_url` before keys change (S-76).

use std::io::Write as _;

use observe::clock::Clock;
use server::config::Config;
use server::foundation::open_storage;
use server::published_keys::{CompareError, PublishedKeySet};
use signing::keyring::{KeyState, Purpose};
use storage::{Opening, Storage};
use tokens::key_source::KeySafe;
use tokens::keys;
use tokens::shown_keys::{self, Comparison};

use crate::commands::{Failure, wait_for};

/// Keeps in the store which keys the address shows now. If it cannot be read, the keys count that it showed
/// before.
///
/// # Errors
/// The address lacks a next key of these purposes, or shows it as another one.
pub(super) fn look(config: &Config, safe: &KeySafe, purposes: &[Purpose]) -> Result<(), Failure> {
    let published = PublishedKeySet::open(config).map_err(Failure::new)?;
    let Some(published) = published.filter(|_| *purposes != [Purpose::Token]) else {
        return Ok(());
    };
    // What another address shows is no operator's change, so the audit log leaves it out.
    let storage = open_storage(config, Opening::Unchanged).map_err(Failure::new)?;
    let rows = storage.read_blocking(storage::keys::list_keys)?;
    let compared = wait_for(compare(&published, &storage, safe))?;
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(error) => {
            let address = &published.address;
            let text = format!("{address} cannot be read now, so what it showed before counts");
            let text = ::client::printable(&format!("{text}: {error}"));
            drop(writeln!(std::io::stderr(), "onward: {text}"));
            return Ok(());
        }
    };
    let is_next = |kid: &str| {
        let mut found = rows.iter().filter(|row| row.kid == kid);
        found.any(|row| row.state == KeyState::Next.as_str())
    };
    let mut faults = comparison.faults.into_iter();
    let wrong = faults.find(|fault| purposes.contains(&fault.purpose) && is_next(&fault.kid));
    match wrong {
        Some(fault) => {
            let address = &published.address;
            let text =
                format!("at {address}, {fault}: publish it there first; nothing was rotated");
            Err(Failure::new(text))
        }
        None => Ok(()),
    }
}

/// Whether a key does not sign before this address shows it. The address may be empty.
pub(super) fn is_awaited(address: &str, storage: &Storage, kid: &str) -> Result<bool, Failure> {
    if address.is_empty() {
        return Ok(false);
    }
    let rows = storage.read_blocking(storage::keys::list_keys)?;
    let address = address.to_owned();
    let shown = storage.read_blocking(move |read| storage::keys::list_shown(read, &address))?;
    let token = Purpose::Token.as_str();
    let mut others = rows.iter().filter(|row| row.purpose != token);
    let is_for_others = others.any(|row| row.kid == kid);
    Ok(is_for_others && !shown.iter().any(|(one, _since)| one == kid))
}

/// The outcome of a comparison. The store fails the command, and the address does not.
async fn compare(
    published: &PublishedKeySet,
    storage: &Storage,
    safe: &KeySafe,
) -> Result<Result<Comparison, CompareError>, Failure> {
    let stored = storage.read(storage::keys::list_keys).await?;
    let keyring = keys::unseal(&stored, safe).map_err(Failure::new)?;
    let comparison = match published.compare(&keyring).await {
        Ok(comparison) => comparison,
        Err(error) => return Ok(Err(error)),
    };
    let (address, shown) = (&published.address, comparison.shown.clone());
    let now = Clock::System.now_seconds();
    shown_keys::note_shown(storage, address, shown, now).await?;
    Ok(Ok(comparison))
}
