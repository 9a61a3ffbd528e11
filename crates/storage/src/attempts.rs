//! Attempts: what was tried of a delivery, and what follows.
//!
//! Times are in milliseconds.

use crate::lanes::{self, Health, Lane};
use crate::row::Value;
use crate::{Result, Write};

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptResult {
    /// Of which delivery.
    pub delivery: i64,
    /// Counted from 1.
    pub number: i64,
    /// Whether the next one is counted on from here: not if it was no fault of
    /// the subscriber that this one failed.
    pub is_counted: bool,
    /// When it began.
    pub begun_at: i64,
    /// How long it took.
    pub duration: i64,
    /// HTTP status, where one came.
    pub status: Option<i64>,
    /// What went wrong, in one word.
    pub error: Option<&'static str>,
    /// What follows.
    pub next: Next,
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It was delivered.
    Delivered,
    /// It is tried again, not before this time.
    Retry(i64),
    /// It is not tried again unless somebody asks.
    Failed,
}

impl Next {
    /// Another state that a delivery may have, besides `waiting`, when this
    /// follows.
    const fn also_ends(self) -> &'static str {
        match self {
            Self::Delivered => "cancelled",
            Self::Retry(_) | Self::Failed => "waiting",
        }
    }
}

/// Results that one statement stores. A round trip for each of them would cost
/// more than all the rest of a delivery.
const BATCH_LENGTH: usize = 8;

/// Notes the attempts at deliveries that still wait: one that was removed or
/// ended meanwhile is not touched. But one that was cancelled while its attempt
/// was under way has arrived all the same, if it did; so the last value of a row
/// names a second state that will do. Rows without an id are there to make up the
/// number. `coalesce` keeps a planner from the indexes of what waits: it may
/// have counted them while nothing did, and would walk all of it.
const INSERT_ATTEMPTS: &str = "insert into attempt (delivery_id, number, begun_at, duration, status, error) select \
     v.column1, v.column2, v.column3, v.column4, v.column5, v.column6 from (values (cast($1 as \
     bigint), cast($2 as bigint), cast($3 as bigint), cast($4 as bigint), cast($5 as bigint), \
     cast($6 as text), cast($7 as text)), ($8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, \
     $19, $20, $21), ($22, $23, $24, $25, $26, $27, $28), ($29, $30, $31, $32, $33, $34, $35), \
     ($36, $37, $38, $39, $40, $41, $42), ($43, $44, $45, $46, $47, $48, $49), ($50, $51, $52, \
     $53, $54, $55, $56)) as v where exists (select 1 from delivery d where d.id = v.column1 and \
     coalesce(d.state, '') in ('waiting', v.column7))";

/// Says what follows, for the same deliveries; but nothing follows a failure of
/// one that somebody asked for again since: its new schedule has begun. So the
/// last value of a row is the number of attempts before this one.
const UPDATE_DELIVERIES: &str = "update delivery set state = v.column2, not_before = v.column3, ended_at = v.column4, \
     attempts = v.column5 from (values (cast($1 as bigint), cast($2 as text), cast($3 as \
     bigint), cast($4 as bigint), cast($5 as bigint), cast($6 as text), cast($7 as bigint)), \
     ($8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, $19, $20, $21), ($22, $23, $24, \
     $25, $26, $27, $28), ($29, $30, $31, $32, $33, $34, $35), ($36, $37, $38, $39, $40, $41, \
     $42), ($43, $44, $45, $46, $47, $48, $49), ($50, $51, $52, $53, $54, $55, $56)) as v where \
     delivery.id = v.column1 and coalesce(delivery.state, '') in ('waiting', v.column6) and \
     (v.column2 = 'delivered' or delivery.attempts = v.column7)";

/// Stores what came of attempts on a lane, and how the lane goes now; `false`,
/// and nothing stored, if the lane is another node's by now. The lane's row is
/// locked first, so that whatever else changes the lane waits.
pub fn store_attempts(
    write: &mut Write<'_>,
    lane: &Lane,
    results: &[AttemptResult],
    health: &Health,
) -> Result<bool> {
    if !lanes::store_health(write, lane, health)? {
        return Ok(false);
    }
    for batch in results.chunks(BATCH_LENGTH) {
        write.execute(INSERT_ATTEMPTS, &in_rows(batch, attempt_row))?;
        write.execute(UPDATE_DELIVERIES, &in_rows(batch, delivery_row))?;
    }
    Ok(true)
}

fn attempt_row(result: &AttemptResult) -> [Value<'_>; 7] {
    [
        result.delivery.into(),
        result.number.into(),
        result.begun_at.into(),
        result.duration.into(),
        result.status.into(),
        result.error.into(),
        result.next.also_ends().into(),
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
        result.next.also_ends().into(),
        before.into(),
    ]
}

/// The parameters of a batch, filled up with rows that match nothing.
fn in_rows<'r, const COLUMNS: usize>(
    batch: &'r [AttemptResult],
    row: impl Fn(&'r AttemptResult) -> [Value<'r>; COLUMNS],
) -> Vec<Value<'r>> {
    let mut parameters: Vec<_> = batch.iter().flat_map(row).collect();
    parameters.resize(BATCH_LENGTH * COLUMNS, Value::Null);
    parameters
}
