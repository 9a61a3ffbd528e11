//! Attempts against real receivers over TLS on this machine.

mod hosts;
mod receiver;

use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use observe::clock::Stopwatch;
use tempfile::NamedTempFile;
use tokio_rustls::TlsAcceptor;

use self::receiver::{Behaviour, Identity, NAME, Receiver};
use super::{
    Attempt, Disturbance, Disturbed, HttpOutcome, OutboundClient, OutboundError, OutboundSettings,
    SendError,
};
use crate::callback::CallbackUrl;
use crate::networks::AllowedNetworks;

const OK: Behaviour = Behaviour::Answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
/// Shorter than the real limits by far, and longer than anything takes here.
const SHORT: Duration = Duration::from_secs(2);

/// The default, but loopback is allowed and the receiver's authority trusted.
fn settings(receiver: &Receiver) -> OutboundSettings {
    OutboundSettings {
        allowed: AllowedNetworks::parse(["127.0.0.0/8", "::1"]).unwrap(),
        ca_files: vec![receiver.ca_file.path().to_owned()],
        ..OutboundSettings::default()
    }
}

fn local_url(port: u16) -> CallbackUrl {
    CallbackUrl::parse_stored(&format!("https://127.0.0.1:{port}/hook?tenant=7")).unwrap()
}

async fn deliver(outbound: &OutboundClient, url: &CallbackUrl) -> HttpOutcome {
    let attempt = Attempt {
        url,
        jwt: Bytes::from_static(b"header.claims.signature"),
        event_id: "evt_1",
        number: 3,
        now_seconds: 784_111_777,
    };
    outbound.send(&attempt).await
}

async fn attempt_at(receiver: &Receiver) -> HttpOutcome {
    let outbound = OutboundClient::open(settings(receiver)).unwrap();
    deliver(&outbound, &local_url(receiver.port)).await
}

/// One attempt at a receiver that behaves like this.
async fn outcome_of(behaviour: Behaviour) -> HttpOutcome {
    attempt_at(&Receiver::start(behaviour).await).await
}

