//! Rules for bodies and for ids in paths (S-40, S-54).

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Method;
use hyper::body::{Body, Bytes, Frame};
use serde_json::json;

use super::place::{CALLS, Place};
use crate::test_server::{Answer, Client, send};
use crate::{sqlite_story, story};

const BODY_BYTES_MAX: usize = 64 * 1024;
const JSON: Option<&str> = Some("application/json");

/// Makes a call with this body and content type.
async fn send_body(
    agent: &Client,
    (method, path): (&str, &str),
    kind: Option<&str>,
    body: impl Into<reqwest::Body>,
) -> Answer {
    let mut request = agent.request(method.parse().unwrap(), path).body(body);
    if let Some(kind) = kind {
        request = request.header("content-type", kind);
    }
    send(request).await
}

/// Method, path and body of the calls that read a body.
fn calls_with_body(place: &Place) -> Vec<(&'static str, String, String)> {
    let with_body = CALLS.into_iter().filter(|call| !call.2.is_empty());
    let filled = with_body.map(|(method, path, body)| (method, place.fill(path), place.fill(body)));
    filled.collect()
}

/// Bodies that are no JSON object.
#[rustfmt::skip]
const MALFORMED: [&[u8]; 22] = [
    b"", b" ", b"{", b"{}}", b"{} {}", b"null", b"true", b"1", b"\"{}\"", b"[]", b"[{}]",
    b"{price: 1}", b"{'price': 1}", b"{\"price\": 1,}", b"{\"price\" 1}", b"{\"price\": 01}",
    b"{\"price\": NaN}", b"{\"price\": 1e999}", b"{\"price\": 1} // one", b"price=1",
    b"{\"name\": \"\xff\xfe\"}", b"{\"name\": \"\\ud800\"}",
];

