//! Credentials that end while the body of a request comes in: the change does not happen.

use serde_json::{Value, json};
use signing::base64url;
use storage::revoked_tokens::{RevokedToken, insert_revoked_token};
use storage::{StorageError, api_keys, people, sessions};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::query::rows::Rows;
use crate::query::versions::SCOPES;
use crate::test_server::{At, CONSOLE_URL, Client, TestServer};
use crate::tls::{connect, trusting};
use crate::{sqlite_story, story};

/// A request of which the server has read the head: it has proved the caller, and asks for the body.
struct Begun<S> {
    stream: S,
    body: String,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Begun<S> {
    async fn new(mut stream: S, line: &str, fields: &[String], body: String) -> Self {
        let (fields, length) = (fields.join("\r\n"), body.len());
        let head = format!(
            "{line} HTTP/1.1\r\n{fields}\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let wanted = b"HTTP/1.1 100 Continue\r\n\r\n";
        let mut said = vec![0; wanted.len()];
        stream.read_exact(&mut said).await.unwrap();
        assert_eq!(said, wanted, "{}", String::from_utf8_lossy(&said));
        Self { stream, body }
    }

    /// Sends the body. Returns the status of the answer.
    async fn end(mut self) -> String {
        self.stream.write_all(self.body.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        self.stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        answer.split(' ').nth(1).unwrap_or(&answer).to_owned()
    }
}

/// Begins a call with the token of a client.
async fn begin_call(
    server: &TestServer,
    client: &Client,
    at: At,
    line: &str,
    body: &Value,
) -> Begun<TlsStream<TcpStream>> {
    let config = trusting(server, Some(&client.registration.identity));
    let stream = connect(server, at, config).await.unwrap();
    let fields = [
        "Host: localhost".to_owned(),
        format!("Authorization: Bearer {}", client.token),
        "Content-Type: application/json".to_owned(),
        format!("Idempotency-Key: {}", uuid::Uuid::new_v4()),
    ];
    Begun::new(stream, line, &fields, body.to_string()).await
}

async fn revoke(server: &TestServer, client: &Client) {
    let claims = client.token.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&base64url::decode_strict(claims).unwrap()).unwrap();
    let token = RevokedToken {
        token_id: claims["jti"].as_str().unwrap().to_owned(),
        expires_at: claims["exp"].as_i64().unwrap(),
    };
    let revoking = server
        .storage
        .write(move |write| insert_revoked_token(write, &token));
    assert!(revoking.await.unwrap());
}

async fn count(server: &TestServer, sql: &'static str) -> i64 {
    let counting = server
        .storage
        .read(|read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    let counted: Result<i64, StorageError> = counting.await;
    counted.unwrap()
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Disabled,
    Revoked,
    OtherBranches,
}

async fn end(server: &TestServer, client: &Client, ending: Ending) {
    match ending {
        Ending::Disabled => server.disable_client(&client.registration.id).await,
        Ending::Revoked => revoke(server, client).await,
        Ending::OtherBranches => server.set_branches(client, &[]).await,
    }
}

story! {
    async fn a_client_that_ends_meanwhile_changes_no_listing(server) {
        let other = server.agent("other").await;
        for (ending, uprn) in [(Ending::Disabled, 1), (Ending::Revoked, 3), (Ending::OtherBranches, 5)] {
            let agent = server.agent(&format!("{ending:?}")).await;
            let mut all = Vec::new();
            for (client, uprn) in [(&agent, uprn), (&other, uprn + 1)] {
                let listing = client.list(uprn).await;
                let line = format!("PUT /api/v1/listing/{listing}/milestone/sstc");
                let date = json!({"date": "2026-11-20"});
                all.push(begin_call(&server, client, At::Listing, &line, &date).await);
            }
            end(&server, &agent, ending).await;
            let mut statuses = Vec::new();
            for begun in all {
                statuses.push(begun.end().await);
            }
            assert_eq!(statuses, ["401", "200"], "{ending:?}");
        }
        // Only those of the other client.
        assert_eq!(count(&server, "select count(*) from milestone").await, 3);
    }
}

story! {
    async fn a_holder_that_ends_meanwhile_changes_nothing(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let event = json!({"eventType": "fallthrough", "uprn": 9});
        let body = event.to_string();
        let stream = connect(&server, At::Base, trusting(&server, None)).await;
        let fields = [
            "Host: localhost".to_owned(),
            format!("X-Api-Key: {key}"),
            "Content-Type: application/json".to_owned(),
        ];
        let simulate = "POST /api/v1/webhook/simulate";
        let begun = Begun::new(stream.unwrap(), simulate, &fields, body).await;
        let id: i64 = key.split('_').nth(1).unwrap().parse().unwrap();
        let now = server.now();
        let revoking = server.storage.write(move |write| api_keys::revoke_api_key(write, id, now));
        revoking.await.unwrap().unwrap();
        assert_eq!(begun.end().await, "401");
        for ending in [Ending::Disabled, Ending::Revoked] {
            let name = format!("{ending:?}");
            let lender = server.client(&name, &["transaction-status"], &[]).await;
            let wish = json!({"participantName": "Lender", "callbackUrl": receiver.url, "events": ["fallthrough"]});
            let begun = begin_call(&server, &lender, At::Base, "POST /api/v1/webhook/subscribe", &wish).await;
            end(&server, &lender, ending).await;
            assert_eq!(begun.end().await, "401", "{ending:?}");
        }
        let changes = "select (select count(*) from subscription) + (select count(*) from delivery)";
        assert_eq!(count(&server, changes).await, 1, "{subscription}");
    }
}

story! {
    async fn a_person_whose_session_ends_meanwhile_changes_nothing(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        for is_disabled in [false, true] {
            let person = server.add_person("progressor", &["north"]).await;
            let mut kim = server.browser();
            kim.enter(person).await;
            let form = |fields: &[(&str, &str)]| {
                let mut form = form_urlencoded::Serializer::new(String::new());
                form.extend_pairs(fields);
                form.finish()
            };
            let key = uuid::Uuid::new_v4().to_string();
            let date = form(&[("idempotency_key", &key), ("date", "2026-11-20"), ("action", "record"),
                ("seen", "nothing")]);
            let milestone = format!("POST /listings/{}/milestones/sstc", ids[0]);
            let chased = format!("POST /chase/{}/chased", ids[0]);
            // A refused note comes with the page of the sale.
            let note = format!("POST /listings/{}/notes", ids[0]);
            let mut all = Vec::new();
            for (line, body) in [
                (milestone.as_str(), date),
                (chased.as_str(), form(&[("filter", "")])),
                (note.as_str(), form(&[("idempotency_key", &key), ("text", "")])),
            ] {
                let url = server.url(At::Console, "");
                let address = url.trim_end_matches('/').rsplit('/').next().unwrap();
                let stream = TcpStream::connect(address).await.unwrap();
                let fields = [
                    format!("Host: {}", CONSOLE_URL.trim_start_matches("http://")),
                    format!("Origin: {CONSOLE_URL}"),
                    format!("Cookie: {}", kim.cookie().unwrap()),
                    "Content-Type: application/x-www-form-urlencoded".to_owned(),
                ];
                all.push(Begun::new(stream, line, &fields, body).await);
            }
            let now = server.now();
            let ending = server.storage.write(move |write| {
                if is_disabled {
                    people::disable_person(write, person, now)?;
                    Ok(())
                } else {
                    sessions::delete_sessions(write, person)
                }
            });
            ending.await.unwrap();
            for begun in all {
                assert_eq!(begun.end().await, "403", "{is_disabled}");
            }
        }
        let changes = "select (select count(*) from milestone) + (select count(*) from chase)";
        assert_eq!(count(&server, changes).await, 0);
    }
}

story! {
    async fn a_client_that_ends_meanwhile_is_told_nothing(server) {
        server.import(Rows::new().sales([1, 2]).link(2, 1).lines()).await;
        let kept = server.client("kept", &SCOPES, &[]).await;
        let answer = kept.ask_uprns(&[1]).await;
        kept.wait_for_evidence(&server, &answer.body).await;
        let home = json!({"full_address": "14 Example Road, Leeds, LS6 3AB"});
        let calls = [(At::Base, "POST /api/v1/evidence", answer.json()),
            (At::Listing, "POST /api/v1/address/filter", home)];
        for ending in [None, Some(Ending::Disabled), Some(Ending::Revoked)] {
            let lender = server.client(&format!("lender {ending:?}"), &SCOPES, &[]).await;
            let agent = server.agent(&format!("agent {ending:?}")).await;
            let mut all = Vec::new();
            for (client, (at, line, body)) in [&lender, &agent].into_iter().zip(&calls) {
                all.push(begin_call(&server, client, *at, line, body).await);
            }
            if let Some(ending) = ending {
                end(&server, &lender, ending).await;
                end(&server, &agent, ending).await;
            }
            let expected = if ending.is_some() { "401" } else { "200" };
            for begun in all {
                assert_eq!(begun.end().await, expected, "{ending:?}");
            }
        }
    }
}

sqlite_story! {
    async fn a_client_asks_for_one_pack_at_a_time(server) {
        server.import(Rows::new().sales([1, 2]).link(2, 1).lines()).await;
        let lender = server.client("lender", &SCOPES, &[]).await;
        let answer = lender.ask_uprns(&[1]).await;
        lender.wait_for_evidence(&server, &answer.body).await;
        let line = "POST /api/v1/evidence";
        let first = begin_call(&server, &lender, At::Base, line, &answer.json()).await;
        let second = lender.ask_evidence(&answer.body);
        tokio::pin!(second);
        let other = server.client("other", &SCOPES, &[]).await;
        tokio::select! {
            biased;
            answer = &mut second => panic!("{} beside another of the same client", answer.status),
            answer = other.ask_evidence(&answer.body) => assert_eq!(answer.status, 200),
        }
        assert_eq!(first.end().await, "200");
        assert_eq!(second.await.status, 200);
    }
}
