//! Many requests on one connection (HTTP/2): who takes no answer, who asks nothing, who drips.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty, combinators::UnsyncBoxBody};
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use observe::clock::Stopwatch;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Sleep, sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::{check_others, start_server};
use crate::test_server::{At, PATIENCE, TestServer};
use crate::tls::{connect, trusting};

pub(super) type AnyBody = UnsyncBoxBody<Bytes, std::convert::Infallible>;
pub(super) type Requests = SendRequest<AnyBody>;

/// What opens a connection: the preface, and settings that change nothing (RFC 9113 section 3.4).
const OPENING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
const GOAWAY: u8 = 7;

async fn connect_http2(server: &TestServer, at: At) -> TlsStream<TcpStream> {
    let mut config = (*trusting(server, None)).clone();
    config.alpn_protocols = vec![b"h2".to_vec()];
    connect(server, at, Arc::new(config)).await.unwrap()
}

/// A connection on which so many bytes of each answer may come before some are read.
pub(super) async fn open(
    server: &TestServer,
    at: At,
    window: u32,
) -> (Requests, JoinHandle<hyper::Result<()>>) {
    let stream = connect_http2(server, at).await;
    let (requests, connection) = Builder::new(TokioExecutor::new())
        .initial_stream_window_size(window)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    (requests, tokio::spawn(connection))
}

pub(super) async fn get(requests: &mut Requests, path: &str) -> Response<Incoming> {
    get_as(requests, path, "").await
}

/// As [`get`], with an API key.
async fn get_as(requests: &mut Requests, path: &str, key: &str) -> Response<Incoming> {
    let request = Request::get(format!("https://localhost{path}"));
    let request = request.header("x-api-key", key);
    let request = request.body(Empty::new().boxed_unsync()).unwrap();
    let answer = requests.send_request(request);
    timeout(PATIENCE, answer).await.unwrap().unwrap()
}

/// The whole answer, or how it ended before it was.
pub(super) async fn read(answer: Response<Incoming>) -> hyper::Result<Bytes> {
    let whole = timeout(PATIENCE, answer.into_body().collect()).await;
    whole.unwrap().map(http_body_util::Collected::to_bytes)
}

/// Bytes that come one by one.
struct Drip {
    left: usize,
    pause: Duration,
    wait: Option<Pin<Box<Sleep>>>,
}

impl Drip {
    fn of(left: usize, pause: Duration) -> AnyBody {
        Self {
            left,
            pause,
            wait: None,
        }
        .boxed_unsync()
    }
}

impl Body for Drip {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let pause = self.pause;
        let wait = self.wait.get_or_insert_with(|| Box::pin(sleep(pause)));
        std::task::ready!(wait.as_mut().poll(context));
        self.wait = None;
        self.left -= 1;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"x")))))
    }
}

async fn post_drips(requests: &mut Requests, drips: usize) -> Response<Incoming> {
    let request = Request::post("https://localhost/token")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Drip::of(drips, Duration::from_millis(50)))
        .unwrap();
    let answer = requests.send_request(request);
    timeout(PATIENCE, answer).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_room_is_reset_and_the_others_go_on() {
    let server = start_server(|config| config.answer_timeout_seconds = 1).await;
    let (mut requests, connection) = open(&server, At::Base, 1000).await;
    // One of several pieces, and one that is shorter than one but longer than its room.
    let large = get(&mut requests, "/openapi.json").await;
    let waited = Stopwatch::start();
    while waited.elapsed() < Duration::from_secs(3) {
        let answer = get(&mut requests, "/openapi.json").await;
        assert!(read(answer).await.unwrap().len() > 20_000);
    }
    assert!(read(large).await.is_err(), "its time was up");
    let answer = get(&mut requests, "/nothing").await;
    assert!(read(answer).await.unwrap().starts_with(b"{"));
    assert!(!connection.is_finished(), "the connection goes on");
    check_others(&server).await;
    server.end().await;
}

