//! Reads import rows from CSV records; the header line names the members.

use super::records::RecordReader;
use crate::row::{Row, RowError, quoted};

/// The rows of a CSV file.
#[derive(Debug)]
pub(super) struct CsvRows {
    records: RecordReader,
    columns: Vec<String>,
    cells: Vec<String>,
}

impl CsvRows {
    pub(super) fn new(records: RecordReader) -> Self {
        Self {
            records,
            columns: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The next row and the line on which it begins; `None` at the end. An unusable header is a row
    /// with [`RowError::Header`]; the caller must stop reading after it.
    pub(super) fn read_row(&mut self) -> Option<(u64, Result<Row, RowError>)> {
        if self.columns.is_empty() {
            let (number, header) = self.records.read_record(&mut self.cells)?;
            match header.and_then(|()| read_columns(&self.cells)) {
                Ok(columns) => self.columns = columns,
                Err(error) => return Some((number, Err(header_error(error)))),
            }
        }
        let (number, record) = self.records.read_record(&mut self.cells)?;
        Some((
            number,
            record.and_then(|()| Row::from_cells(&self.columns, &self.cells)),
        ))
    }
}

fn read_columns(cells: &[String]) -> Result<Vec<String>, RowError> {
    let mut columns: Vec<String> = Vec::new();
    for cell in cells {
        let name = cell.trim();
        let fault = |rule| RowError::Header(format!("column {} {rule}", quoted(name)));
        if !Row::is_member(name) {
            return Err(fault("is no member of any row type"));
        }
        if columns.iter().any(|column| column == name) {
            return Err(fault("stands twice"));
        }
        columns.push(name.to_owned());
    }
    if !columns.iter().any(|column| column == TYPE_COLUMN) {
        return Err(RowError::Header("column `type` is missing".to_owned()));
    }
    Ok(columns)
}

/// Turns an error of the header line into an error of the file.
fn header_error(error: RowError) -> RowError {
    if matches!(error, RowError::Header(_) | RowError::Unreadable(_)) {
        return error;
    }
    RowError::Header(error.to_string())
}

const TYPE_COLUMN: &str = "type";
