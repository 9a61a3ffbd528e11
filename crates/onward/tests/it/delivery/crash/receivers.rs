//! Receivers of every kind, good and bad, over real TLS.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::FUSSY_UPRN;
use super::requests::Log;
use crate::test_server::{Received, https};

const BOTH: &[&str] = &["milestone.updated", "fallthrough"];
/// Requests that the subscriber that goes away still accepts.
const ACCEPTED_BEFORE_GONE: usize = 40;
const SERVER_ERROR: &str = "500 Internal Server Error";
const DRIP_INTERVAL: Duration = Duration::from_millis(250);
/// The longest that a slow receiver thinks.
const SLOWNESS_STEPS: usize = 5;
const SLOWNESS_STEP: Duration = Duration::from_millis(30);

/// How a receiver behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Prompt,
    Slow,
    /// 500 for all events of one property.
    Fussy,
    /// 500 for everything.
    Failing,
    /// 410 after a while.
    Gone,
    /// 429 with `Retry-After` for the first request.
    Busy,
    Redirecting,
    /// Reads and never answers.
    Silent,
    /// Answers 200 with a body that never ends.
    Dripping,
    /// Closes within its answer.
    Abrupt,
    /// Has a certificate of an authority that nobody knows.
    Untrusted,
}

/// Every subscriber of the test, with the events that it receives.
pub(super) const SUBSCRIBERS: [(Manner, &[&str]); 12] = [
    (Manner::Prompt, BOTH),
    (Manner::Prompt, &["fallthrough"]),
    (Manner::Slow, BOTH),
    (Manner::Fussy, BOTH),
    (Manner::Failing, BOTH),
    (Manner::Gone, BOTH),
    (Manner::Busy, BOTH),
    (Manner::Redirecting, BOTH),
    (Manner::Silent, BOTH),
    (Manner::Dripping, &["milestone.updated"]),
    (Manner::Abrupt, BOTH),
    (Manner::Untrusted, BOTH),
];

enum Reply {
    Accept(Duration),
    Refuse(&'static str),
    Silence,
    Drip,
    Half,
}

impl Manner {
    /// Whether it takes everything, sooner or later.
    pub(super) fn is_healthy(self) -> bool {
        matches!(self, Self::Prompt | Self::Slow)
    }

    /// Whether it fails at once and for ever.
    pub(super) fn is_hopeless(self) -> bool {
        matches!(
            self,
            Self::Failing | Self::Redirecting | Self::Abrupt | Self::Untrusted
        )
    }

    /// Whether an attempt ends only when its time is over.
    pub(super) fn is_endless(self) -> bool {
        matches!(self, Self::Silent | Self::Dripping)
    }
}

/// A receiver of this number; ends with the runtime. Its URL.
pub(super) async fn open(folder: &Path, number: usize, log: Arc<Log>) -> String {
    let (manner, _events) = SUBSCRIBERS[number];
    let folder = if manner == Manner::Untrusted {
        folder.join("strangers")
    } else {
        folder.to_owned()
    };
    let tls = https::issue_acceptor(&folder, "callback");
    let receiver = Arc::new(Receiver {
        number,
        manner,
        log,
    });
    let converse = move |stream| {
        let receiver = Arc::clone(&receiver);
        async move {
            // The other side may be killed at any moment.
            drop(receiver.converse(stream).await);
        }
    };
    let (port, _task) = https::listen_tls(tls, converse).await;
    format!("https://localhost:{port}/events/{number}")
}

struct Receiver {
    number: usize,
    manner: Manner,
    log: Arc<Log>,
}

impl Receiver {
    async fn converse(&self, mut stream: TlsStream<TcpStream>) -> std::io::Result<()> {
        let mut unread = Vec::new();
        while let Some(token) = read_token(&mut stream, &mut unread).await? {
            let claims = Received {
                headers: http::HeaderMap::new(),
                body: token,
            }
            .claims();
            let place = self.log.note(self.number, &claims);
            let uprn = claims["uprn"].as_str().unwrap().parse().unwrap();
            match self.reply(place, claims["eventId"].as_str().unwrap(), uprn) {
                Reply::Accept(pause) => {
                    tokio::time::sleep(pause).await;
                    self.log.accept(place);
                    let whole = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    stream.write_all(whole).await?;
                }
                Reply::Refuse(head) => {
                    let text = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n");
                    stream.write_all(text.as_bytes()).await?;
                }
                Reply::Silence => {
                    // Until the other side has had enough.
                    stream.read_u8().await?;
                }
                Reply::Drip => {
                    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n";
                    stream.write_all(head).await?;
                    loop {
                        stream.write_all(b".").await?;
                        stream.flush().await?;
                        tokio::time::sleep(DRIP_INTERVAL).await;
                    }
                }
                Reply::Half => {
                    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf";
                    stream.write_all(half).await?;
                    return stream.flush().await;
                }
            }
            stream.flush().await?;
        }
        Ok(())
    }

    fn reply(&self, place: usize, event_id: &str, uprn: i64) -> Reply {
        match self.manner {
            Manner::Slow => {
                let steps = u32::try_from(place % SLOWNESS_STEPS).unwrap();
                Reply::Accept(SLOWNESS_STEP * (steps + 1))
            }
            Manner::Fussy if uprn == FUSSY_UPRN => Reply::Refuse(SERVER_ERROR),
            Manner::Failing => Reply::Refuse(SERVER_ERROR),
            Manner::Gone if self.log.count_all(self.number) > ACCEPTED_BEFORE_GONE => {
                Reply::Refuse("410 Gone")
            }
            Manner::Busy if self.log.count(self.number, event_id) == 1 => {
                Reply::Refuse("429 Too Many Requests\r\nretry-after: 30")
            }
            Manner::Redirecting => Reply::Refuse("302 Found\r\nlocation: https://localhost/"),
            Manner::Silent => Reply::Silence,
            Manner::Dripping => Reply::Drip,
            Manner::Abrupt => Reply::Half,
            Manner::Prompt | Manner::Fussy | Manner::Gone | Manner::Busy | Manner::Untrusted => {
                Reply::Accept(Duration::ZERO)
            }
        }
    }
}

/// The body of the next request, none once the other side has closed.
async fn read_token(
    stream: &mut TlsStream<TcpStream>,
    unread: &mut Vec<u8>,
) -> std::io::Result<Option<String>> {
    loop {
        let end = unread.windows(4).position(|next| next == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&unread[..end]).to_lowercase();
            let mut lines = head.lines();
            let length = lines.find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.unwrap().trim().parse().unwrap();
            let whole = end + 4 + length;
            if unread.len() >= whole {
                let body = unread[end + 4..whole].to_vec();
                unread.drain(..whole);
                return Ok(Some(String::from_utf8(body).unwrap()));
            }
        }
        if stream.read_buf(unread).await? == 0 {
            return Ok(None);
        }
    }
}