/// An answer that fits into one piece must not wait unwatched, whatever little room there is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_answer_without_room_is_reset() {
    let server = start_server(|config| config.answer_timeout_seconds = 1).await;
    for window in [0, 1, 100] {
        let (mut requests, connection) = open(&server, At::Base, window).await;
        let unread = get(&mut requests, "/nothing").await;
        assert_eq!(unread.status(), 404);
        sleep(Duration::from_millis(2500)).await;
        assert!(read(unread).await.is_err(), "with room for {window} bytes");
        assert!(!connection.is_finished());
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_slowly_but_steadily_gets_all_of_it() {
    let server = start_server(|config| config.answer_timeout_seconds = 2).await;
    let (mut requests, _connection) = open(&server, At::Listing, 16 * 1024).await;
    let answer = get(&mut requests, "/openapi.json").await;
    let mut body = answer.into_body();
    let (mut whole, waited) = (Vec::new(), Stopwatch::start());
    while let Some(frame) = timeout(PATIENCE, body.frame()).await.unwrap() {
        let data = frame.expect("it was reset").into_data().unwrap();
        whole.extend_from_slice(&data);
        // A piece of 16 KiB in 0.6 s at most, while two seconds are allowed.
        if waited.elapsed() < Duration::from_secs(5) {
            sleep(Duration::from_millis(600) * u32::try_from(data.len()).unwrap() / 16_384).await;
        }
    }
    assert!(waited.elapsed() > Duration::from_secs(4), "{}", whole.len());
    serde_json::from_slice::<serde_json::Value>(&whole).unwrap();
    server.end().await;
}

/// Each piece comes in time, the whole does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_too_slowly_on_the_whole_is_reset() {
    let server = start_server(|config| config.answer_timeout_seconds = 2).await;
    let (mut requests, _connection) = open(&server, At::Listing, 16 * 1024).await;
    let answer = get(&mut requests, "/openapi.json").await;
    let (mut body, mut read) = (answer.into_body(), 0);
    let failed = loop {
        match timeout(PATIENCE, body.frame()).await.unwrap() {
            Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(error)) => break error,
            None => panic!("all {read} bytes were read"),
        }
        sleep(Duration::from_millis(1600)).await;
    };
    assert!(read > 16 * 1024, "{failed} after {read} bytes");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_answers_of_one_caller_are_bounded() {
    let server = start_server(|_config| {}).await;
    let lender = server.register("lender", &["transaction-status"]).await;
    let (_receiver, key, subscription) = server.subscriber().await;
    for uprn in 1..=100 {
        server.simulate(&key, "milestone.updated", uprn).await;
    }
    let log = format!("/api/v1/webhook/subscriptions/{subscription}/deliveries?per_page=100");
    let mut unread = Vec::new();
    let refused = 'open: loop {
        let (mut requests, _connection) = open(&server, At::Base, 1000).await;
        for _stream in 0..100 {
            let answer = get_as(&mut requests, &log, &key).await;
            if answer.status() != 200 {
                break 'open answer;
            }
            unread.push(answer);
        }
        assert!(unread.len() < 2000, "so many answers are kept");
    };
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "1");
    // A proven client is another caller.
    let token = server.token(&lender, None).await;
    let query = server.url(At::Base, "/api/v1/standard/chains");
    let asked = lender.http.post(query).bearer_auth(token);
    let form = [("inputType", "uprn"), ("value[]", "1")];
    assert_eq!(asked.form(&form).send().await.unwrap().status(), 404);
    // A published document takes no room.
    let (mut requests, _connection) = open(&server, At::Base, 1000).await;
    assert_eq!(get(&mut requests, "/openapi.json").await.status(), 200);
    // Once the answers are given up, others follow.
    drop(unread);
    while get_as(&mut requests, &log, &key).await.status() != 200 {
        tokio::task::yield_now().await;
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_client_learns_that_the_connection_ends() {
    let server = start_server(|config| config.idle_timeout_seconds = 1).await;
    for requests_before in [0, 2] {
        let (mut requests, connection) = open(&server, At::Directory, 65_535).await;
        for _request in 0..requests_before {
            read(get(&mut requests, "/jwks").await).await.unwrap();
            sleep(Duration::from_millis(200)).await;
            assert!(!connection.is_finished(), "it was not idle for a second");
        }
        // An error would mean that it was cut off (RFC 9113 section 6.8).
        let ended = timeout(PATIENCE, connection).await;
        ended.expect("it is still open").unwrap().unwrap();
        assert!(requests.is_closed());
    }
    check_others(&server).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_under_way_is_not_idleness() {
    let server = start_server(|config| config.idle_timeout_seconds = 1).await;
    let (mut requests, connection) = open(&server, At::Auth, 65_535).await;
    let waited = Stopwatch::start();
    let answer = post_drips(&mut requests, 50).await;
    assert!(waited.elapsed() > Duration::from_secs(2));
    assert_eq!(answer.status(), 400, "it was read to its end");
    read(answer).await.unwrap();
    assert!(!connection.is_finished());
    let ended = timeout(PATIENCE, connection).await;
    ended.unwrap().unwrap().unwrap();
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_drips_is_refused_and_the_others_go_on() {
    let server = start_server(|config| config.body_timeout_seconds = 1).await;
    let (mut requests, connection) = open(&server, At::Auth, 65_535).await;
    let mut others = requests.clone();
    let dripping = post_drips(&mut requests, 60_000);
    let asking = async {
        let waited = Stopwatch::start();
        while waited.elapsed() < Duration::from_secs(2) {
            let answer = get(&mut others, "/openapi.json").await;
            assert!(read(answer).await.unwrap().len() > 10_000);
            sleep(Duration::from_millis(50)).await;
        }
    };
    let (answer, ()) = tokio::join!(dripping, asking);
    assert_eq!(answer.status(), 408);
    assert!(!connection.is_finished());
    server.end().await;
}

/// Sends these bytes, then one more every now and then; what comes until the end.
async fn drip_to_end(server: &TestServer, begin: &[u8], drip: Option<&[u8]>) -> Vec<u8> {
    let (mut reader, mut writer) = tokio::io::split(connect_http2(server, At::Base).await);
    writer.write_all(begin).await.unwrap();
    writer.flush().await.unwrap();
    let dripping = async {
        while let Some(drip) = drip {
            if writer.write_all(drip).await.is_err() || writer.flush().await.is_err() {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut said = Vec::new();
    let reading = async {
        // One that is cut off ends with an error.
        let _ended = reader.read_to_end(&mut said).await;
    };
    tokio::select! {
        read = timeout(PATIENCE, reading) => read.expect("the connection stays open"),
        () = dripping => unreachable!(),
    }
    said
}

/// Types of the frames in what a server said.
fn types_of(mut said: &[u8]) -> Vec<u8> {
    let mut types = Vec::new();
    while let [high, middle, low, kind, rest @ ..] = said {
        types.push(*kind);
        let length = u32::from_be_bytes([0, *high, *middle, *low]);
        said = rest.get(5 + length as usize..).unwrap_or_default();
    }
    types
}

/// A receiver without deliveries is cut off a few seconds after the stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_take_part_is_cut_off() {
    let server = start_server(|config| config.idle_timeout_seconds = 1).await;
    let ping: &[u8] = b"\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678";
    // The begin of a header, of which 16 KiB are announced (RFC 9113 section 6.2).
    let header = [OPENING, b"\x00\x40\x00\x01\x04\x00\x00\x00\x01"].concat();
    let (silent, after_opening, pinging, header) = tokio::join!(
        drip_to_end(&server, b"", None),
        drip_to_end(&server, OPENING, None),
        drip_to_end(&server, OPENING, Some(ping)),
        drip_to_end(&server, &header, Some(b"x")),
    );
    assert!(
        !types_of(&silent).contains(&GOAWAY),
        "it never spoke HTTP/2"
    );
    for said in [after_opening, pinging, header] {
        let types = types_of(&said);
        assert!(types.contains(&GOAWAY), "{types:?}");
    }
    check_others(&server).await;
    server.end().await;
}

/// The bounds of HTTP/2 hold where the handshake agreed upon it (RFC 9113 section 3.2), so it is
/// spoken nowhere else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_is_spoken_only_where_it_was_agreed_upon() {
    let server = start_server(|_config| {}).await;
    let config = trusting(&server, None);
    let mut stream = connect(&server, At::Base, config).await.unwrap();
    stream.write_all(OPENING).await.unwrap();
    let mut said = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut said)).await;
    drop(read.expect("the connection stays open"));
    assert!(!said.starts_with(b"\x00"), "{said:?}");
    server.end().await;
}
