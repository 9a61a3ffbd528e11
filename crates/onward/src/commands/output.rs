//! Prints the answers of commands.

use std::io;

/// Standard output. A reader that closes the pipe early, as `head` does, causes no failure.
#[derive(Debug)]
pub(super) struct Output(pub(super) io::Stdout);

/// Prints the answer as JSON or as text.
pub(super) fn answer(
    is_json: bool,
    out: &mut dyn io::Write,
    document: &serde_json::Value,
    text: impl std::fmt::Display,
) {
    if is_json {
        say_json(out, document);
    } else {
        say(out, text);
    }
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(all),
        Ok(_) | Err(_) => written,
    }
}

/// Writes a line to the terminal. Characters that mislead readers stand there as their numbers (S-96). A
/// closed pipe is not a failure.
pub(super) fn say(out: &mut dyn io::Write, line: impl std::fmt::Display) {
    let line = line.to_string();
    drop(writeln!(out, "{}", unicode::visible_lines(&line)));
}

/// Writes a line of JSON to the terminal, with these characters as JSON's escapes.
pub(super) fn say_json(out: &mut dyn io::Write, document: impl std::fmt::Display) {
    let document = document.to_string();
    drop(writeln!(out, "{}", unicode::visible_json(&document)));
}
