//! Attempts at deliveries: stores their results and the next state of each delivery.
//!
//! Times are in milliseconds.

use crate::lanes::{self, Health, Lane};
use crate::row::Value;
use crate::{Result, Write};

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptResult {
    /// The id of the delivery.
    pub delivery: i64,
    /// Counted from 1.
    pub number: i64,
    /// Whether the attempt uses up the schedule. A failure that is not the receiver's fault does not.
    pub is_counted: bool,
    /// When it began.
    pub begun_at: i64,
    /// How long it took.
    pub duration: i64,
    /// The HTTP status, if the receiver answered.
    pub status: Option<i64>,
    /// One word for the failure.
    pub error: Option<&'static str>,
    /// The beginning of the answer's body as text. `None` if it was empty.
    pub answer: Option<String>,
    /// The next state of the delivery.
    pub next: Next,
}

/// The next state of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is delivered.
    Delivered,
    /// It is tried again, but not before this time.
    Retry(i64),
    /// It is not tried again unless somebody asks for it.
    Failed,
}

impl Next {
    /// The state, besides `waiting`, from which a delivery may change to this one. A delivery that was
    /// cancelled during its attempt can still arrive.
    const fn other_origin(self) -> &'static str {
        match self {
            Self::Delivered => "cancelled",
            Self::Retry(_) | Self::Failed => "waiting",
        }
    }
}

/// Results in one statement. A round trip for each result would cost more than the rest of a
/// delivery.
const BATCH_LENGTH: usize = 8;

/// Inserts attempts at deliveries that are in state `waiting` or in the state of column 8. Rows
/// without an id fill up the batch.
///
/// `coalesce` keeps the planner from the indexes of pending deliveries. With statistics from a time
/// when nothing was pending, it would walk all of them.
const INSERT_ATTEMPTS: &str = "insert into attempt (delivery_id, number, begun_at, duration, status, error, answer) select \
     v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7 from (values \
     (cast($1 as bigint), cast($2 as bigint), cast($3 as bigint), cast($4 as bigint), cast($5 as \
     bigint), cast($6 as text), cast($7 as text), cast($8 as text)), ($9, $10, $11, $12, $13, \
     $14, $15, $16), ($17, $18, $19, $20, $21, $22, $23, $24), ($25, $26, $27, $28, $29, $30, \
     $31, $32), ($33, $34, $35, $36, $37, $38, $39, $40), ($41, $42, $43, $44, $45, $46, $47, \
     $48), ($49, $50, $51, $52, $53, $54, $55, $56), ($57, $58, $59, $60, $61, $62, $63, $64)) as \
     v where exists (select 1 from delivery d where d.id = v.column1 and coalesce(d.state, '') in \
     ('waiting', v.column8))";

/// Changes the state of the same deliveries. A failure changes nothing if the delivery was asked for
/// again during the attempt: its new schedule has begun. Column 7, the number of attempts before
/// this one, detects that.
const UPDATE_DELIVERIES: &str = "update delivery set state = v.column2, not_before = v.column3, ended_at = v.column4, \
     attempts = v.column5 from (values (cast($1 as bigint), cast($2 as text), cast($3 as \
     bigint), cast($4 as bigint), cast($5 as bigint), cast($6 as text), cast($7 as bigint)), \
     ($8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, $19, $20, $21), ($22, $23, $24, \
     $25, $26, $27, $28), ($29, $30, $31, $32, $33, $34, $35), ($36, $37, $38, $39, $40, $41, \
     $42), ($43, $44, $45, $46, $47, $48, $49), ($50, $51, $52, $53, $54, $55, $56)) as v where \
     delivery.id = v.column1 and coalesce(delivery.state, '') in ('waiting', v.column6) and \
     (v.column2 = 'delivered' or delivery.attempts = v.column7)";

/// The recent failures of a lane that results change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HealthChange {
    /// The failures that the node read in the store last.
    pub before: Health,
    /// The failures after these results.
    pub after: Health,
}

/// Stores the results of attempts, and the recent failures of the lane unless a call has changed them since.
/// Returns `false` and stores nothing if another node has leased the lane since. This locks the lane's row first, so
/// that all other changes of the lane wait.
pub fn store_attempts(
    write: &mut Write<'_>,
    lane: &Lane,
    results: &[AttemptResult],
    health: &HealthChange,
) -> Result<bool> {
    if !lanes::store_health(write, lane, &health.before, &health.after)? {
        return Ok(false);
    }
    for batch in results.chunks(BATCH_LENGTH) {
        write.execute(INSERT_ATTEMPTS, &in_rows(batch, attempt_row))?;
        write.execute(UPDATE_DELIVERIES, &in_rows(batch, delivery_row))?;
    }
    Ok(true)
}

fn attempt_row(result: &AttemptResult) -> [Value<'_>; 8] {
    [
        result.delivery.into(),
        result.number.into(),
        result.begun_at.into(),
        result.duration.into(),
        result.status.into(),
        result.error.into(),
        result.answer.as_deref().into(),
        result.next.other_origin().into(),
    ]
}

fn delivery_row(result: &AttemptResult) -> [Value<'_>; 7] {
    let ended_at = result.begun_at + result.duration;
    let before = result.number - 1;
    let (state, not_before, ended_at) = match result.next {
        Next::Delivered => ("delivered", 0, Some(ended_at)),
        Next::Retry(at) => ("waiting", at, None),
        Next::Failed => ("failed", 0, Some(ended_at)),
    };
    [
        result.delivery.into(),
        state.into(),
        not_before.into(),
        ended_at.into(),
        (before + i64::from(result.is_counted)).into(),
        result.next.other_origin().into(),
        before.into(),
    ]
}

/// The parameters of a batch, filled up with rows of nulls, which match nothing.
fn in_rows<'r, const COLUMNS: usize>(
    batch: &'r [AttemptResult],
    row: impl Fn(&'r AttemptResult) -> [Value<'r>; COLUMNS],
) -> Vec<Value<'r>> {
    let mut parameters: Vec<_> = batch.iter().flat_map(row).collect();
    parameters.resize(BATCH_LENGTH * COLUMNS, Value::Null);
    parameters
}
