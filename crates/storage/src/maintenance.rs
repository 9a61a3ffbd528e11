//! Work that keeps the store quick.

use crate::{Result, Write};

/// Lets the engine count what its tables hold, so that it finds good plans;
/// worth it after many rows came in at once.
pub fn refresh_statistics(write: &mut Write<'_>) -> Result<()> {
    write.execute("analyze", &[])?;
    Ok(())
}