#[tokio::test]
async fn an_attempt_is_one_post_of_the_jwt() {
    let receiver = Receiver::start(OK).await;
    let outcome = attempt_at(&receiver).await;
    assert!(outcome.is_success(), "{outcome:?}");
    assert_eq!(outcome.status, Some(200));
    let request = receiver.requests().remove(0);
    let request = request.replace(&receiver.port.to_string(), "PORT");
    let request = request.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(request.replace('\r', ""), @"
    POST /hook?tenant=7 HTTP/1.1
    content-type: application/jwt
    webhook-id: evt_1
    webhook-attempt: 3
    accept: */*
    user-agent: Onward/VERSION
    host: 127.0.0.1:PORT
    content-length: 23

    header.claims.signature
    ");
}

#[tokio::test]
async fn connections_are_kept_and_shared_by_clones() {
    let receiver = Receiver::start(OK).await;
    let outbound = OutboundClient::open(settings(&receiver)).unwrap();
    for outbound in [outbound.clone(), outbound.clone(), outbound] {
        let outcome = deliver(&outbound, &local_url(receiver.port)).await;
        assert!(outcome.is_success(), "{outcome:?}");
    }
    assert_eq!(receiver.connections(), 1);
    assert_eq!(receiver.requests().len(), 3);
}

/// Loses each answer.
#[derive(Debug)]
struct Lossy;

impl Disturbance for Lossy {
    fn draw_attempt(&self, _number: u32) -> Disturbed {
        Disturbed {
            delay: Duration::from_millis(20),
            loses_answer: true,
        }
    }
}

#[tokio::test]
async fn a_disturbed_attempt_is_late_and_its_answer_is_lost() {
    let receiver = Receiver::start(OK).await;
    let disturbance: Option<Arc<dyn Disturbance>> = Some(Arc::new(Lossy));
    let settings = OutboundSettings {
        disturbance,
        ..settings(&receiver)
    };
    let outbound = OutboundClient::open(settings).unwrap();
    let watch = Stopwatch::start();
    let outcome = deliver(&outbound, &local_url(receiver.port)).await;
    assert!(watch.elapsed() >= Duration::from_millis(20));
    assert_eq!(receiver.requests().len(), 1, "the event arrived");
    assert_eq!(
        (outcome.status, outcome.error),
        (None, Some(SendError::ClosedEarly))
    );
    assert!(!outcome.is_success());
}

/// An answer after its version, with `|` as the end of a line, and the seconds to wait.
const ANSWERS: [(&str, Option<u64>); 10] = [
    ("202 Accepted|Content-Length: 0||", None),
    ("204 No Content||", None),
    ("299 Own|Retry-After: 9|Content-Length: 0||", None),
    ("400 Bad|Content-Length: 2||no", None),
    ("410 Gone|Content-Length: 0||", None),
    ("429 Slow|Retry-After: 17|Content-Length: 0||", Some(17)),
    ("429 Slow|Retry-After: 9999|Content-Length: 0||", Some(3600)),
    (
        "503 No|Retry-After: Sun, 06 Nov 1994 08:50:37 GMT|Content-Length: 0||",
        Some(60),
    ),
    ("503 No|Retry-After: later|Content-Length: 0||", None),
    ("500 No|Content-Length: 0||", None),
];

#[tokio::test]
async fn a_2xx_is_success_and_nothing_else_is() {
    for (answer, retry_after) in ANSWERS {
        let text = format!("HTTP/1.1 {}", answer.replace('|', "\r\n"));
        let outcome = outcome_of(Behaviour::Answer(text.leak())).await;
        let status: Option<u16> = answer[..3].parse().ok();
        let expected = (status, retry_after.map(Duration::from_secs), None);
        let seen = (outcome.status, outcome.retry_after, outcome.error);
        assert_eq!(seen, expected, "{answer}");
        assert_eq!(outcome.is_success(), answer.starts_with('2'), "{answer}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for answer in [
        "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 307 Other\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 304 Same\r\n\r\n",
    ] {
        let receiver = Receiver::start(Behaviour::Answer(answer)).await;
        let outcome = attempt_at(&receiver).await;
        assert_eq!(outcome.error, Some(SendError::RedirectRefused), "{answer}");
        assert!(matches!(outcome.status, Some(300..400)), "{answer}");
        assert!(!outcome.is_success(), "{answer}");
        assert_eq!(receiver.requests().len(), 1, "{answer}");
    }
}

#[tokio::test]
async fn an_attempt_ends_in_time_whatever_the_receiver_does() {
    for (behaviour, status, error) in [
        (Behaviour::NoHandshake, None, SendError::ConnectTimeout),
        (Behaviour::Silent, None, SendError::Timeout),
        (Behaviour::Drip, Some(200), SendError::Timeout),
    ] {
        let receiver = Receiver::start(behaviour).await;
        let hurried = OutboundSettings {
            attempt_timeout: SHORT,
            connect_timeout: SHORT / 2,
            ..settings(&receiver)
        };
        let outbound = OutboundClient::open(hurried).unwrap();
        let outcome = deliver(&outbound, &local_url(receiver.port)).await;
        assert_eq!(outcome.status, status, "{behaviour:?}");
        assert_eq!(outcome.error, Some(error), "{behaviour:?}");
        assert!(!outcome.is_success(), "{behaviour:?}");
        assert!(outcome.duration < 10 * SHORT, "{behaviour:?} {outcome:?}");
    }
}

#[tokio::test]
async fn a_body_without_end_is_read_to_the_limit_and_counts() {
    let outcome = outcome_of(Behaviour::Flood).await;
    assert_eq!(outcome.status, Some(200));
    assert!(outcome.is_success(), "{outcome:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_no_success() {
    let cut = "Content-Length: 9\r\n\r\nha";
    let chunked = "Transfer-Encoding: chunked\r\n\r\n5\r\nha";
    for (text, status, error) in [
        ("", None, SendError::ClosedEarly),
        ("HTTP/1.1 200 O", None, SendError::ClosedEarly),
        (cut, Some(200), SendError::ClosedEarly),
        (chunked, Some(200), SendError::ClosedEarly),
        (
            "SSH-2.0-OpenSSH_9.6\r\n\r\n",
            None,
            SendError::InvalidAnswer,
        ),
    ] {
        let line = status.map_or("", |_| "HTTP/1.1 200 OK\r\n");
        let outcome = outcome_of(Behaviour::Close(format!("{line}{text}").leak())).await;
        assert_eq!(outcome.status, status, "{text:?}");
        assert_eq!(outcome.error, Some(error), "{text:?} {outcome:?}");
        assert!(!outcome.is_success(), "{text:?}");
    }
}

#[tokio::test]
async fn a_certificate_must_be_valid_for_the_host() {
    for (names, last_year) in [
        // Another host's; one that has expired.
        (["other.example", "192.0.2.1"], 4000),
        (["127.0.0.1", NAME], 2001),
    ] {
        let identity = Identity::issue(&names, last_year);
        let receiver = Receiver::start_with(OK, identity).await;
        let outcome = attempt_at(&receiver).await;
        assert_eq!(outcome.error, Some(SendError::Tls), "{names:?}");
        assert!(outcome.detail.unwrap().contains("certificate"), "{names:?}");
        assert_eq!(receiver.requests().len(), 0);
    }
    // From an authority that nobody trusts.
    let (receiver, other) = (Receiver::start(OK).await, Receiver::start(OK).await);
    let outbound = OutboundClient::open(settings(&other)).unwrap();
    let outcome = deliver(&outbound, &local_url(receiver.port)).await;
    assert_eq!(outcome.error, Some(SendError::Tls));
}

#[tokio::test]
async fn where_nobody_listens_there_is_no_connection() {
    let receiver = Receiver::start(OK).await;
    let outbound = OutboundClient::open(settings(&receiver)).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let outcome = deliver(&outbound, &local_url(port)).await;
    assert_eq!(outcome.error, Some(SendError::Connect), "{outcome:?}");
    assert_eq!(outcome.status, None);
}

#[tokio::test]
async fn subscriptions_at_one_host_share_no_connection_under_way() {
    let identity = Identity::good();
    let mut config = (*identity.config).clone();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // Only its authority is used; the answers come from the server below.
    let receiver = Receiver::start_with(OK, identity).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let connections = tokio::spawn(async move {
        let mut open = Vec::new();
        while open.len() < 2 {
            let (stream, _) = listener.accept().await.unwrap();
            let stream = acceptor.accept(stream).await.unwrap();
            let protocol = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
            open.push((stream, protocol));
        }
        open.into_iter()
            .map(|(_, protocol)| protocol)
            .collect::<Vec<_>>()
    });
    let outbound = OutboundClient::open(settings(&receiver)).unwrap();
    let url = local_url(port);
    let (first, second) = (deliver(&outbound, &url), deliver(&outbound, &url));
    let sending = async { tokio::join!(first, second) };
    // The receiver never answers: both attempts have a connection nevertheless.
    let protocols = tokio::select! {
        protocols = connections => protocols.unwrap(),
        ended = sending => panic!("{ended:?}"),
    };
    assert_eq!(protocols.len(), 2);
    for protocol in protocols {
        assert_ne!(protocol.as_deref(), Some(&b"h2"[..]));
    }
}

#[test]
fn proxies_of_the_environment_are_ignored() {
    // The variables cannot be set in this process without touching other tests, so another one
    // runs the simplest test under them. A proxy at port 1 would refuse it.
    let mut program = Command::new(std::env::current_exe().unwrap());
    let test = "client::tests::an_attempt_is_one_post_of_the_jwt";
    program.args(["--exact", test]);
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] {
        program.env(name, "http://127.0.0.1:1");
        program.env(name.to_lowercase(), "http://127.0.0.1:1");
    }
    for name in ["NO_PROXY", "no_proxy"] {
        program.env_remove(name);
    }
    let output = program.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn a_file_of_authorities_that_cannot_be_used_is_named() {
    let empty = NamedTempFile::new().unwrap();
    for path in [empty.path(), "/nowhere/ca.pem".as_ref()] {
        let settings = OutboundSettings {
            ca_files: vec![path.to_owned()],
            ..OutboundSettings::default()
        };
        let refused = OutboundClient::open(settings).unwrap_err();
        let is_named = matches!(&refused, OutboundError::CaFile { .. });
        assert!(is_named, "{refused}");
        assert!(refused.to_string().contains(path.to_str().unwrap()));
    }
}
