//! Reads import files row by row; memory stays bounded however large or broken a file is.

mod csv_rows;
mod lines;
mod records;
mod source;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use csv_rows::CsvRows;
use lines::{Line, LineReader};
use source::{FileKind, Format, Source};

use super::row::{Row, RowError};

pub use records::RecordReader;
pub use source::OpenError;

/// Opens an import file. `-` is standard input, read as NDJSON. Otherwise the extension names the
/// format: `.ndjson`, `.jsonl`, `.json` or `.csv`, each with or without `.gz`, in any case.
pub fn open(path: &Path) -> Result<RowReader, OpenError> {
    if path == Path::new(STANDARD_INPUT) {
        let source = Source::standard_input();
        return Ok(RowReader::new(
            Path::new("standard input"),
            Format::Ndjson,
            source,
        ));
    }
    let unknown = || OpenError::UnknownExtension {
        file: path.to_owned(),
        known: ".ndjson, .jsonl, .json or .csv",
    };
    let kind = FileKind::from_path(path).ok_or_else(unknown)?;
    if kind.format == Format::Tsv {
        return Err(unknown());
    }
    Ok(RowReader::new(path, kind.format, Source::open(path, kind)?))
}

/// Opens a table to read its cells: `.csv` or `.tsv`, each with or without `.gz`.
pub fn open_table(path: &Path) -> Result<RecordReader, OpenError> {
    let unknown = || OpenError::UnknownExtension {
        file: path.to_owned(),
        known: ".csv or .tsv",
    };
    let kind = FileKind::from_path(path).ok_or_else(unknown)?;
    let is_quoted = match kind.format {
        Format::Ndjson => return Err(unknown()),
        Format::Csv => true,
        Format::Tsv => false,
    };
    let lines = LineReader::new(Source::open(path, kind)?.input);
    Ok(if is_quoted {
        RecordReader::csv(lines)
    } else {
        RecordReader::tsv(lines)
    })
}

/// A row, or the reason why it is refused, with its file and line.
#[derive(Debug)]
pub struct Located {
    /// The file as it was named, or `standard input`.
    pub file: Arc<Path>,
    /// The line, counted from 1; the first line of a CSV record that has several.
    pub line: u64,
    /// The row at this line, or the reason why it is refused.
    pub row: Result<Row, RowError>,
}

/// The rows of one file, in order. Blank lines are skipped. A bad row is an item, and reading
/// continues after it; [`RowError::Header`] and [`RowError::Unreadable`] are always the last item.
/// The reader holds one line and, for CSV, one record in memory, at most 16 KiB each.
#[derive(Debug)]
pub struct RowReader {
    file: Arc<Path>,
    rows: Rows,
    progress: source::Progress,
    is_finished: bool,
}

impl RowReader {
    /// The file as it was named, or `standard input`.
    pub fn name(&self) -> &Path {
        &self.file
    }

    /// The number of bytes read from the file so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.progress.bytes_read()
    }

    /// The size of the file; `None` for standard input, a pipe or a device.
    pub fn total_bytes(&self) -> Option<u64> {
        self.progress.total_bytes
    }

    fn new(file: &Path, format: Format, source: Source) -> Self {
        let lines = LineReader::new(source.input);
        let rows = match format {
            Format::Ndjson => Rows::Ndjson(lines),
            Format::Csv => Rows::Csv(CsvRows::new(RecordReader::csv(lines))),
            Format::Tsv => Rows::Csv(CsvRows::new(RecordReader::tsv(lines))),
        };
        Self {
            file: Arc::from(file),
            rows,
            progress: source.progress,
            is_finished: false,
        }
    }
}

impl Iterator for RowReader {
    type Item = Located;

    fn next(&mut self) -> Option<Located> {
        if self.is_finished {
            return None;
        }
        let Some((line, row)) = self.rows.read_row() else {
            self.is_finished = true;
            return None;
        };
        self.is_finished = matches!(row, Err(RowError::Header(_) | RowError::Unreadable(_)));
        Some(Located {
            file: Arc::clone(&self.file),
            line,
            row,
        })
    }
}

/// The rows of one file, by its format.
#[derive(Debug)]
enum Rows {
    Ndjson(LineReader),
    Csv(CsvRows),
}

impl Rows {
    /// The next row with its line; `None` at the end.
    fn read_row(&mut self) -> Option<(u64, Result<Row, RowError>)> {
        match self {
            Self::Ndjson(lines) => loop {
                match lines.read_line()? {
                    (_, Ok(Line(text))) if text.trim().is_empty() => {}
                    (number, Ok(Line(text))) => return Some((number, Row::from_json(text))),
                    (number, Err(error)) => return Some((number, Err(error))),
                }
            },
            Self::Csv(rows) => rows.read_row(),
        }
    }
}

const STANDARD_INPUT: &str = "-";
