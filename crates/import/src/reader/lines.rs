//! Splits bytes into lines of limited length.

use std::fmt;
use std::io;

use super::source::Input;
use crate::row::RowError;

/// Reads lines one by one. `\n` or `\r\n` ends a line. A byte order mark before the first line is
/// dropped; a line over the limit is discarded.
pub(super) struct LineReader {
    input: Input,
    line: Vec<u8>,
    number: u64,
    is_finished: bool,
}

/// A line without its end.
#[derive(Debug)]
pub(super) struct Line<'a>(pub(super) &'a str);

impl LineReader {
    pub(super) fn new(input: Input) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
            is_finished: false,
        }
    }

    /// The next line and its number, counted from 1; `None` at the end. After a reading error,
    /// which is [`RowError::Unreadable`], there are no further lines.
    pub(super) fn read_line(&mut self) -> Option<(u64, Result<Line<'_>, RowError>)> {
        if self.is_finished {
            return None;
        }
        self.line.clear();
        self.number = self.number.saturating_add(1);
        let length = match self.fill_line() {
            Ok(None) => {
                self.is_finished = true;
                return None;
            }
            Ok(Some(length)) => length,
            Err(error) => {
                self.is_finished = true;
                return Some((self.number, Err(RowError::Unreadable(error.to_string()))));
            }
        };
        Some((
            self.number,
            check_line(&self.line, length, self.number == 1),
        ))
    }

    /// Reads to the end of the line and keeps the part within the limit. Returns the length of the
    /// line with its end, or `None` at the end of the input.
    fn fill_line(&mut self) -> io::Result<Option<u64>> {
        let mut length: u64 = 0;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok((length > 0).then_some(length));
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(chunk.len(), |position| position + 1);
            let room = KEPT_MAX_BYTES.saturating_sub(self.line.len()).min(taken);
            self.line
                .extend_from_slice(chunk.get(..room).unwrap_or_default());
            self.input.consume(taken);
            length = length.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
            if newline.is_some() {
                return Ok(Some(length));
            }
        }
    }
}

impl fmt::Debug for LineReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The input may not implement `Debug`, and the text of the file must not be printed.
        f.debug_struct("LineReader")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

fn check_line(kept: &[u8], length: u64, is_first: bool) -> Result<Line<'_>, RowError> {
    let is_cut = u64::try_from(kept.len()).is_ok_and(|kept| kept < length);
    let line = kept.strip_suffix(b"\n").unwrap_or(kept);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = if is_first {
        line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
    } else {
        line
    };
    if is_cut || line.len() > LINE_MAX_BYTES {
        return Err(RowError::TooLong);
    }
    std::str::from_utf8(line)
        .map(Line)
        .map_err(|_| RowError::NotUtf8)
}

/// The longest line, and the longest CSV record, without the line end.
pub(super) const LINE_MAX_BYTES: usize = 16 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The longest line with a byte order mark and `\r\n`.
const KEPT_MAX_BYTES: usize = LINE_MAX_BYTES + BYTE_ORDER_MARK.len() + 2;
