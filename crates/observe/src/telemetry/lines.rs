//! Log lines in which each character that misleads readers stands as its number (S-96).

use std::io::{self, Write};

/// Begins the colours of a terminal. The library escapes it in values.
const ESCAPE: char = '\u{1b}';

/// Writes log lines. Each call of `write` has whole lines.
pub(super) struct VisibleLines<W> {
    inner: W,
    /// Whether the lines have colours.
    is_coloured: bool,
}

impl<W> VisibleLines<W> {
    pub(super) fn new(inner: W, is_coloured: bool) -> Self {
        Self { inner, is_coloured }
    }
}

impl<W: Write> Write for VisibleLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        if self.is_coloured {
            let parts: Vec<_> = text.split(ESCAPE).map(unicode::visible_lines).collect();
            let coloured = parts.join(ESCAPE.encode_utf8(&mut [0; 4]));
            self.inner.write_all(coloured.as_bytes())?;
        } else {
            let shown = unicode::visible_lines(&text);
            self.inner.write_all(shown.as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::VisibleLines;

    #[test]
    fn characters_that_mislead_readers_are_numbers() {
        for (is_coloured, expected) in [
            (false, "U+001B[1mé U+202E {\"x\":\"U+200B\"}\n"),
            (true, "\u{1b}[1mé U+202E {\"x\":\"U+200B\"}\n"),
        ] {
            let mut written = Vec::new();
            let mut lines = VisibleLines::new(&mut written, is_coloured);
            let line = "\u{1b}[1mé \u{202e} {\"x\":\"\u{200b}\"}\n";
            lines.write_all(line.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), expected);
        }
    }
}
