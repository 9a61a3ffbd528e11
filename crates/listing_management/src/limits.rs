//! Bounds of listing and chain management and of forecasts, with their units.

/// Rows that a list of listing management counts or skips at the cost of one more request.
pub(crate) const ROWS_PER_REQUEST: u64 = 200;
/// How long the answer to an `Idempotency-Key` is kept, in seconds (S-52).
pub(crate) const IDEMPOTENCY_SECONDS: i64 = web::limits::DAY_SECONDS;
/// Characters of an `Idempotency-Key`.
pub(crate) const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;
/// Open proposals of links of one branch (S-47).
pub(crate) const PROPOSALS_MAX: i64 = 100;
/// How long a proposal of a link is open, in seconds (S-47).
pub(crate) const PROPOSAL_SECONDS: i64 = 30 * web::limits::DAY_SECONDS;
/// How far back the changes of a branch go, in seconds (S-93).
pub(crate) const CHANGES_SECONDS: i64 = 30 * web::limits::DAY_SECONDS;
/// Changes in one answer.
pub(crate) const CHANGES_PER_PAGE: i64 = 100;
/// New changes that one read numbers.
pub(crate) const CHANGES_NUMBERED_MAX: i64 = 1_000;
/// Chains that one read of the daily pass over all chains takes.
pub(crate) const PASS_CHAINS: i64 = 500;
/// How long a node keeps the task of the daily pass without a sign of life, in seconds.
pub(crate) const PASS_CLAIM_SECONDS: i64 = 600;
/// Pages of chains after which a node shows a sign of life.
pub(crate) const PASS_PAGES_UNTIL_SIGN: u32 = 50;
/// Forecasts that one transaction stores or scores.
pub(crate) const FORECASTS_STORED_MAX: usize = 200;
/// Past forecasts of one kind that a node reads.
pub(crate) const FORECASTS_READ_MAX: i64 = 20_000;
/// Forecasts older than this are removed: 24 months, in days.
pub(crate) const FORECAST_RETENTION_DAYS: i32 = 730;
/// Old forecasts that one transaction of housekeeping removes.
pub(crate) const FORECASTS_PRUNED_MAX: i64 = 5_000;
/// Chains of which a node keeps the last assessment.
pub(crate) const ASSESSMENTS_CACHED_MAX: usize = 10_000;
