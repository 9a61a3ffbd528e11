//! The figures of the log for the metrics.

use crate::{Read, Result};

/// The size and the age of the newest log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogFigures {
    /// The entries that its newest checkpoint shows.
    pub entries: i64,
    /// When that checkpoint was signed. Unix seconds.
    pub signed_at: i64,
    /// Since when the oldest state or change of a key waits for a checkpoint that shows it. An entry that is
    /// appended and not shown waits since the newest checkpoint. `None`: nothing waits. Unix seconds.
    pub waiting_since: Option<i64>,
    /// Since when the newest checkpoint is larger than the one that witnesses cosigned. `None`: it is not. Unix
    /// seconds.
    pub unwitnessed_since: Option<i64>,
}

/// The figures of the newest log. `None`: no log has begun.
pub fn find_figures(read: &mut Read<'_>) -> Result<Option<LogFigures>> {
    let newest = read.query_one(
        "select signed_size, signed_at, size, witnessed_size, unwitnessed_since from state_log \
         order by number desc limit 1",
        &[],
        |row| {
            let unwitnessed = (row.integer(0)? > row.integer(3)?).then_some(row.integer(4)?);
            Ok((
                row.integer(0)?,
                row.integer(1)?,
                row.integer(2)?,
                unwitnessed,
            ))
        },
    )?;
    let Some((entries, signed_at, size, unwitnessed_since)) = newest else {
        return Ok(None);
    };
    let state = read.query_one(
        "select recorded_at from sealed where log_number is null order by recorded_at limit 1",
        &[],
        |row| row.integer(0),
    )?;
    let key = read.query_one(
        "select changed_at from key_change where log_number is null order by id limit 1",
        &[],
        |row| row.integer(0),
    )?;
    let unshown = (size > entries).then_some(signed_at);
    let waiting_since = [state, key, unshown].into_iter().flatten().min();
    Ok(Some(LogFigures {
        entries,
        signed_at,
        waiting_since,
        unwitnessed_since,
    }))
}
