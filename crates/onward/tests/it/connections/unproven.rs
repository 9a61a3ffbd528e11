//! Bodies of callers who have not proved who they are.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Frame, Incoming};
use serde_json::json;
use tokio::time::timeout;

use super::http2::{AnyBody, Requests, open};
use super::start_server;
use crate::test_server::{At, PATIENCE};

/// The longest form that the token endpoint reads, nearly.
const LENGTH: usize = 60 * 1024;

fn form(body: AnyBody) -> Request<AnyBody> {
    Request::post("https://localhost/token")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body)
        .unwrap()
}

/// A body that never ends.
struct Endless {
    first: Option<Bytes>,
}

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(Ok(Frame::data(first)))),
            None => Poll::Pending,
        }
    }
}

fn endless() -> AnyBody {
    let first = Some(Bytes::from(vec![b'x'; LENGTH]));
    Endless { first }.boxed_unsync()
}

async fn send_whole(requests: &mut Requests) -> http::Response<Incoming> {
    let body = Full::new(Bytes::from(vec![b'x'; LENGTH])).boxed_unsync();
    let answer = requests.send_request(form(body));
    timeout(PATIENCE, answer).await.unwrap().unwrap()
}

/// More bytes than an address may have under way, on two connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_unproven_callers_are_bounded_together() {
    let server = start_server(|_config| {}).await;
    let agent = server.agent("north").await;
    let (mut probe, _probing) = open(&server, At::Auth, 65_535).await;
    assert_eq!(send_whole(&mut probe).await.status(), 400);
    let (mut connections, mut unanswered) = (Vec::new(), Vec::new());
    for _connection in 0..2 {
        let (mut requests, connection) = open(&server, At::Auth, 65_535).await;
        for _stream in 0..50 {
            requests.ready().await.unwrap();
            unanswered.push(requests.send_request(form(endless())));
        }
        connections.push((requests, connection));
    }
    let refused = timeout(PATIENCE, async {
        loop {
            let answer = send_whole(&mut probe).await;
            if answer.status() == 503 {
                break answer;
            }
            // A refused body makes room again, so several at once leave room for one more.
            let (requests, _connection) = &mut connections[0];
            requests.ready().await.unwrap();
            unanswered.push(requests.send_request(form(endless())));
        }
    });
    let refused = refused.await.unwrap();
    assert_eq!(refused.headers()["retry-after"], "1");
    let long = json!({"address": "x".repeat(LENGTH)});
    let answer = agent.post("/listing", long).await;
    assert_eq!(
        answer.status,
        422,
        "a proven caller's body is read: {}",
        answer.json()
    );
    // Once the bodies are given up, others are read.
    drop(unanswered);
    drop(connections);
    while send_whole(&mut probe).await.status() != 400 {
        tokio::task::yield_now().await;
    }
    server.end().await;
}
