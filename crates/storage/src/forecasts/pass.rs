//! The daily pass that makes the tables of durations: one node has the task at a time.

use forecast::counts::{Counts, CountsRow};
use jiff::civil::Date;

use crate::lease::RunningEnds;
use crate::{Read, Result, StorageError, Write};

/// The last pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The day in London for which the tables were made; `None` before the first pass.
    pub made_on: Option<Date>,
    /// Each pass raises it.
    pub revision: i64,
    /// Until when a node has the task, in Unix seconds.
    pub claimed_until: i64,
}

impl Pass {
    /// Whether a node has the task at this time. A node that took it now would have it until `until`.
    pub fn is_claimed(&self, now: i64, until: i64) -> bool {
        RunningEnds::in_seconds(now, until).contains(self.claimed_until)
    }

    /// Whether the pass of this day is made. A node with a clock that is days ahead makes no pass of this
    /// day.
    pub fn is_made(&self, today: Date) -> bool {
        self.made_on
            .is_some_and(|made_on| (today..=last_made(today)).contains(&made_on))
    }
}

/// Finds the last pass.
pub fn find_pass(read: &mut Read<'_>) -> Result<Pass> {
    read.query_exactly_one(
        "select made_on, revision, claimed_until from forecast_pass where id = 1",
        &[],
        |row| {
            Ok(Pass {
                made_on: row.str(0)?.parse().ok(),
                revision: row.integer(1)?,
                claimed_until: row.integer(2)?,
            })
        },
    )
}

/// The latest day whose pass counts for `today`. Around midnight the clocks of two nodes show two days.
fn last_made(today: Date) -> Date {
    today.tomorrow().unwrap_or(today)
}

/// Takes the task of a day's pass until a time. `false`: another node has it, or the pass is made.
pub fn claim_pass(write: &mut Write<'_>, today: Date, now: i64, until: i64) -> Result<bool> {
    let running = RunningEnds::in_seconds(now, until);
    let changed = write.execute(
        "update forecast_pass set claimed_until = $1 \
         where id = 1 and (made_on < $2 or made_on > $3) \
         and (claimed_until <= $4 or claimed_until > $5)",
        &[
            until.into(),
            (&today.to_string()).into(),
            (&last_made(today).to_string()).into(),
            running.after.into(),
            running.last.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// Keeps the task until a later time. `false`: it was lost to another node.
pub fn extend_claim(write: &mut Write<'_>, from: i64, until: i64) -> Result<bool> {
    let changed = write.execute(
        "update forecast_pass set claimed_until = $1 where id = 1 and claimed_until = $2",
        &[until.into(), from.into()],
    )?;
    Ok(changed > 0)
}

/// Ends the pass of a day with its counts. The caller has the task until `claimed_until`; `false`: it
/// was lost to another node, and nothing changes.
pub fn end_pass(
    write: &mut Write<'_>,
    today: Date,
    claimed_until: i64,
    counts: &[CountsRow],
) -> Result<bool> {
    let changed = write.execute(
        "update forecast_pass set made_on = $1, revision = revision + 1, claimed_until = 0 \
         where id = 1 and claimed_until = $2",
        &[(&today.to_string()).into(), claimed_until.into()],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    write.execute("delete from step_duration", &[])?;
    for row in counts {
        write.execute(
            "insert into step_duration (series, stratum, counts) values ($1, $2, $3)",
            &[
                (&row.series).into(),
                (&row.stratum).into(),
                (&row.counts).into(),
            ],
        )?;
    }
    Ok(true)
}

/// Reads the counts of the last pass.
pub fn list_counts(read: &mut Read<'_>) -> Result<Counts> {
    let rows = read.query(
        "select series, stratum, counts from step_duration",
        &[],
        |row| {
            Ok(CountsRow {
                series: row.text(0)?,
                stratum: row.text(1)?,
                counts: row.text(2)?,
            })
        },
    )?;
    Counts::from_rows(&rows).map_err(|error| StorageError::Corrupt(error.to_string()))
}
