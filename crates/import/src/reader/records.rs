//! Splits lines into records and cells: strict CSV (RFC 4180) and tab-separated values.
//!
//! A general CSV reader treats an unclosed quote as a cell that reaches to the end of the file. It
//! then needs unbounded memory and loses every row after the quote. Here a record has a limit. If a
//! record is malformed, only its first line is discarded; the lines after it are read again as
//! records.

use std::collections::VecDeque;

use super::lines::{LINE_MAX_BYTES, Line, LineReader};
use crate::row::RowError;

/// Reads records one by one.
#[derive(Debug)]
pub struct RecordReader {
    lines: LineReader,
    is_quoted: bool,
    /// Lines of a malformed record, to be read again.
    pending: VecDeque<NumberedLine>,
}

type NumberedLine = (u64, Result<String, RowError>);

impl RecordReader {
    /// Reads cells separated by commas. A cell is either quoted as a whole, with each inner quote
    /// doubled, or contains no quote. A quoted cell may contain commas and line ends.
    pub(super) fn csv(lines: LineReader) -> Self {
        Self {
            lines,
            is_quoted: true,
            pending: VecDeque::new(),
        }
    }

    /// Reads cells separated by tabs; a quote is an ordinary character.
    pub(super) fn tsv(lines: LineReader) -> Self {
        Self {
            lines,
            is_quoted: false,
            pending: VecDeque::new(),
        }
    }

    /// Reads the next record into `cells` and returns the line on which it begins; `None` at the
    /// end. Blank lines between records are skipped.
    pub fn read_record(&mut self, cells: &mut Vec<String>) -> Option<(u64, Result<(), RowError>)> {
        cells.clear();
        let (number, first) = loop {
            match self.next_line()? {
                (_, Ok(text)) if text.trim().is_empty() => {}
                (number, Ok(text)) => break (number, text),
                (number, Err(error)) => return Some((number, Err(error))),
            }
        };
        if !self.is_quoted {
            cells.extend(first.split('\t').map(str::to_owned));
            return Some((number, Ok(())));
        }
        if is_balanced(&first) {
            return Some((number, part_cells(&first, cells)));
        }
        Some((number, self.read_lines_of_record(first, cells)))
    }

    /// Adds lines to a record until its quotes are closed. On failure, the added lines go back to
    /// `pending`.
    fn read_lines_of_record(
        &mut self,
        first: String,
        cells: &mut Vec<String>,
    ) -> Result<(), RowError> {
        let mut record = first;
        let mut added: VecDeque<NumberedLine> = VecDeque::new();
        let fault = loop {
            let Some((number, line)) = self.next_line() else {
                break RowError::WrongQuote;
            };
            let Ok(text) = &line else {
                added.push_back((number, line));
                break RowError::WrongQuote;
            };
            record.push('\n');
            record.push_str(text);
            let is_closed = !is_balanced(text);
            added.push_back((number, line));
            if record.len() > LINE_MAX_BYTES {
                break RowError::TooLong;
            }
            if is_closed {
                match part_cells(&record, cells) {
                    Ok(()) => return Ok(()),
                    Err(fault) => break fault,
                }
            }
        };
        added.append(&mut self.pending);
        self.pending = added;
        Err(fault)
    }

    fn next_line(&mut self) -> Option<NumberedLine> {
        if let Some(line) = self.pending.pop_front() {
            return Some(line);
        }
        let (number, line) = self.lines.read_line()?;
        Some((number, line.map(|Line(text)| text.to_owned())))
    }
}

/// Splits one CSV record into cells and removes the quoting.
fn part_cells(record: &str, cells: &mut Vec<String>) -> Result<(), RowError> {
    cells.clear();
    let mut rest = record;
    loop {
        let (cell, behind) = match rest.strip_prefix(QUOTE) {
            Some(quoted) => take_quoted(quoted).ok_or(RowError::WrongQuote)?,
            None => take_plain(rest)?,
        };
        cells.push(cell);
        match behind.strip_prefix(COMMA) {
            Some(next) => rest = next,
            None if behind.is_empty() => return Ok(()),
            None => return Err(RowError::WrongQuote),
        }
    }
}

/// The cell up to its closing quote, and the text after it; `None` when no quote closes it.
fn take_quoted(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let (part, behind) = rest.split_once(QUOTE)?;
        cell.push_str(part);
        match behind.strip_prefix(QUOTE) {
            Some(next) => {
                cell.push(QUOTE);
                rest = next;
            }
            None => return Some((cell, behind)),
        }
    }
}

fn take_plain(text: &str) -> Result<(String, &str), RowError> {
    let end = text.find(COMMA).unwrap_or(text.len());
    let (cell, behind) = text.split_at_checked(end).unwrap_or((text, ""));
    if cell.contains(QUOTE) {
        return Err(RowError::WrongQuote);
    }
    Ok((cell.to_owned(), behind))
}

/// Whether the quotes of a line are balanced; doubled quotes count too.
fn is_balanced(line: &str) -> bool {
    line.bytes()
        .filter(|byte| *byte == b'"')
        .count()
        .is_multiple_of(2)
}

const COMMA: char = ',';
const QUOTE: char = '"';
