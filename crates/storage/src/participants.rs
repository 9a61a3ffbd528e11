//! Participants: the organisations of the directory.

use crate::{Result, Write};

/// Finds the participant of this name, or makes it. `organisation_id` is used
/// only for a new one.
pub fn ensure_participant(
    write: &mut Write<'_>,
    name: &str,
    organisation_id: &str,
    now: i64,
) -> Result<i64> {
    let found = write.query_one(
        "select id from participant where name = $1",
        &[name.into()],
        |row| row.integer(0),
    )?;
    if let Some(id) = found {
        return Ok(id);
    }
    write.insert(
        "insert into participant (organisation_id, name, status, created_at) \
         values ($1, $2, 'Active', $3) returning id",
        &[organisation_id.into(), name.into(), now.into()],
    )
}
