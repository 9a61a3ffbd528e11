//! Compares the keys with the key set at `published_jwks_url` (S-76).

use server::foundation::Foundation;
use tokens::registry::Snapshot;

use super::Finding;

/// Warns of each key that the address does not show as it is.
pub(super) async fn compare(foundation: &Foundation, registered: &Snapshot) -> Vec<Finding> {
    let Some(published) = &foundation.published_keys else {
        return Vec::new();
    };
    let address = &published.address;
    match published.compare(&registered.keyring).await {
        Ok(comparison) => {
            let faults = comparison.faults.into_iter();
            let warn =
                |fault| Finding::Warning(format!("at published_jwks_url {address}, {fault}"));
            faults.map(warn).collect()
        }
        Err(error) => {
            let text =
                format!("the key set at published_jwks_url {address} cannot be read: {error}");
            vec![Finding::Warning(text)]
        }
    }
}
