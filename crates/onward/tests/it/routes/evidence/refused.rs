//! Who gets no pack.

use serde_json::{Value, json};
use signing::key::SigningKey;
use signing::keyring::Purpose;
use signing::{base64url, canonical};

use super::proofs::rotate;
use super::{JSON, PATH, read_pack};
use crate::query::rows::Rows;
use crate::query::versions::SCOPES;
use crate::test_server::{TestServer, send};
use crate::{sqlite_story, story};

/// The longest body, in bytes.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
const FOREIGN: &str = "422 not-provable: No key of this service signed this answer";
const NOT_KEPT: &str = "422 not-provable: A state in this answer is not kept any more";
const NO_STATE: &str = "422 not-provable: This answer shows no chain of the chain query";
const NO_ANSWER: &str = "422 not-provable: The body is not an answer of the chain query";

/// An answer about this data, signed with this key.
fn sign(key: &SigningKey, kid: &str, data: &Value) -> Vec<u8> {
    let bytes = canonical::canonicalize(data).unwrap();
    let hash = json!({"alg": "SHA-256", "value": base64url::encode(&canonical::digest(&bytes))});
    let signature = base64url::encode(&key.sign(&bytes).unwrap());
    let provenance = json!({"alg": "RS256", "kid": kid, "payloadHash": hash, "signature": signature,
        "signedAt": "2026-11-21T10:00:00Z"});
    serde_json::to_vec(&json!({"data": data, "provenance": provenance})).unwrap()
}

impl TestServer {
    async fn provenance_key(&self) -> std::sync::Arc<SigningKey> {
        let snapshot = self.node.foundation.registry.snapshot().await.unwrap();
        std::sync::Arc::clone(snapshot.keyring.current(Purpose::Provenance).unwrap())
    }
}

story! {
    async fn only_an_answer_of_this_service_about_a_kept_state_gets_a_pack(server) {
        server.import(Rows::new().sales([1, 2]).link(2, 1).lines()).await;
        let lender = server.client("auditor", &SCOPES, &[]).await;
        let answer = lender.ask_uprns(&[1]).await;
        lender.wait_for_evidence(&server, &answer.body).await;
        let own = server.provenance_key().await;
        let other = SigningKey::generate(own.algorithm()).unwrap();
        let genuine = answer.json();
        let data = &genuine["data"];
        let changed = |pointer: &str, value: Value| {
            let mut data = data.clone();
            *data.pointer_mut(pointer).unwrap() = value;
            data
        };
        let tampered = |pointer: &str, value: Value| {
            let mut answer = genuine.clone();
            *answer.pointer_mut(pointer).unwrap() = value;
            serde_json::to_vec(&answer).unwrap()
        };
        let chain = data["data"][0]["chainId"].as_str().unwrap();
        let version = lender.read_below(&format!("{chain}/versions/1")).await;
        assert_eq!(version.status, 200);
        let empty = lender.ask_at("?page=9", &[("inputType", "uprn"), ("value[]", "1")]).await;
        assert_eq!(empty.chains().len(), 0);
        let mut twice = data.clone();
        twice["data"].as_array_mut().unwrap().push(data["data"][0].clone());
        let beside = {
            let mut data = data.clone();
            data["data"][0]["note"] = "paid".into();
            data
        };
        for (body, refused) in [
            // Of nobody, or of another service.
            (tampered("/data/data/0/properties/0/isTopClosed", true.into()), FOREIGN),
            (tampered("/data/data/0/queriedAddress", "elsewhere".into()), FOREIGN),
            (tampered("/provenance/kid", other.kid().into()), FOREIGN),
            (tampered("/provenance/alg", "PS256".into()), FOREIGN),
            (sign(&other, other.kid(), data), FOREIGN),
            (sign(&other, own.kid(), data), FOREIGN),
            // Of somebody who has the key: the log has no such state.
            (sign(&own, own.kid(), &changed("/data/0/properties/0/isTopClosed", true.into())), NOT_KEPT),
            (sign(&own, own.kid(), &changed("/data/0/chainSummary/chainLength", 3.into())), NOT_KEPT),
            (sign(&own, own.kid(), &changed("/data/0/chainId", "0".into())), NOT_KEPT),
            (sign(&own, own.kid(), &beside), NOT_KEPT),
            // Other answers.
            (version.body.clone(), NO_STATE),
            (empty.body.clone(), NO_STATE),
            (sign(&own, own.kid(), &changed("/data/0", 1.into())), NO_STATE),
            (b"{}".to_vec(), NO_ANSWER),
            (b"null".to_vec(), NO_ANSWER),
            (b"".to_vec(), NO_ANSWER),
            (answer.body[..answer.body.len() - 1].to_vec(), NO_ANSWER),
            (tampered("/provenance", Value::Null), NO_ANSWER),
        ] {
            let found = lender.ask_evidence(&body).await.problem();
            assert!(found.starts_with(refused), "{found}: {}", String::from_utf8_lossy(&body));
        }
        // A chain may stand there twice, but only with one content.
        lender.wait_for_evidence(&server, &sign(&own, own.kid(), &twice)).await;
        twice["data"][1]["properties"] = json!([]);
        let forged = lender.ask_evidence(&sign(&own, own.kid(), &twice)).await.problem();
        assert!(forged.starts_with(NOT_KEPT), "{forged}");
    }
}

