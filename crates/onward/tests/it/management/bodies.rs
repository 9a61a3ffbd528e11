//! What a body has to be (S-40, S-54).

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Method;
use hyper::body::{Body, Bytes, Frame};
use serde_json::{Value, json};

use super::place::{CALLS, Place};
use crate::story;
use crate::world::{Agent, Answer, send};

const BODY_BYTES_MAX: usize = 64 * 1024;

/// One of the calls with a body, with this body and content type instead.
async fn send_body(
    agent: &Agent,
    call: (&str, String),
    kind: Option<&str>,
    body: impl Into<reqwest::Body>,
) -> Answer {
    let method: Method = call.0.parse().unwrap();
    let mut request = agent.request(method, &call.1).body(body);
    if let Some(kind) = kind {
        request = request.header("content-type", kind);
    }
    send(request).await
}

/// Method, path and body of the calls that have a body.
fn calls_with_body(place: &Place) -> Vec<(&'static str, String, String)> {
    let with_body = CALLS.into_iter().filter(|(_, _, body)| !body.is_empty());
    let filled = with_body.map(|(method, path, body)| (method, place.fill(path), place.fill(body)));
    filled.collect()
}

const JSON: Option<&str> = Some("application/json");

story! {
    async fn a_body_is_json_and_says_so(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for (method, path, body) in calls_with_body(&place) {
            for kind in [
                None,
                Some(""),
                Some("text/plain"),
                Some("text/json"),
                Some("application/json-patch+json"),
                Some("application/jsonx"),
                Some("application/x-www-form-urlencoded"),
                Some("multipart/form-data; boundary=seam"),
                Some("application/json, text/plain"),
            ] {
                let call = (method, path.clone());
                let answer = send_body(&agent, call, kind, body.clone()).await;
                let failure = answer.failure();
                let expected = "415 media_type_unsupported: ";
                assert!(failure.starts_with(expected), "{method} {path} {kind:?}: {failure}");
            }
        }
        assert_eq!(agent.history_lines(place.listing).await.len(), 1);
    }
}

