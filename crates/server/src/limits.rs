//! Bounds of requests, answers and stored rows, with their units.

use std::num::NonZeroU32;
use std::time::Duration;

/// The seconds of a day.
pub const DAY_SECONDS: i64 = 86_400;
/// The seconds in which a person's unused requests add up.
pub const PERSON_BURST_SECONDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// Lists that one person loads at once.
pub const LISTS_OF_PERSON_MAX: usize = 2;
/// People whose requests a node counts at once.
pub const PEOPLE_COUNTED_MAX: usize = 10_000;
/// Sign-ins of this node that call the OpenID provider at once.
pub const SIGN_INS_AT_ONCE: usize = 16;
/// How long a sign-in may take, from the button to the way back, in seconds.
pub const SIGN_IN_SECONDS: i64 = 1_800;
/// How far the clock of the node where a sign-in began may be ahead, in seconds.
pub const SIGN_IN_SKEW_SECONDS: i64 = 60;
/// Files that a node keeps for others than its connections: `listen_ops`, store, callbacks, logs.
pub const FILES_RESERVED: u64 = 512;
/// Open pages of this node that wait for news.
pub const STREAMS_MAX: usize = 10_000;
/// Open pages of one session that wait for news.
pub const STREAMS_OF_SESSION_MAX: usize = 5;
/// How often newer versions are looked for.
pub const STREAM_INTERVAL: Duration = Duration::from_secs(1);
/// How often an open stream looks again at its session, the person's role and branches, in seconds.
pub const STREAM_LOOK_SECONDS: i64 = 30;
/// How often a stream without news says something, so that proxies keep it open.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// Names and values of a form that a page keeps over a sign-in, in bytes.
pub const KEPT_FORM_BYTES_MAX: usize = 32 * 1024;
/// Characters of a note.
pub const NOTE_CHARACTERS_MAX: usize = 4000;
/// Notes of one listing.
pub const NOTES_MAX: i64 = 1000;
/// How long a share link may last.
pub const SHARE_DAYS_MAX: i64 = 90;
/// Share links of one listing at once.
pub const SHARES_MAX: usize = 100;
/// How long the properties that people looked up are kept.
pub const PEOPLE_ACCESS_DAYS: i64 = 365;
/// Bytes of the answers to one caller that a node keeps while they are not read.
pub const UNREAD_BYTES_OF_CALLER_MAX: u64 = 32 * 1024 * 1024;
/// Bytes of the answers to all callers that a node keeps while they are not read.
pub const UNREAD_BYTES_OF_NODE_MAX: u64 = 256 * 1024 * 1024;
/// The part of these bytes for callers without a token or API key. One such caller may have many addresses.
pub const UNREAD_BYTES_OF_UNPROVEN_MAX: u64 = 64 * 1024 * 1024;
/// The log keeps a sum of refused calls for each of so many callers. All others share one sum.
pub const SUMMED_CALLERS_MAX: usize = 1_000;
/// The log keeps a sum of failed calls for each of so many reasons.
pub const SUMMED_FAILURES_MAX: usize = 100;
/// How long the log sums up refused and failed calls.
pub const SUMMED_TIME: Duration = Duration::from_secs(1);
/// How long one call of replay takes at most.
pub const REPLAY_TIME_MAX: Duration = Duration::from_secs(20);
/// Addresses that one read of a chain query looks for. Other reads run in between.
pub const ADDRESSES_AT_ONCE: usize = 4;
/// Rows that a list of listing management counts or skips at the cost of one more request.
pub const ROWS_PER_REQUEST: u64 = 200;
/// Properties that an address search compares at the cost of one more request.
pub const COMPARED_PER_REQUEST: u64 = 1_000;
/// Clients for which a node counts the queries by many addresses that are under way.
pub const CLIENTS_TAKING_TURNS_MAX: usize = 10_000;
/// The chains of one answer, in bytes. A chain of 100 homes has half a mebibyte.
pub const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of an answer at the cost of one more request.
pub const ANSWER_BYTES_PER_REQUEST: usize = 128 * 1024;
/// `value[]` entries of one query (S-3).
pub const VALUES_MAX: usize = 100;
/// Characters of one `value[]` entry after trimming (S-3).
pub const VALUE_CHARACTERS_MAX: usize = 200;
/// Chains on a page (document 1).
pub const ROWS_MAX: u64 = 100;
/// Chains on a page by default (document 1).
pub const ROWS_DEFAULT: u64 = 15;
/// Properties that an address look-up lists at most.
pub const SUGGESTIONS_MAX: usize = 20;
/// Properties that an address look-up lists by default.
pub const SUGGESTIONS_DEFAULT: usize = 5;
/// Highest page. The answer repeats it, and canonical JSON has no larger exact integer (RFC 8785
/// section 3.1).
pub const PAGE_MAX: u64 = 9_007_199_254_740_991;
/// Characters of `x-fapi-interaction-id` that are echoed.
pub const INTERACTION_ID_CHARACTERS_MAX: usize = 128;
/// Signatures kept for reuse.
pub const SIGNATURES_CACHED_MAX: usize = 100_000;
/// The longest reuse of a signature (S-13), in seconds.
pub const SIGNATURE_REUSE_SECONDS_MAX: i64 = 300;
/// How long the answer to an `Idempotency-Key` is kept, in seconds (S-52).
pub const IDEMPOTENCY_SECONDS: i64 = DAY_SECONDS;
/// Characters of an `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;
/// Open proposals of links of one branch (S-47).
pub const PROPOSALS_MAX: i64 = 100;
/// How long a proposal of a link is open, in seconds (S-47).
pub const PROPOSAL_SECONDS: i64 = 30 * DAY_SECONDS;
/// UPRNs that one call names for a watch (S-39).
pub const WATCH_UPRNS_PER_CALL: usize = 4_000;
/// UPRNs that one subscription watches (S-39).
pub const WATCH_UPRNS_MAX: i64 = 100_000;
/// UPRNs that one transaction adds to a watch or removes. A recording waits for this transaction on
/// SQLite, so it is short.
pub const WATCH_CHANGED_AT_ONCE: usize = 32;
/// Watched UPRNs that one read lists.
pub const WATCH_READ_AT_ONCE: i64 = 1_000;
/// Events that one replay delivers again.
pub const REPLAY_EVENTS_MAX: i64 = 100_000;
/// Events that one transaction of a replay reads.
pub const REPLAY_PART_EVENTS: i64 = 50;
/// Deliveries of one subscription that one transaction changes or removes. A recording waits for
/// this transaction on SQLite, so it is short.
pub const WAITING_CHANGED_MAX: i64 = 1_000;
/// Rows of revoked keys and removed subscriptions that one transaction changes or removes.
pub const LEFTOVERS_CHANGED_MAX: i64 = 200;
/// How long the metrics wait for the store. Prometheus waits for 10 s by default.
pub const METRICS_STORE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a check of readiness waits for the store.
pub const READINESS_TIMEOUT: Duration = Duration::from_millis(900);
/// How long a check of readiness counts.
pub const READINESS_KEPT: Duration = Duration::from_secs(1);
/// How often readiness is checked if nobody asks.
pub const READINESS_INTERVAL: Duration = Duration::from_secs(5);
/// How often accesses are stored.
pub const ACCESSES_INTERVAL: Duration = Duration::from_secs(1);
/// Accesses that wait to be stored. Later ones are lost.
pub const ACCESSES_WAITING_MAX: usize = 100_000;
/// Old rows that one transaction of housekeeping removes. A recording waits for this transaction on
/// SQLite, so it is short.
pub const OLD_ROWS_DELETED_MAX: i64 = 500;
/// How often housekeeping tries a part again that the store refused as busy, in one round and for one kind.
pub const OLD_ROWS_TRIES_MAX: u32 = 5;
/// Chains that one read of the daily pass over all chains takes.
pub const PASS_CHAINS: i64 = 500;
/// How long a node keeps the task of the daily pass without a sign of life, in seconds.
pub const PASS_CLAIM_SECONDS: i64 = 600;
/// Pages of chains after which a node shows a sign of life.
pub const PASS_PAGES_UNTIL_SIGN: u32 = 50;
/// Sales under way that one list of sales to chase looks at.
pub const CHASE_SALES_MAX: i64 = 1_000;
/// Sales that the list shows.
pub const CHASE_ROWS_MAX: usize = 500;
/// The longest reason for snoozing a sale, in characters.
pub const SNOOZE_REASON_CHARACTERS_MAX: usize = 200;
/// The longest time for which a sale is snoozed, in days.
pub const SNOOZE_DAYS_MAX: i32 = 90;
/// Forecasts that one transaction stores or scores.
pub const FORECASTS_STORED_MAX: usize = 200;
/// Past forecasts of one kind that a node reads.
pub const FORECASTS_READ_MAX: i64 = 20_000;
/// Forecasts older than this are removed: 24 months, in days.
pub const FORECAST_RETENTION_DAYS: i32 = 730;
/// Old forecasts that one transaction of housekeeping removes.
pub const FORECASTS_PRUNED_MAX: i64 = 5_000;
/// Chains of which a node keeps the last assessment.
pub const ASSESSMENTS_CACHED_MAX: usize = 10_000;
