//! Reads columns of milestones.

use chain::milestone::{self, MilestoneType};
use jiff::civil::Date;

use crate::row::Row;
use crate::{Result, StorageError};

/// Reads a type by its id.
pub(crate) fn read_type(row: &Row<'_>, column: usize) -> Result<&'static MilestoneType> {
    let id = row.integer(column)?;
    milestone::find_by_id(id)
        .ok_or_else(|| StorageError::Corrupt(format!("{id} is no milestone type")))
}

/// Reads a date.
pub(crate) fn read_optional_date(row: &Row<'_>, column: usize) -> Result<Option<Date>> {
    row.optional_text(column)?
        .map(|text| {
            text.parse()
                .map_err(|_invalid| StorageError::Corrupt(format!("`{text}` is no date")))
        })
        .transpose()
}
