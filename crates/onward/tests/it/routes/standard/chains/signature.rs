//! The provenance block (S-13): which bytes the server signs, and how long each node reuses a
//! signature. Crate `signing` tests that no changed answer verifies.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;
use signing::{base64url, canonical};

use super::PATH;
use super::questions::read;
use super::rows::Rows;
use crate::test_server::{Answer, At};
use crate::{sqlite_story, story};

sqlite_story! {
    async fn the_bytes_sent_are_the_canonical_bytes_signed(server) {
        let rows = Rows::new().sales([1, 2, 3]).link(2, 1);
        server.import(rows.milestone(1, "sstc", "2026-06-01").lines()).await;
        let asker = server.lender().await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        check_provenance(&asker.ask_uprns(&[1, 2, 3, 1]).await, &keys);
        let past = asker.ask_at("?page=9", &[("inputType", "uprn"), ("value[]", "1")]).await;
        assert!(past.chains().is_empty());
        check_provenance(&past, &keys);
        // What is asked is signed as well, whatever it holds.
        for filling in ["", "\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1f}\u{7f}",
            "\u{2028}\u{2029}\u{feff}", "\u{1f3e0}\u{e000}\u{fffd}", "\u{202e}\u{200f}",
            "<>&'", "€“”"] {
            let answer = asker.ask_address(&format!("{filling}LS1 4AP{filling}")).await;
            assert_eq!(answer.status, 200, "{filling:?}");
            check_provenance(&answer, &keys);
        }
    }
}

/// Document 1's four verification rules, with a canonicaliser that is not the server's.
#[track_caller]
fn check_provenance(answer: &Answer, keys: &JwkSet) {
    let body = answer.json();
    let bytes = serde_json_canonicalizer::to_vec(&body["data"]).unwrap();
    let sent = answer.body.strip_prefix(b"{\"data\":").unwrap();
    assert!(sent.starts_with(&bytes), "{body}");
    let rest = &sent[bytes.len()..];
    assert!(rest.starts_with(b",\"provenance\":"), "{body}");
    let provenance = &body["provenance"];
    assert_eq!(provenance["alg"], "RS256");
    assert_eq!(provenance["payloadHash"]["alg"], "SHA-256");
    let digest = base64url::encode(&canonical::digest(&bytes));
    assert_eq!(provenance["payloadHash"]["value"], digest);
    let key = keys.find(provenance["kid"].as_str().unwrap()).unwrap();
    let signature = provenance["signature"].as_str().unwrap();
    let signature = base64url::decode_strict(signature).unwrap();
    key.verify(Algorithm::Rs256, &bytes, &signature).unwrap();
    verify_envelope(&answer.body, keys).unwrap();
}

sqlite_story! {
    async fn a_signature_is_reused_for_at_most_300_seconds(server) {
        let mut asker = server.lender_with_sales([1]).await;
        let first = asker.ask_uprns(&[1]).await.json();
        assert_eq!(first["provenance"]["signedAt"], "2026-11-21T10:00:00Z");
        // The rest of the ten minutes from 10:00:00 on.
        let mut times = vec![0];
        for elapsed in (0..=600).step_by(50) {
            if elapsed > 0 {
                server.clock.advance(50);
                asker = asker.renewed(&server).await;
            }
            let body = asker.ask_uprns(&[1]).await.json();
            // RS256 is deterministic: only the time shows a new signature.
            assert_eq!(body["data"], first["data"]);
            assert_eq!(body["provenance"]["signature"], first["provenance"]["signature"]);
            let signed_at = read_time(&body["provenance"]["signedAt"]);
            let age = elapsed - signed_at;
            assert!((0..=300).contains(&age), "reused after {age} s");
            assert_eq!(asker.ask_uprns(&[1]).await.json(), body, "asked twice in a second");
            if times.last() != Some(&signed_at) {
                times.push(signed_at);
            }
        }
        assert!((2..=4).contains(&times.len()), "signed at {times:?}");
        // Without reuse every second has its own signature.
        server = server.reconfigure(|config| config.signature_reuse_seconds = 0).await;
        let asker = server.sign_in(asker.registration).await;
        for elapsed in 0..3 {
            let body = asker.ask_uprns(&[1]).await.json();
            assert_eq!(read_time(&body["provenance"]["signedAt"]), elapsed);
            server.clock.advance(1);
        }
    }
}

