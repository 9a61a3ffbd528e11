//! Every bound of the program, with its unit. Settings can lower or raise some.

use std::time::Duration;

/// Body of a form request, in bytes (S-54).
pub const FORM_BODY_BYTES_MAX: usize = 256 * 1024;
/// JSON body of a write, in bytes (S-54).
pub const JSON_BODY_BYTES_MAX: usize = 64 * 1024;
/// Body of a token request, in bytes: an assertion of 16 KiB fits with room.
pub const TOKEN_BODY_BYTES_MAX: usize = 64 * 1024;
/// Fields of one form.
pub const FORM_FIELDS_MAX: usize = 512;
/// `value[]` entries of one query (S-3).
pub const VALUES_MAX: usize = 100;
/// Characters of one `value[]` entry after trimming (S-3).
pub const VALUE_CHARACTERS_MAX: usize = 200;
/// Chains on a page (document 1).
pub const ROWS_MAX: u64 = 100;
/// Chains on a page when none is asked for (document 1).
pub const ROWS_DEFAULT: u64 = 15;
/// Properties that a look-up of an address lists at most.
pub const SUGGESTIONS_MAX: usize = 20;
/// Properties that it lists when no number is asked for.
pub const SUGGESTIONS_DEFAULT: usize = 5;
/// Highest page: the largest integer that canonical JSON carries exactly
/// (RFC 8785 section 3.1), because the answer repeats it.
pub const PAGE_MAX: u64 = 9_007_199_254_740_991;
/// Bytes that are read of a connection before a request's header must be complete (HTTP/1.1).
pub const HTTP1_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a request's header, as HTTP/2 counts them (RFC 9113 section 6.5.2).
pub const HTTP2_HEADER_BYTES_MAX: u32 = 32 * 1024;
/// How often a connection without requests is probed (HTTP/2), and how long a probe may take.
pub const HTTP2_PROBE_INTERVAL: Duration = Duration::from_secs(30);
/// The latter.
pub const HTTP2_PROBE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long no connection is accepted after one could not be: files may be closed meanwhile.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Connections to `listen_ops`, which has bounds of its own: it answers when all else is full.
pub const OPS_CONNECTIONS_MAX: usize = 64;
/// Callers whose requests are counted at once (S-14). Beyond, the one that was seen least is
/// forgotten and begins anew.
pub const RATE_LIMITED_CALLERS_MAX: usize = 100_000;
/// Streams of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// How long a peer may take to close a connection that it was told ends (HTTP/2), once nothing is
/// open on it: some round trips.
pub const GOAWAY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long open requests may take after the program was told to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Characters of `x-fapi-interaction-id` that are echoed.
pub const INTERACTION_ID_CHARACTERS_MAX: usize = 128;
/// Registered clients kept parsed in memory.
pub const CLIENTS_CACHED_MAX: usize = 20_000;
/// Verified access tokens kept in memory.
pub const TOKENS_CACHED_MAX: usize = 50_000;
/// Signatures kept for reuse.
pub const SIGNATURES_CACHED_MAX: usize = 100_000;
/// How long a signature may be reused at most (S-13), in seconds.
pub const SIGNATURE_REUSE_SECONDS_MAX: i64 = 300;
/// How long a token may live at most, in seconds.
pub const TOKEN_LIFETIME_SECONDS_MAX: i64 = 3600;
/// How long a revoked token is remembered after its end, in seconds: a node whose clock is behind
/// takes it for longer.
pub const REVOKED_KEPT_SECONDS: i64 = 60;
/// How long a key set from a client's `jwks_uri` is used without asking again, in seconds.
pub const CLIENT_KEYS_FRESH_SECONDS: i64 = 300;
/// How long it is used while it cannot be fetched again, in seconds.
pub const CLIENT_KEYS_STALE_SECONDS: i64 = 3600;
/// How often it is fetched at most, in seconds between two attempts.
pub const CLIENT_KEYS_PAUSE_SECONDS: i64 = 30;
/// Bytes of a client's key set, registered or fetched.
pub const CLIENT_KEYS_BYTES_MAX: usize = 64 * 1024;
/// Rows that one transaction of an import carries.
pub const IMPORT_BATCH_ROWS: usize = 2000;
/// Bad rows that an import prints in full; all of them are counted.
pub const IMPORT_ERRORS_SHOWN_MAX: u64 = 1000;
/// Largest integer in a JSON body or path: what every JSON reader carries exactly.
pub const INTEGER_MAX: i64 = 9_007_199_254_740_991;
/// Largest price, in pounds.
pub const PRICE_MAX: i64 = 1_000_000_000_000;
/// Characters of one text in a JSON body after trimming.
pub const TEXT_CHARACTERS_MAX: usize = 200;
/// Years in which a milestone may lie.
pub const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;
/// Entries on a page of a list.
pub const PER_PAGE_MAX: i64 = 100;
/// Entries on a page of a list when no number is asked for.
pub const PER_PAGE_DEFAULT: i64 = 15;
/// Highest page of a list.
pub const LIST_PAGE_MAX: i64 = 1_000_000_000;
/// How long the answer to an `Idempotency-Key` is kept, in seconds (S-52).
pub const IDEMPOTENCY_SECONDS: i64 = 24 * 3600;
/// Characters of an `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;
/// Kept answers that one round of housekeeping removes.
pub const IDEMPOTENCY_DELETED_MAX: i64 = 10_000;
/// Characters of a branch's own reference for a listing, as in an import.
pub const EXTERNAL_ID_CHARACTERS_MAX: usize = 64;
/// Largest UPRN: twelve digits.
pub const UPRN_MAX: i64 = 999_999_999_999;
/// Subscriptions of one API key.
pub const SUBSCRIPTIONS_MAX: i64 = 100;
/// Events that one replay owes again.
pub const REPLAY_EVENTS_MAX: i64 = 100_000;
/// Events that one transaction of a replay looks at.
pub const REPLAY_PART_EVENTS: i64 = 1_000;
/// Signed events kept in memory.
pub const EVENT_JWTS_CACHED_MAX: usize = 10_000;
/// Lanes that one node delivers on at once.
pub const LANES_MAX: usize = 2_000;
/// Properties whose next delivery a lane reads ahead.
pub const LANE_HEADS_READ: usize = 64;
/// Properties that are so few that what waits behind their next deliveries is read as well.
pub const LANE_HEADS_FEW: usize = 8;
/// Deliveries behind one of them that a lane reads ahead.
pub const LANE_FOLLOWING_READ: usize = 16;
/// Deliveries of one subscription that one transaction changes or removes. A recording that waits
/// for it, as on SQLite, does not wait long.
pub const WAITING_CHANGED_MAX: i64 = 1_000;
/// How long the metrics wait for the store; Prometheus itself waits for 10 s by default.
pub const METRICS_STORE_TIMEOUT: Duration = Duration::from_secs(3);
/// Deliveries of one subscription that the metrics count.
pub const WAITING_COUNTED_MAX: i64 = 100_000;
/// Old deliveries that one round of housekeeping removes.
pub const DELIVERIES_PRUNED_MAX: i64 = 10_000;
/// How long whoever reads the key set, metadata or the directory may keep it, in seconds.
pub const PUBLISHED_MAX_AGE_SECONDS: i64 = 300;
/// How long a next key must have existed before it signs, in seconds (S-28): the above, and a
/// minute for what lies between, namely making the key, answers under way, ages in whole seconds,
/// and clocks that differ.
pub const KEY_PUBLISHED_SECONDS_MIN: i64 = PUBLISHED_MAX_AGE_SECONDS + 60;
/// Body of a delivery that `onward listen` reads, in bytes: an event's token has about 1,000.
pub const EVENT_BODY_BYTES_MAX: usize = 64 * 1024;
/// How long a delivery's body may take to arrive; the service gives an attempt 15 s in all.
pub const EVENT_BODY_READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Event ids by which `onward listen` recognises duplicates.
pub const EVENTS_REMEMBERED_MAX: usize = 10_000;
/// How long a TLS handshake with `onward listen` may take.
pub const RECEIVER_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection to it may stay open without a delivery.
pub const RECEIVER_IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Connections that `onward listen` serves at once.
pub const RECEIVER_CONNECTIONS_MAX: usize = 64;
/// How long open deliveries may take after `onward listen` was told to stop: as long as the
/// service waits for their answer.
pub const RECEIVER_DRAIN_TIMEOUT: Duration = Duration::from_secs(15);
