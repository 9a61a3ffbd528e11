//! Refusals that the HTTP/1 parser writes by itself, before any route sees the request. Each gets a request id,
//! as every other answer has one.

use uuid::Uuid;

/// The longest refusal of the parser, in bytes. It has a status line, a date and a length.
const REFUSAL_BYTES_MAX: usize = 512;
const END: &[u8] = b"\r\n\r\n";
const FIELD: &[u8] = b"x-request-id: ";

/// A refusal on its way to the peer.
#[derive(Debug)]
pub(super) struct ParserRefusal {
    /// The refusal with its id.
    bytes: Vec<u8>,
    sent: usize,
}

impl ParserRefusal {
    /// Adds an id if the parser wrote these bytes. Routes write an id themselves.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let is_refusal = bytes.len() <= REFUSAL_BYTES_MAX
            && (bytes.starts_with(b"HTTP/1.1 4") || bytes.starts_with(b"HTTP/1.0 4"))
            && find(bytes, END) == bytes.len().checked_sub(END.len())
            && find(bytes, b"\r\ncontent-length: 0\r\n").is_some()
            && find(bytes, FIELD).is_none();
        let status_line = find(bytes, b"\r\n").filter(|_| is_refusal)? + 2;
        let id = Uuid::new_v4().hyphenated().to_string();
        tracing::debug!(request_id = id, "the parser of HTTP refused a request");
        let (status_line, rest) = bytes.split_at(status_line);
        let bytes = [status_line, FIELD, id.as_bytes(), b"\r\n", rest].concat();
        Some(Self { bytes, sent: 0 })
    }

    /// The bytes that wait to be sent.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.sent..).unwrap_or_default()
    }

    /// Notes that bytes were sent.
    pub(super) fn advance(&mut self, sent: usize) {
        self.sent += sent;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSAL: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                           date: Sat, 21 Nov 2026 10:00:00 GMT\r\n\r\n";

    #[test]
    fn the_parser_s_refusal_gets_an_id_and_is_sent_in_parts() {
        let mut refusal = ParserRefusal::of(REFUSAL.as_bytes()).unwrap();
        let mut sent = Vec::new();
        while let Some(byte) = refusal.rest().first().copied() {
            sent.push(byte);
            refusal.advance(1);
        }
        let sent = String::from_utf8(sent).unwrap();
        let (before, rest) = sent.split_once("x-request-id: ").unwrap();
        let (id, after) = rest.split_once("\r\n").unwrap();
        assert!(Uuid::parse_str(id).is_ok(), "{id}");
        assert_eq!(before.to_owned() + after, REFUSAL);
    }

    #[test]
    fn other_bytes_stay_as_they_are() {
        let with_id = REFUSAL.replace("date", "x-request-id: 1\r\ndate");
        let with_body = REFUSAL.to_owned() + "{}";
        for other in [
            "",
            "{}",
            "HTTP/1.1 4",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n",
            &REFUSAL.repeat(2),
            &with_id,
            &with_body,
        ] {
            assert!(ParserRefusal::of(other.as_bytes()).is_none(), "{other}");
        }
    }
}