story! {
    async fn parameters_and_case_of_the_content_type_do_not_matter(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for kind in [
            "application/json",
            "application/json; charset=utf-8",
            "application/json;charset=UTF-8",
            "Application/JSON",
            "application/json ; foo=\"bar\"",
        ] {
            let call = ("PATCH", format!("/listing/{listing}"));
            let answer = send_body(&agent, call, Some(kind), r#"{"price": 7}"#).await;
            assert_eq!(answer.status, 200, "{kind}");
        }
    }
}

story! {
    async fn a_body_that_is_no_json_object_is_malformed(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let deep = "[".repeat(30_000) + &"]".repeat(30_000);
        let deep_member = format!(r#"{{"seller": {deep}}}"#);
        let objects = r#"{"a":"#.repeat(8000) + "1" + &"}".repeat(8000);
        let bodies: [&[u8]; 25] = [
            b"",
            b" ",
            b"{",
            b"{}}",
            b"{} {}",
            b"null",
            b"true",
            b"1",
            b"\"{}\"",
            b"[]",
            b"[{}]",
            b"{price: 1}",
            b"{'price': 1}",
            b"{\"price\": 1,}",
            b"{\"price\" 1}",
            b"{\"price\": 01}",
            b"{\"price\": +1}",
            b"{\"price\": NaN}",
            b"{\"price\": 1} // one",
            b"price=1",
            b"{\"name\": \"\xff\xfe\"}",
            b"{\"name\": \"a\nb\"}",
            deep.as_bytes(),
            deep_member.as_bytes(),
            objects.as_bytes(),
        ];
        for (method, path, _body) in calls_with_body(&place) {
            for body in &bodies {
                let call = (method, path.clone());
                let answer = send_body(&agent, call, JSON, body.to_vec()).await;
                let failure = answer.failure();
                let start = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
                let expected = "400 body_malformed: ";
                assert!(failure.starts_with(expected), "{method} {path} {start}: {failure}");
                assert!(answer.body.len() < 1024, "{method} {path} {start}");
            }
        }
        assert_eq!(agent.history_lines(place.listing).await.len(), 1);
    }
}

story! {
    async fn of_a_member_that_stands_twice_the_last_one_counts(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let call = ("PATCH", format!("/listing/{listing}"));
        let body = r#"{"price": 5, "price": 6, "colour": 1, "colour": 2}"#;
        let answer = send_body(&agent, call, JSON, body).await;
        assert_eq!(answer.json()["data"]["attributes"]["price"], 6);
        let call = ("PATCH", format!("/listing/{listing}"));
        let answer = send_body(&agent, call, JSON, r#"{"price": 5, "price": "x"}"#).await;
        assert_eq!(answer.status, 422);
        assert_eq!(agent.attributes(listing).await["price"], 6);
    }
}

/// A body with spaces behind it.
fn padded(body: &str, bytes: usize) -> String {
    body.to_owned() + &" ".repeat(bytes - body.len())
}

/// A body that does not tell its length.
struct Unmeasured(Vec<u8>);

impl Body for Unmeasured {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(1000);
        let rest = self.0.split_off(length);
        let next = std::mem::replace(&mut self.0, rest);
        let frame = (!next.is_empty()).then(|| Ok(Frame::data(Bytes::from(next))));
        Poll::Ready(frame)
    }
}

story! {
    async fn a_body_has_at_most_64_kib(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for (method, path, body) in calls_with_body(&place) {
            let call = || (method, path.clone());
            let too_long = padded(&body, BODY_BYTES_MAX + 1);
            let answer = send_body(&agent, call(), JSON, too_long.clone()).await;
            let failure = answer.failure();
            assert!(failure.starts_with("413 body_too_large: "), "{method} {path}: {failure}");
            assert!(failure.contains("64 KiB") || failure.contains("65536"), "{failure}");
            // Also where the length is not told before.
            let streamed = reqwest::Body::wrap(Unmeasured(too_long.into_bytes()));
            let answer = send_body(&agent, call(), JSON, streamed).await;
            assert_eq!(answer.failure(), failure, "{method} {path}");
        }
        for (method, path, body) in calls_with_body(&place) {
            let fits = padded(&body, BODY_BYTES_MAX);
            let answer = send_body(&agent, (method, path.clone()), JSON, fits).await;
            assert!(answer.status < 300, "{method} {path}: {}", answer.status);
        }
    }
}

story! {
    async fn calls_without_a_body_pass_over_any(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let no_body = CALLS.into_iter().filter(|(_, _, body)| body.is_empty());
        for (index, call) in no_body.enumerate() {
            if matches!(call.1, "/listing/chain/{listing}/add/top/{third}" | "/listing/{other}") {
                continue;
            }
            let kind = ["text/plain", "application/json", "application/xml"][index % 3];
            let request = place.request(&agent, call).header("content-type", kind);
            let answer = send(request.body("{{{ not json")).await;
            assert!(answer.status < 300, "{call:?}: {}", answer.status);
        }
    }
}

story! {
    async fn hostile_texts_are_refused_or_kept_as_they_are(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}");
        for text in [
            "'; drop table listing; --",
            "<script>alert(1)</script>",
            "{{7*7}} ${7*7}",
            "שדרות 16",
            "👩\u{200d}👩\u{200d}👧 & Co",
            "$1 %s \\",
        ] {
            let body = json!({"parties": {"sellerConveyancer": text}});
            assert_eq!(agent.patch(&path, body).await.status, 200, "{text}");
            for filter in [("/branch/filter", "name"), ("/address/filter", "full_address")] {
                let answer = agent.post(filter.0, json!({filter.1: text})).await;
                assert!([200, 422].contains(&answer.status), "{text}: {}", answer.status);
            }
        }
        for text in ["\u{0}", "a\u{0}b", "\u{1b}[31m", "a\r\nX-Injected: 1"] {
            for filter in [("/branch/filter", "name"), ("/address/filter", "full_address")] {
                let answer = agent.post(filter.0, json!({filter.1: text})).await;
                let failure = answer.failure();
                let expected = format!("422 value_invalid ({}): ", filter.1);
                assert!(failure.starts_with(&expected), "{text:?}: {failure}");
            }
        }
        // Half of a surrogate pair is no text.
        for filter in [("/branch/filter", "name"), ("/address/filter", "full_address")] {
            let body = format!(r#"{{"{}": "\ud800"}}"#, filter.1);
            let answer = send_body(&agent, ("POST", filter.0.to_owned()), JSON, body).await;
            let failure = answer.failure();
            assert!(failure.starts_with("400 body_malformed: "), "{failure}");
        }
    }
}

story! {
    async fn ids_in_paths_are_positive_integers(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for id in [
            "0", "-1", "+1", "1.0", "1e0", "01x", "x", "%31x", "null", "%00", "%ff", "0x1",
            "9007199254740992", "9223372036854775807", "9223372036854775808",
            "99999999999999999999999999", "%F0%9F%8F%A0", "1%20", "'", "١",
        ] {
            for (method, path) in [
                (Method::GET, format!("/listing/{id}")),
                (Method::PATCH, format!("/listing/{id}")),
                (Method::DELETE, format!("/listing/{id}")),
                (Method::GET, format!("/listing/{id}/milestone/sstc")),
                (Method::GET, format!("/listing/{id}/relationships/milestones")),
                (Method::GET, format!("/listing/{id}/is-complete")),
                (Method::GET, format!("/listing/{id}/lagging")),
                (Method::GET, format!("/listing/{id}/history")),
                (Method::POST, format!("/listing/{id}/reopen-enquiries")),
                (Method::POST, format!("/listing/chain/{id}/check/top")),
                (Method::POST, format!("/listing/chain/{id}/add/top/{listing}")),
                (Method::POST, format!("/listing/chain/{listing}/add/top/{id}")),
                (Method::GET, format!("/chain/{id}/listings")),
                (Method::GET, format!("/milestone_type/{id}/relationships/milestones")),
                (Method::GET, format!("/milestone_group/1/branch/{id}/listing/{listing}/workflow")),
                (
                    Method::GET,
                    format!("/milestone_group/1/branch/{}/listing/{id}/workflow", agent.branch),
                ),
            ] {
                let request = agent.request(method.clone(), &path).json(&json!({"price": 1}));
                let answer = send(request).await;
                let failure = answer.failure();
                assert!(failure.starts_with("404 "), "{method} {path}: {failure}");
                let body: Value = answer.json();
                assert_eq!(body["message"], body["errors"][0]["detail"], "{method} {path}");
            }
        }
    }
}
