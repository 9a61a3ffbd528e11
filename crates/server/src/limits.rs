//! Bounds of requests, answers and stored rows, with their units.

use std::time::Duration;

/// Files that a node keeps for others than its connections: `listen_ops`, store, callbacks, logs.
pub const FILES_RESERVED: u64 = 512;
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
/// A node counts the open queries by many addresses of at most so many clients.
pub const CLIENTS_TAKING_TURNS_MAX: usize = 10_000;
/// The longest reuse of a signature (S-13), in seconds.
pub const SIGNATURE_REUSE_SECONDS_MAX: i64 = 300;
/// Rows of revoked keys, removed subscriptions and old changes that one transaction changes or removes.
pub const LEFTOVERS_CHANGED_MAX: i64 = 200;
/// How long a line stays in the lists of changes, in seconds. It is a day longer than changes go back (S-93),
/// because the clocks of nodes differ.
pub const CHANGES_KEPT_SECONDS: i64 = 31 * web::limits::DAY_SECONDS;
/// Bytes of the key set at `published_jwks_url`.
pub const PUBLISHED_KEYS_BYTES_MAX: usize = 256 * 1024;
/// How often a node compares its keys with that key set, in seconds (S-76).
pub const PUBLISHED_KEYS_PAUSE_SECONDS: i64 = 3600;
/// How often it does so while a key that should sign was never shown there, in seconds.
pub const UNSHOWN_KEY_PAUSE_SECONDS: i64 = 60;
/// How long the metrics wait for the store. Prometheus waits for 10 s by default.
pub const METRICS_STORE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a check of readiness waits for the store.
pub const READINESS_TIMEOUT: Duration = Duration::from_millis(900);
/// How long a check of readiness counts.
pub const READINESS_KEPT: Duration = Duration::from_secs(1);
/// How often readiness is checked if nobody asks.
pub const READINESS_INTERVAL: Duration = Duration::from_secs(5);
/// Old rows that one transaction of housekeeping removes. A recording waits for this transaction on
/// SQLite, so it is short.
pub const OLD_ROWS_DELETED_MAX: i64 = 500;
/// How often housekeeping tries a part again that the store refused as busy, in one round and for one kind.
pub const OLD_ROWS_TRIES_MAX: u32 = 5;
/// The longest that a token of the framework may be used without a new answer, in seconds (S-69, S-70).
pub const FRAMEWORK_PERIOD_SECONDS_MAX: u32 = 300;
/// How often a node looks whether the framework's directory is to be read.
pub const FRAMEWORK_ROUND_INTERVAL: Duration = Duration::from_secs(1);
