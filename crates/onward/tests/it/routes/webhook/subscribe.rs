//! `POST /api/v1/webhook/subscribe`.

mod callbacks;
mod received;

use serde_json::{Value, json};
use storage::StorageError;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::test_server::{Answer, At};
use crate::tls::{connect, exchange, trusting};
use crate::{sqlite_story, story};

/// A subscription without its id, which differs in each run.
fn shown(answer: &Answer) -> Value {
    let mut body = answer.json();
    let id = body["subscriptionId"].take();
    assert!(uuid::Uuid::parse_str(id.as_str().unwrap()).is_ok(), "{id}");
    body
}

fn wish(url: &str) -> Value {
    json!({"participantName": "Example Lender", "callbackUrl": url, "events": ["fallthrough"]})
}

story! {
    async fn a_new_one_is_created_and_the_same_url_replaces_it(server) {
        let key = server.api_key("Example Lender").await;
        let url = "https://localhost/a?b=c";
        let first = server.post_webhook(&key, "/subscribe", wish(url)).await;
        assert_eq!(first.status, 201);
        assert_eq!(first.header("content-type"), "application/json");
        assert!(!first.header("x-request-id").is_empty());
        assert_eq!(shown(&first), json!({
            "subscriptionId": null, "participantName": "Example Lender", "callbackUrl": url,
            "events": ["fallthrough"], "status": "active",
            "createdAt": "2026-11-21T10:00:00Z", "updatedAt": "2026-11-21T10:00:00Z",
        }));
        server.clock.advance(60);
        let body = json!({
            "participantName": " Example  Bank ", "callbackUrl": url,
            "events": ["fallthrough", "milestone.updated", "fallthrough"],
        });
        let second = server.post_webhook(&key, "/subscribe", body).await;
        assert_eq!(second.status, 200);
        assert_eq!(first.json()["subscriptionId"], second.json()["subscriptionId"]);
        assert_eq!(shown(&second), json!({
            "subscriptionId": null, "participantName": "Example  Bank", "callbackUrl": url,
            "events": ["milestone.updated", "fallthrough"], "status": "active",
            "createdAt": "2026-11-21T10:00:00Z", "updatedAt": "2026-11-21T10:01:00Z",
        }));
    }
}

story! {
    async fn the_same_url_of_another_key_is_another_subscription(server) {
        let (one, other) = (server.api_key("One Ltd").await, server.api_key("Other Ltd").await);
        let url = "https://localhost/";
        let mut ids = Vec::new();
        for key in [&one, &other, &server.api_key("One Ltd").await] {
            let answer = server.post_webhook(key, "/subscribe", wish(url)).await;
            assert_eq!(answer.status, 201);
            ids.push(answer.json()["subscriptionId"].clone());
            let listed = server.webhook(key, ("GET", "/subscriptions"), None).await.json();
            assert_eq!(listed["data"].as_array().unwrap().len(), 1);
        }
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }
}

sqlite_story! {
    async fn every_wrong_field_is_named_at_once(server) {
        let key = server.api_key("Example Lender").await;
        let refused = async |body: Value| {
            server.post_webhook(&key, "/subscribe", body).await.wrong_values()
        };
        let missing = ["participantName: is missing", "callbackUrl: is missing", "events: is missing"];
        assert_eq!(refused(json!({})).await, missing);
        let nulls = json!({"participantName": null, "callbackUrl": null, "events": null});
        assert_eq!(refused(nulls).await, missing);
        let kinds = json!({"participantName": 5, "callbackUrl": ["https://a.example"], "events": [1]});
        assert_eq!(refused(kinds).await, [
            "participantName: must be a string",
            "events: must be a string or an array of strings",
            "callbackUrl: must be a string",
        ]);
        let empty = json!({"participantName": " ", "callbackUrl": "", "events": []});
        assert_eq!(refused(empty).await, [
            "participantName: must have 1 to 200 characters",
            "events: is empty: name at least one of `milestone.updated`, `fallthrough`, `chain.changed`",
            "callbackUrl: the callback URL must begin with https://",
        ]);
        for (field, value) in [
            ("participantName", json!("x".repeat(201))),
            ("participantName", json!("a\u{0}b")),
            ("participantName", json!("a\nb")),
            ("events", json!(["fallthrough", "milestone.deleted"])),
            ("events", json!(["Fallthrough"])),
            ("events", json!([""])),
            ("events", json!({"fallthrough": true})),
            ("events", json!(true)),
        ] {
            let mut body = wish("https://localhost/");
            body[field] = value.clone();
            let errors = refused(body).await;
            assert_eq!(errors.len(), 1, "{value}: {errors:?}");
            assert!(errors[0].starts_with(&format!("{field}: ")), "{value}: {errors:?}");
        }
        let mut longest = wish("https://localhost/");
        longest["participantName"] = json!("\u{e9}".repeat(200));
        assert_eq!(server.post_webhook(&key, "/subscribe", longest).await.status, 201);
    }
}

story! {
    /// A subscription does not outlive its key, because nobody could delete it.
    async fn a_key_that_is_revoked_meanwhile_subscribes_nothing(server) {
        let key = server.api_key("Example Lender").await;
        let body = wish("https://localhost/a").to_string();
        let head = format!(
            "POST /api/v1/webhook/subscribe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
             X-Api-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Expect: 100-continue\r\n\r\n",
            body.len(),
        );
        let mut stream = connect(&server, At::Base, trusting(&server, None)).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        // The server asks for the body once it has accepted the key in the head.
        let mut interim = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
        stream.read_exact(&mut interim).await.unwrap();
        assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
        server.revoke_api_key(&key).await;
        let said = exchange(&mut stream, &body).await.unwrap();
        assert!(said.starts_with("HTTP/1.1 401 "), "{said}");
        let count = server.storage.read(|read| {
            read.query_exactly_one("select count(*) from subscription", &[], |row| row.integer(0))
        });
        let count: Result<i64, StorageError> = count.await;
        assert_eq!(count.unwrap(), 0);
    }
}
