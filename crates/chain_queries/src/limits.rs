//! Bounds of the chain query and the address look-up, with their units.

use std::time::Duration;

/// Addresses that one read of a chain query looks for. Other reads run in between.
pub(crate) const ADDRESSES_AT_ONCE: usize = 4;
/// Properties that an address search compares at the cost of one more request.
pub(crate) const COMPARED_PER_REQUEST: u64 = 1_000;
/// The chains of one answer, in bytes. A chain of 100 homes has half a mebibyte.
pub const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of an answer at the cost of one more request.
pub(crate) const ANSWER_BYTES_PER_REQUEST: usize = 128 * 1024;
/// Evidence packs that a node makes at once. A hostile answer of 4 MiB takes 340 MB while it is read.
pub(crate) const PACKS_AT_ONCE_MAX: usize = 2;
/// How often a page of a person asks for a pack until the log has the state, and how long it waits in between.
pub(crate) const PACK_ATTEMPTS_MAX: u32 = 15;
pub(crate) const PACK_PAUSE: Duration = Duration::from_secs(1);
/// Chains in an evidence pack at the cost of one more request.
pub(crate) const PROVED_CHAINS_PER_REQUEST: usize = 8;
/// `value[]` entries of one query (S-3).
pub(crate) const VALUES_MAX: usize = 100;
/// Characters of one `value[]` entry after trimming (S-3).
pub const VALUE_CHARACTERS_MAX: usize = 200;
/// Chains on a page (document 1).
pub(crate) const ROWS_MAX: u64 = 100;
/// Chains on a page by default (document 1).
pub(crate) const ROWS_DEFAULT: u64 = 15;
/// Properties that an address look-up lists at most.
pub(crate) const SUGGESTIONS_MAX: usize = 20;
/// Properties that an address look-up lists by default.
pub(crate) const SUGGESTIONS_DEFAULT: usize = 5;
/// Highest page. The answer repeats it, and canonical JSON has no larger exact integer (RFC 8785
/// section 3.1).
pub(crate) const PAGE_MAX: u64 = 9_007_199_254_740_991;
/// Signatures kept for reuse.
pub(crate) const SIGNATURES_CACHED_MAX: usize = 100_000;
/// How often accesses are stored.
pub(crate) const ACCESSES_INTERVAL: Duration = Duration::from_secs(1);
/// How far back a time must lie of which a query asks for the state (S-60), in seconds. Almost all transactions
/// with earlier times are on disk by then, and the others get a later time.
pub(crate) const AS_OF_AGE_SECONDS_MIN: i64 = 5;
/// How often new versions of chains are sealed.
pub(crate) const SEALING_INTERVAL: Duration = Duration::from_millis(200);
/// Versions of chains that one transaction seals.
pub(crate) const SEALED_AT_ONCE: i64 = 64;
/// How long other nodes leave sealing to one node after its last group.
pub(crate) const SEALER_LEASE_MILLISECONDS: i64 = 5_000;
/// The longest document that is sealed or opened, in bytes.
pub(crate) const SEALED_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Accesses that wait to be stored. Later ones are lost.
pub(crate) const ACCESSES_WAITING_MAX: usize = 100_000;
