//! Keeps the statistics of the store up to date.

use crate::{Result, Write};

/// Refreshes the statistics that the query planner uses. Worth it after an import.
pub fn refresh_statistics(write: &mut Write<'_>) -> Result<()> {
    write.execute("analyze", &[])?;
    Ok(())
}