/// Seconds since 10:00:00.
fn read_time(signed_at: &Value) -> i64 {
    let time = signed_at
        .as_str()
        .unwrap()
        .strip_prefix("2026-11-21T10:")
        .unwrap();
    let (minutes, seconds) = time.strip_suffix('Z').unwrap().split_once(':').unwrap();
    minutes.parse::<i64>().unwrap() * 60 + seconds.parse::<i64>().unwrap()
}

story! {
    async fn changed_content_is_signed_at_once(server) {
        server.import(Rows::new().sales([1, 2]).link(2, 1).lines()).await;
        let asker = server.lender().await;
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        let mut before = asker.ask_uprns(&[1]).await.json();
        // Everything that a chain shows and an import can change, on its neighbour.
        let changes = [
            Rows::more().milestone(2, "sstc", "2026-11-01"),
            Rows::more().milestone(2, "sstc", "2026-11-02"),
            Rows::more().end_check(2, "top"),
            Rows::more().property(2, "2a High Street", "LS1 4AP"),
            Rows::more().row(&json!({"type": "branch", "branch": "b1", "name": "Oak"})),
            Rows::more().row(&json!({
                "type": "party", "branch": "b1", "listing": "2", "role": "buyer_conveyancer",
                "name": "Dale",
            })),
            Rows::more().row(&json!({
                "type": "listing", "branch": "b1", "listing": "2", "uprn": 2,
                "tenure": "leasehold",
            })),
            Rows::more().sales([3]).link(3, 2),
        ];
        for (elapsed, rows) in (1..).zip(&changes) {
            server.clock.advance(1);
            server.import(rows.lines()).await;
            let answer = asker.ask_uprns(&[1]).await;
            check_provenance(&answer, &keys);
            let after = answer.json();
            assert_ne!(after["data"], before["data"], "{}", rows.lines());
            assert_ne!(after["provenance"]["signature"], before["provenance"]["signature"]);
            assert_eq!(read_time(&after["provenance"]["signedAt"]), elapsed);
            before = after;
        }
    }
}

story! {
    async fn another_node_sees_every_import_at_once(server) {
        server.import(Rows::new().sales([1, 2]).lines()).await;
        let other = server.start_node().await;
        let here = server.lender().await;
        let there = server.url_of_node(other, At::Base, PATH);
        let ask_there = async |uprn: &str| {
            let form = [("inputType", "uprn"), ("value[]", uprn), ("rows", "100")];
            // The token was issued by the first node.
            read(here.registration.http.post(&there).bearer_auth(&here.token).form(&form)).await
        };
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        let days: Vec<String> = (1..=9).map(|day| format!("2026-11-0{day}")).collect();
        let steps = days.iter().map(|day| Rows::more().milestone(2, "sstc", day));
        let mut steps: Vec<Rows> = steps.collect();
        steps.push(Rows::more().link(2, 1));
        for rows in &steps {
            // Both have the state before in their caches.
            let before = ask_there("2").await.json();
            assert_eq!(here.ask_uprns(&[2]).await.json()["data"], before["data"]);
            server.import(rows.lines()).await;
            let answer = ask_there("2").await;
            check_provenance(&answer, &keys);
            let after = answer.json();
            assert_ne!(after["data"], before["data"]);
            assert_eq!(here.ask_uprns(&[2]).await.json()["data"], after["data"]);
        }
        // A chain that the other node knew is another one's part now.
        let chains = ask_there("1").await.chains();
        assert_eq!(chains[0]["chainSummary"]["chainLength"], 2);
    }
}
