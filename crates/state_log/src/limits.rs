//! Bounds of the log, with their units.

use std::time::Duration;

/// How often the sequencer looks for new entries. It signs at most one checkpoint each time.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);
/// How long other nodes leave the log to one node after its last change.
pub(crate) const LEASE_MILLISECONDS: i64 = 5_000;
/// How long a node that starts waits for the end of another node's lease: longer than a lease.
pub(crate) const LEASE_WAIT_MAX: Duration = Duration::from_secs(6);
/// The pause between two looks.
pub(crate) const LEASE_PAUSE: Duration = Duration::from_millis(100);
/// The states and the changes of keys that one transaction appends, of each at most so many.
pub(crate) const ENTRIES_AT_ONCE: i64 = 256;
/// Transactions between two checkpoints.
pub(crate) const BATCHES_MAX: usize = 16;
/// How often the log asks each witness for a cosignature at most, in milliseconds.
pub(crate) const WITNESS_INTERVAL_MILLISECONDS: i64 = 10_000;
/// How long a call of a witness may take. A witness that knows another size is called twice, so that both calls
/// end before the next round.
pub const WITNESS_TIMEOUT: Duration = Duration::from_secs(4);
/// The bytes of a witness's answer to `add-checkpoint`.
pub(crate) const COSIGNATURE_BYTES_MAX: usize = 4 * 1024;
/// The most witnesses of a log.
pub(crate) const WITNESSES_MAX: usize = 16;
/// How long a pack waits for the witnesses, in seconds. Then it is made without them.
pub(crate) const QUORUM_WAIT_SECONDS: i64 = 30;
/// The longest checkpoint file that is read, in bytes.
pub(crate) const CHECKPOINT_BYTES_MAX: u64 = 64 * 1024;
/// How long caches may keep a tile, which never changes.
pub(crate) const TILE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";
/// How often a node tries to hold the checkpoint file before it leaves the turn to the one that does.
pub(crate) const LOCK_ATTEMPTS_MAX: u32 = 50;
/// The pause between two attempts.
pub(crate) const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// The longest place of a tile in a path, in characters.
pub(crate) const TILE_CHARACTERS_MAX: usize = 64;
/// The versions or chains that an audit reads in one transaction.
pub(crate) const AUDITED_AT_ONCE: i64 = 500;
/// The rows that an erasure looks through in one transaction.
pub(crate) const LOOKED_THROUGH_AT_ONCE: i64 = 1_000;
/// The rows that an erasure changes or deletes in one transaction.
pub(crate) const ERASED_AT_ONCE: usize = 50;
/// The longest file of erasures that is read, in bytes.
pub(crate) const ERASURES_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The faults that an audit's report names.
pub(crate) const AUDIT_FAULTS_KEPT: usize = 1_000;
