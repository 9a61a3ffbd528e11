//! Keys that were made elsewhere sign with the ids that they have there (S-76).

use std::process::Command;

use serde_json::Value;
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::key::{RsaSize, SigningKey};
use signing::keyring::Purpose;
use tokens::key_import::{self, Import};
use tokens::keys::{self, Rotation};

use crate::query::rows::Rows;
use crate::story;
use crate::test_server::TestServer;

/// The purposes of keys that others verify with.
const PURPOSES: [Purpose; 2] = [Purpose::Provenance, Purpose::Event];

/// Makes a key and imports it; its JWK, with the thumbprint as its id.
pub(crate) async fn import(server: &TestServer, purpose: Purpose, kid: &str) -> Value {
    let (storage, now) = (server.storage.clone(), server.now());
    let registry = server.node.foundation.registry.clone();
    let kid = kid.parse().unwrap();
    let importing = tokio::task::spawn_blocking(move || {
        let key = SigningKey::generate_rsa(Algorithm::Rs256, RsaSize::Bits2048).unwrap();
        let text = key.to_pkcs8_pem().unwrap();
        let import = Import {
            purpose,
            kid: &kid,
            text: &text,
            now,
        };
        key_import::import(&storage, registry.safe(), &import).unwrap();
        key.public_key().to_jwk()
    });
    importing.await.unwrap()
}

/// Lets the next keys of answers and events sign at once.
pub(crate) async fn rotate(server: &TestServer) {
    let (storage, now) = (server.storage.clone(), server.now());
    let registry = server.node.foundation.registry.clone();
    let rotating = tokio::task::spawn_blocking(move || {
        let rotation = Rotation {
            size: None,
            is_forced: true,
            now,
        };
        keys::rotate(&storage, registry.safe(), &PURPOSES, &rotation).unwrap();
    });
    rotating.await.unwrap();
}

/// Verifies an RS256 signature with OpenSSL and the numbers of a JWK.
pub(crate) fn verify_with_openssl(jwk: &Value, message: &[u8], signature: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let hex = |name: &str| {
        let bytes = base64url::decode_strict(jwk[name].as_str().unwrap()).unwrap();
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<Vec<_>>().concat()
    };
    let form = format!(
        "asn1=SEQUENCE:key\n[key]\nalgorithm=SEQUENCE:rsa\nbits=BITWRAP,SEQUENCE:numbers\n\
         [rsa]\noid=OID:rsaEncryption\nnone=NULL\n[numbers]\nn=INTEGER:0x{}\ne=INTEGER:0x{}\n",
        hex("n"),
        hex("e")
    );
    let (form, key) = (write("form", form.as_bytes()), write("key", b""));
    let (message, signature) = (write("message", message), write("signature", signature));
    let run = |args: &[&str]| {
        let ran = Command::new("openssl").args(args).output().unwrap();
        assert!(ran.status.success(), "{args:?} {ran:?}");
    };
    run(&["asn1parse", "-noout", "-genconf", &form, "-out", &key]);
    let verify = ["dgst", "-sha256", "-keyform", "DER", "-verify", &key];
    run(&[&verify[..], &["-signature", &signature, &message]].concat());
}

story! {
    async fn an_imported_key_signs_answers_and_events_with_its_kid(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let (receiver, api_key, _subscription) = server.subscriber().await;
        let lender = server.lender().await;
        let answers = import(&server, Purpose::Provenance, "portal/Answers+1").await;
        let events = import(&server, Purpose::Event, "portal/Events+1").await;
        for kid in ["portal/Answers+1", "portal/Events+1"] {
            assert!(server.key_set().await.find(kid).is_some(), "{kid}");
        }
        assert_ne!(lender.ask_uprns(&[1]).await.json()["provenance"]["kid"], "portal/Answers+1");
        rotate(&server).await;

        let answer = lender.ask_uprns(&[1]).await;
        let body = answer.json();
        assert_eq!(body["provenance"]["kid"], "portal/Answers+1");
        let signed = serde_json_canonicalizer::to_vec(&body["data"]).unwrap();
        let signature = body["provenance"]["signature"].as_str().unwrap();
        let signature = base64url::decode_strict(signature).unwrap();
        verify_with_openssl(&answers, &signed, &signature);

        server.wait_until("the imported key signs events", async || {
            let before = receiver.received().len();
            server.simulate(&api_key, "fallthrough", 5).await;
            let event = receiver.wait_for(before + 1).await.remove(before);
            let (_claims, kid) = event.verify(&server.key_set().await);
            if kid != "portal/Events+1" {
                return false;
            }
            let (message, signature) = event.body.rsplit_once('.').unwrap();
            let signature = base64url::decode_strict(signature).unwrap();
            verify_with_openssl(&events, message.as_bytes(), &signature);
            true
        }).await;

        // The log states the key under its id, and two verifiers follow it.
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        let steps = server.verify(&pack.body).await.join("\n");
        assert!(steps.contains("that key portal/Answers+1 is current"), "{steps}");
    }
}