sqlite_story! {
    async fn a_caller_needs_a_token_with_the_scope_and_a_bounded_request(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let lender = server.lender().await;
        let body = lender.ask_uprns(&[1]).await.body;
        lender.wait_for_evidence(&server, &body).await;
        let bare = || lender.at_base(&http::Method::POST, PATH).header("content-type", JSON);
        let no_token = send(bare().body(body.clone())).await;
        assert!(no_token.problem().starts_with("401 token-missing"), "{}", no_token.problem());
        let wrong = send(bare().bearer_auth("wrong").body(body.clone())).await;
        assert!(wrong.problem().starts_with("401 token-invalid"), "{}", wrong.problem());
        // Bound to the certificate of another client (RFC 8705).
        let other = server.client("other", &["transaction-status"], &[]).await;
        let stolen = send(bare().bearer_auth(&other.token).body(body.clone())).await;
        assert!(stolen.problem().starts_with("401 token-invalid"), "{}", stolen.problem());
        let agent = server.agent("north").await;
        let unscoped = agent.ask_evidence(&body).await;
        assert!(unscoped.problem().starts_with("403 insufficient-scope"), "{}", unscoped.problem());
        let read = lender.at_base(&http::Method::GET, PATH).bearer_auth(&lender.token);
        assert_eq!(send(read).await.problem(), "405 method-not-allowed: Use POST.");
        let unknown = send(lender.evidence_request("?only=1", &body)).await.problem();
        let expected = "422 values-invalid: only: is not known here; this call has no parameters in its URL";
        assert_eq!(unknown, expected);
        let form = lender.at_base(&http::Method::POST, PATH).bearer_auth(&lender.token);
        let form = send(form.form(&[("answer", "1")])).await;
        assert_eq!(form.problem(), "415 media-type-unsupported: Send the body as application/json.");
        let encoded = lender.evidence_request("", &body).header("content-encoding", "gzip");
        assert!(send(encoded).await.problem().starts_with("415 content-encoded"));
        let padded = |length: usize| {
            let mut padded = body.clone();
            padded.resize(length, b' ');
            padded
        };
        let large = lender.ask_evidence(&padded(BODY_BYTES_MAX + 1)).await.problem();
        assert_eq!(large, format!("413 body-too-large: The limit is {BODY_BYTES_MAX} bytes."));
        assert_eq!(lender.ask_evidence(&padded(BODY_BYTES_MAX)).await.status, 200);
    }
}

sqlite_story! {
    async fn evidence_counts_as_queries_do(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let lender = server.lender().await;
        let body = lender.ask_uprns(&[1]).await.body;
        lender.wait_for_evidence(&server, &body).await;
        server = server.limited_to(3).await;
        let lender = lender.after_restart(&server);
        assert_eq!(lender.ask_uprns(&[1]).await.requests_left(), 2);
        assert_eq!(lender.ask_evidence(&body).await.requests_left(), 1);
        assert_eq!(lender.ask_evidence(b"{}").await.requests_left(), 0);
        let limited = lender.ask_evidence(&body).await.problem();
        assert!(limited.starts_with("429 rate-limited"), "{limited}");
    }
}

story! {
    async fn a_state_that_is_not_logged_yet_gets_its_pack_later(server) {
        server = server.without_sequencer().await;
        server.import(Rows::new().sales([1]).lines()).await;
        let lender = server.lender().await;
        let answer = lender.ask_uprns(&[1]).await;
        let waiting = lender.ask_evidence(&answer.body).await;
        let expected = "409 not-logged: The log does not show this state and its key yet: ask again in 1 s.";
        assert_eq!(waiting.problem(), expected);
        assert_eq!(waiting.header("retry-after"), "1");
        // A checkpoint shows the key, and then other changes of it wait.
        server.append_all().await;
        let lender = lender.renewed(&server).await;
        assert_eq!(lender.ask_evidence(&answer.body).await.status, 200);
        rotate(&server).await;
        assert_eq!(lender.ask_evidence(&answer.body).await.problem(), expected);
        server.append_all().await;
        let lender = lender.renewed(&server).await;
        let pack = lender.ask_evidence(&answer.body).await;
        server.verify(&pack.body).await;
        let keys = read_pack(&pack).keys;
        assert_eq!(keys.last().unwrap().statement.state, evidence::entry::KeyState::Retired);
    }
}

story! {
    async fn a_state_that_no_checkpoint_shows_is_not_logged(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let listing = agent.list(7).await;
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
        assert_eq!(agent.record(listing, "sstc", "2026-03-01").await.status, 200);
        let answer = lender.ask_uprns(&[7]).await;
        // The entries are in the store, and the checkpoint is not signed.
        server.append_unsigned().await;
        let lender = lender.renewed(&server).await;
        let waiting = lender.ask_evidence(&answer.body).await;
        assert!(waiting.problem().starts_with("409 not-logged"), "{}", waiting.problem());
        server.append_all().await;
        let lender = lender.renewed(&server).await;
        let pack = lender.ask_evidence(&answer.body).await;
        server.verify(&pack.body).await;
    }
}

story! {
    async fn without_a_checkpoint_file_postgres_has_no_log_and_no_evidence(server) {
        server = server.reconfigure(|config| config.state_log_checkpoint_file.clear()).await;
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        agent.list(7).await;
        let answer = lender.ask_uprns(&[7]).await;
        if server.config.store.starts_with("postgres") {
            let refused = lender.ask_evidence(&answer.body).await.problem();
            let expected = "404 not-found: This service keeps no log of states, so it makes no evidence.";
            assert_eq!(refused, expected);
        } else {
            // The file is beside the store.
            let pack = lender.wait_for_evidence(&server, &answer.body).await;
            server.verify(&pack.body).await;
        }
    }
}
