//! The private keys of logs, sealed in the store.

use aws_lc_rs::rand;
use log::note::LogKey;
use signing::seal::KeyEncryptionKeys;
use storage::state_log::StoredLog;

use crate::fault::Fault;

/// 32 random bytes.
pub(crate) fn make_secret() -> Result<[u8; 32], Fault> {
    let mut secret = [0; 32];
    let failed = |_error| Fault::Signing("the system's random generator failed".to_owned());
    rand::fill(&mut secret).map_err(failed)?;
    Ok(secret)
}

/// Makes the key of a new log. Returns its sealed form too.
pub(crate) fn make_key(
    origin: &str,
    sealing: &KeyEncryptionKeys,
) -> Result<(LogKey, String), Fault> {
    let seed = make_secret()?;
    let key = LogKey::from_seed(origin, &seed).map_err(refused)?;
    let sealed = sealing.seal(&seed, &tokens::keys::context_of_log(origin));
    Ok((key, sealed.map_err(refused)?))
}

/// Opens the key of a log. `None`: the key that sealed it is gone.
///
/// # Errors
/// [`Fault::Signing`] when the cryptographic library fails.
pub fn open_key(log: &StoredLog, sealing: &KeyEncryptionKeys) -> Result<Option<LogKey>, Fault> {
    let context = tokens::keys::context_of_log(&log.origin);
    let Ok(seed) = sealing.open(&log.sealed_key, &context) else {
        return Ok(None);
    };
    let Ok(seed) = <&[u8; 32]>::try_from(seed.as_slice()) else {
        return Ok(None);
    };
    LogKey::from_seed(&log.origin, seed)
        .map(Some)
        .map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> Fault {
    Fault::Signing(error.to_string())
}
