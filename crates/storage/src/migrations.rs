//! The migrations of the schema. They go forward only, and a released one never changes.

use crate::{Opening, Result, StorageError};

/// The schema version of this program: the number of its migrations.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
pub(crate) const SCHEMA_VERSION: i64 = STEPS.len() as i64;

/// Portable SQL. Each engine replaces the words in braces.
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
    include_str!("migrations/0010_current_listing.sql"),
    include_str!("migrations/0011_quotas.sql"),
    include_str!("migrations/0012_link_proposals.sql"),
    include_str!("migrations/0013_operator_changes.sql"),
    include_str!("migrations/0014_operators.sql"),
    include_str!("migrations/0015_oldest_program.sql"),
    include_str!("migrations/0016_accesses.sql"),
    include_str!("migrations/0017_forecasts.sql"),
    include_str!("migrations/0018_console.sql"),
    include_str!("migrations/0019_delivery_answers.sql"),
    include_str!("migrations/0020_watches.sql"),
    include_str!("migrations/0021_quotas.sql"),
    include_str!("migrations/0022_console_lists.sql"),
    include_str!("migrations/0023_fewer_references.sql"),
    include_str!("migrations/0024_nodes.sql"),
    include_str!("migrations/0025_watch_changes.sql"),
    include_str!("migrations/0026_event_types.sql"),
    include_str!("migrations/0027_api_accounts.sql"),
    include_str!("migrations/0028_sealed.sql"),
    include_str!("migrations/0029_branch_changes.sql"),
    include_str!("migrations/0030_log.sql"),
    include_str!("migrations/0031_holders.sql"),
    include_str!("migrations/0032_shown_keys.sql"),
    include_str!("migrations/0033_erasures.sql"),
    include_str!("migrations/0034_service_statements.sql"),
    include_str!("migrations/0035_witnessed.sql"),
    include_str!("migrations/0036_framework.sql"),
];

/// Reads the version of a store that has a schema.
pub(crate) const READ_VERSION: &str = "select max(version) from schema_version";

/// Counts the newer versions of a store that a program of version $1 must not use.
pub(crate) const COUNT_FENCES: &str = "select count(*) from schema_version \
     where version > $1 and coalesce(oldest_program, version) > $1";

/// The migrations that a store of version `found` still needs, in order.
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

/// As [`outstanding`]. An error if `opening` must not run them.
pub(crate) fn allowed(
    target: &str,
    found: i64,
    opening: Opening,
) -> Result<&'static [&'static str]> {
    let steps = outstanding(target, found)?;
    let target = target.to_owned();
    match found {
        _ if steps.is_empty() => Ok(steps),
        0 if opening < Opening::Create => Err(StorageError::EmptyStore { target }),
        1.. if opening < Opening::Upgrade => Err(StorageError::OlderStore {
            target,
            found,
            needed: SCHEMA_VERSION,
        }),
        _ => Ok(steps),
    }
}

/// The error for tables without a version of this program. Another program may own them.
pub(crate) fn foreign(target: &str) -> StorageError {
    StorageError::Open {
        target: target.to_owned(),
        reason: "it has tables, and no table schema_version with a version of this program; is it \
                 the database of another program?"
            .to_owned(),
    }
}