sqlite_story! {
    async fn a_body_is_one_json_object_and_says_so(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let before = agent.see_all().await;
        let deep = "[".repeat(30_000) + &"]".repeat(30_000);
        let deep_member = format!(r#"{{"seller": {deep}}}"#);
        let objects = r#"{"a":"#.repeat(8000) + "1" + &"}".repeat(8000);
        let mut malformed = MALFORMED.to_vec();
        malformed.extend([deep.as_bytes(), deep_member.as_bytes(), objects.as_bytes(),
            b"{\"name\": \"a\nb\"}"]);
        for (method, path, body) in calls_with_body(&place) {
            let call = (method, path.as_str());
            for kind in [None, Some(""), Some("text/plain"), Some("text/json"),
                Some("application/json-patch+json"), Some("application/jsonx"),
                Some("application/x-www-form-urlencoded"), Some("application/problem+json"),
                Some("multipart/form-data; boundary=seam"), Some("application/json, text/plain"),
                Some("application/jsonp; application/json"),
            ] {
                let answer = send_body(&agent, call, kind, body.clone()).await;
                assert_eq!(answer.code(), "415 media_type_unsupported", "{call:?} {kind:?}");
            }
            for encoding in ["gzip", "identity, br", "deflate"] {
                let request = agent.request(method.parse().unwrap(), &path).body(body.clone());
                let request = request.header("content-type", "application/json");
                let answer = send(request.header("content-encoding", encoding)).await;
                assert_eq!(answer.code(), "415 content_encoded", "{call:?} {encoding}");
            }
            for body in &malformed {
                let answer = send_body(&agent, call, JSON, body.to_vec()).await;
                let start = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
                assert_eq!(answer.code(), "400 body_malformed", "{call:?} {start}");
                assert!(answer.body.len() < 1024, "{call:?} {start}");
            }
        }
        assert_eq!(agent.see_all().await, before);
        let call = ("PATCH", &*format!("/listing/{}", place.listing));
        for kind in ["application/json; charset=utf-8", "application/json;charset=UTF-8",
            "Application/JSON", "application/json ; foo=\"bar\""] {
            let answer = send_body(&agent, call, Some(kind), r#"{"price": 7}"#).await;
            assert_eq!(answer.status, 200, "{kind}");
        }
    }
}

sqlite_story! {
    async fn an_unknown_or_repeated_member_is_refused_and_named(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let before = agent.see_all().await;
        for (method, path, body) in calls_with_body(&place) {
            let call = (method, path.as_str());
            let first = body.split('"').nth(1).unwrap().to_owned();
            let twice = body.replacen('{', &format!("{{\"{first}\": 1, "), 1);
            let answer = send_body(&agent, call, JSON, twice).await;
            let named = format!("422 value_invalid ({first}): {first}: is given twice");
            assert!(answer.failure().contains(&named), "{call:?} {}", answer.failure());
            let unknown = body.replacen('{', r#"{"colour": 1, "#, 1);
            let answer = send_body(&agent, call, JSON, unknown).await;
            let named = "422 value_invalid (colour): colour: is not known here; known are ";
            assert!(answer.failure().contains(named), "{call:?} {}", answer.failure());
            assert!(answer.failure().contains(&first), "{call:?} {}", answer.failure());
        }
        let call = ("PATCH", &*format!("/listing/{}", place.listing));
        for (body, named) in [
            (r#"{"parties": {"sellerConveyancer": "A", "sellerConveyancer": "B"}}"#,
                "parties.sellerConveyancer: is given twice"),
            (r#"{"parties": {"seller": "A"}}"#,
                "parties.seller: is not known here; known are buyerConveyancer, sellerConveyancer"),
            (r#"{"price": null}"#, "price: must not be null"),
            (r#"{"is_locked": null}"#, "is_locked: must not be null"),
        ] {
            let failure = send_body(&agent, call, JSON, body).await.failure();
            assert!(failure.contains(named), "{body}: {failure}");
        }
        // Many unknown members do not make a long answer.
        let many: Vec<String> = (0..5000).map(|number| format!("\"m{number}\": 1")).collect();
        let answer = send_body(&agent, call, JSON, format!("{{{}}}", many.join(","))).await;
        assert!(answer.status == 422 && answer.body.len() < 8192, "{}", answer.body.len());
        assert_eq!(agent.see_all().await, before);
    }
}

story! {
    async fn what_was_sent_is_read_back_and_null_clears_it(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let path = format!("/listing/{listing}");
        let sent = json!({"tenure": "freehold", "transaction_type": ["probate", "auction"],
            "parties": {"sellerConveyancer": "Quill & Co", "buyerConveyancer": "Deeds LLP"}});
        agent.patch(&path, sent.clone()).await;
        let read = |attributes: &serde_json::Value| json!({
            "tenure": attributes["tenure"], "transaction_type": attributes["transaction_type"],
            "parties": attributes["parties"],
        });
        assert_eq!(read(&agent.attributes(listing).await), sent);
        let parties = json!({"parties": {"buyerConveyancer": null}, "tenure": null});
        agent.patch(&path, parties).await;
        assert_eq!(read(&agent.attributes(listing).await), json!({
            "tenure": null, "transaction_type": ["probate", "auction"],
            "parties": {"sellerConveyancer": "Quill & Co", "buyerConveyancer": null},
        }));
        agent.patch(&path, json!({"parties": null, "transaction_type": null})).await;
        assert_eq!(read(&agent.attributes(listing).await), json!({
            "tenure": null, "transaction_type": [],
            "parties": {"sellerConveyancer": null, "buyerConveyancer": null},
        }));
    }
}

/// A body without a `Content-Length`.
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

sqlite_story! {
    async fn a_body_has_at_most_64_kib(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let padded = |body: &str, bytes: usize| body.to_owned() + &" ".repeat(bytes - body.len());
        for (method, path, body) in calls_with_body(&place) {
            let call = (method, path.as_str());
            let too_long = padded(&body, BODY_BYTES_MAX + 1);
            let answer = send_body(&agent, call, JSON, too_long.clone()).await;
            assert_eq!(answer.code(), "413 body_too_large", "{call:?}");
            assert!(answer.failure().contains("65536 bytes"), "{}", answer.failure());
            // The limit holds without a `Content-Length` as well.
            let streamed = reqwest::Body::wrap(Unmeasured(too_long.into_bytes()));
            let again = send_body(&agent, call, JSON, streamed).await;
            assert_eq!(again.failure(), answer.failure(), "{call:?}");
        }
        for (method, path, body) in calls_with_body(&place) {
            let fits = padded(&body, BODY_BYTES_MAX);
            let answer = send_body(&agent, (method, &path), JSON, fits).await;
            assert!(answer.status < 300, "{method} {path}: {}", answer.status);
        }
    }
}

sqlite_story! {
    async fn calls_without_a_body_ignore_it_up_to_64_kib(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for (index, call) in CALLS.into_iter().filter(|call| call.2.is_empty()).enumerate() {
            if call.1.contains("/add/") || call.1 == "/listing/{other}" {
                continue;
            }
            // Where S-45 does not say so, JSON with members is refused (S-57).
            let ignores_json = call.0 == "GET" || call.1.contains("/listing/chain/");
            let kind = match ["text/plain", "application/json", "application/xml", ""][index % 4] {
                "application/json" if !ignores_json => "text/plain",
                kind => kind,
            };
            let body = [&b"{{{ not json"[..], b"\xff\x00", br#"{"top": "x", "seller": 1}"#][index % 3];
            let request = place.request(&agent, call).header("content-type", kind);
            let answer = send(request.body(body)).await;
            assert!(answer.status < 300, "{call:?}: {}", answer.status);
            if call.0 != "GET" {
                let too_large = place.request(&agent, call).body(vec![b' '; BODY_BYTES_MAX + 1]);
                assert_eq!(send(too_large).await.code(), "413 body_too_large", "{call:?}");
            }
        }
    }
}

story! {
    async fn hostile_texts_are_refused_or_kept_as_they_are(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let path = format!("/listing/{listing}");
        let filters = [("/branch/filter", "name"), ("/address/filter", "full_address")];
        for text in ["'; drop table listing; --", "<script>alert(1)</script>", "{{7*7}} ${7*7}",
            "שדרות 16", "👩 & Co", "$1 %s \\"] {
            let body = json!({"parties": {"sellerConveyancer": text}});
            assert_eq!(agent.patch(&path, body).await.status, 200, "{text}");
            for (path, member) in filters {
                let answer = agent.post(path, json!({member: text})).await;
                assert!([200, 422].contains(&answer.status), "{text}: {}", answer.status);
            }
        }
        let joined = json!({"parties": {"sellerConveyancer": "👩\u{200d}👩\u{200d}👧 & Co"}});
        assert_eq!(agent.patch(&format!("/listing/{listing}"), joined).await.status, 422);
        for text in ["\u{0}", "a\u{0}b", "\u{1b}[31m", "a\r\nX-Injected: 1"] {
            for (path, member) in filters {
                let answer = agent.post(path, json!({member: text})).await;
                assert_eq!(answer.code(), format!("422 value_invalid ({member})"), "{text:?}");
            }
        }
    }
}

sqlite_story! {
    async fn ids_in_paths_are_positive_integers(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let ids = ["0", "-1", "+1", "1.0", "1e0", "01x", "x", "%31x", "null", "%00", "%ff", "0x1",
            "9007199254740992", "9223372036854775807", "9223372036854775808",
            "99999999999999999999999999", "%F0%9F%8F%A0", "1%20", "'", "١"];
        let names = ["{listing}", "{other}", "{third}", "{fourth}", "{branch}", "{chain}"];
        for (method, path, body) in CALLS {
            let own = path.split('?').next().unwrap_or_default();
            for name in names.into_iter().filter(|name| own.contains(name)) {
                for id in ids {
                    let path = place.fill(&path.replace(name, id));
                    let method: Method = method.parse().unwrap();
                    let request = agent.request(method, &path);
                    let request = request.header("content-type", "application/json");
                    let answer = send(request.body(place.fill(body))).await;
                    assert!(answer.code().starts_with("404 "), "{path}: {}", answer.failure());
                    let body = answer.json();
                    assert_eq!(body["message"], body["errors"][0]["detail"], "{path}");
                }
            }
        }
        // A text that is too long for an id is cut in the answer.
        let long = "7".repeat(2000);
        assert_eq!(
            agent.get(&format!("/listing/{long}")).await.failure(),
            format!("404 listing_unknown: listing {} does not exist", &long[..64])
        );
    }
}
