//! Keeps the statistics of the store up to date, and shows whether it can be used.

use uuid::Uuid;

use crate::{Result, StorageError, Write, assertion};

/// Refreshes the statistics that the query planner uses. Worth it after an import.
pub fn refresh_statistics(write: &mut Write<'_>) -> Result<()> {
    write.execute("analyze", &[])?;
    Ok(())
}

/// Writes and removes a row, as a request for a token writes one. Fails if requests would fail.
pub fn probe(write: &mut Write<'_>) -> Result<()> {
    let probe = Uuid::new_v4().to_string();
    if !assertion::insert_used_assertion(write, &probe, &probe, 0)? {
        return Err(StorageError::Unavailable(
            "a row is not stored, and nothing says why".to_owned(),
        ));
    }
    write.execute(
        "delete from used_assertion where client_id = $1",
        &[(&probe).into()],
    )?;
    if let Some(table) = write.find_forbidden_table()? {
        let text = format!("the role may not read or write the table {table}");
        return Err(StorageError::Unavailable(text));
    }
    Ok(())
}
