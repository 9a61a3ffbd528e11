//! The schema, as forward-only steps. A step that was released never changes.

use crate::{Opening, Result, StorageError};

/// The schema version that this program writes and reads.
pub const SCHEMA_VERSION: i64 = 9;

/// Portable SQL; words in braces are put in by the engine.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_changes.sql"),
    include_str!("migrations/0003_webhooks.sql"),
    include_str!("migrations/0004_address_search.sql"),
    include_str!("migrations/0005_directory.sql"),
    include_str!("migrations/0006_rates.sql"),
    include_str!("migrations/0007_certificate_subject.sql"),
    include_str!("migrations/0008_token_generation.sql"),
    include_str!("migrations/0009_replay.sql"),
];

/// Reads the version of a store that has a schema.
pub(crate) const READ_VERSION: &str = "select max(version) from schema_version";

/// The steps that a store of version `found` still needs, in order.
pub(crate) fn outstanding(target: &str, found: i64) -> Result<&'static [&'static str]> {
    usize::try_from(found)
        .ok()
        .and_then(|done| STEPS.get(done..))
        .ok_or_else(|| StorageError::NewerStore {
            target: target.to_owned(),
            found,
            known: SCHEMA_VERSION,
        })
}

/// The same, where opening may take them.
pub(crate) fn allowed(
    target: &str,
    found: i64,
    opening: Opening,
) -> Result<&'static [&'static str]> {
    let steps = outstanding(target, found)?;
    let least = match found {
        0 => Opening::Make,
        _ => Opening::Upgrade,
    };
    if steps.is_empty() || opening >= least {
        return Ok(steps);
    }
    let target = target.to_owned();
    Err(if found == 0 {
        StorageError::EmptyStore { target }
    } else {
        StorageError::OlderStore {
            target,
            found,
            needed: SCHEMA_VERSION,
        }
    })
}

/// A table `schema_version` that holds no version is not ours, or was emptied.
pub(crate) fn foreign(target: &str) -> StorageError {
    StorageError::Open {
        target: target.to_owned(),
        reason: "its table schema_version holds no version of this program; is it the database \
                 of another one?"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{SCHEMA_VERSION, STEPS};

    #[test]
    fn the_version_counts_the_steps() {
        assert_eq!(i64::try_from(STEPS.len()).unwrap(), SCHEMA_VERSION);
    }
}
