//! Which assertions the token endpoint accepts, on both profiles (S-21; RFC 7523 section 3,
//! RFC 8725). All rules for assertions are tested in crate `signing`; the tests here prove that
//! the endpoint applies them with its own addresses and with the registered keys.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;

use super::{PROFILES, check_plain};
use crate::sqlite_story;
use crate::test_server::{AUTH_URL, Assertion, BASE_URL, BEGINNING, Registration, TestServer};

const YES: &str = "200 -";
const NO: &str = "401 invalid_client";
/// On both profiles.
const ACCEPTED: [&str; 2] = [YES; 2];
const REFUSED: [&str; 2] = [NO; 2];
const SECTOR_ONLY: [&str; 2] = [YES, NO];

/// Label, assertion, and the outcomes on the profiles `sector` and `fapi2`.
struct Row(&'static str, String, [&'static str; 2]);

/// A client with a key for each algorithm; that of ES256 is `client.key`.
struct Party {
    client: Registration,
    /// One RSA key, which the client registered for both algorithms.
    pkcs1: SigningKey,
    pss: SigningKey,
    ed25519: SigningKey,
}

impl Party {
    async fn register(
        server: &TestServer,
        name: &str,
        profile: &str,
        pinned: Option<&str>,
    ) -> Self {
        let pkcs1 = SigningKey::generate(Algorithm::Rs256).unwrap();
        let pem = pkcs1.to_pkcs8_pem().unwrap();
        let pss = SigningKey::from_pkcs8_pem(&pem, Algorithm::Ps256).unwrap();
        let ed25519 = SigningKey::generate(Algorithm::EdDsa).unwrap();
        let mut rsa = pkcs1.public_key().to_jwk();
        rsa.as_object_mut().unwrap().remove("alg");
        let more = [rsa, ed25519.public_key().to_jwk()];
        let change = |stored: &mut storage::clients::StoredClient| {
            let mut jwks: Value = serde_json::from_str(&stored.jwks).unwrap();
            jwks["keys"].as_array_mut().unwrap().extend(more);
            stored.jwks = jwks.to_string();
            profile.clone_into(&mut stored.profile);
            stored.assertion_algorithm = pinned.map(ToOwned::to_owned);
        };
        Self {
            client: server
                .register_as(name, &["transaction-status"], change)
                .await,
            pkcs1,
            pss,
            ed25519,
        }
    }

    /// A right assertion with these claims; null takes one away.
    fn claiming(&self, claims: &[(&str, Value)]) -> String {
        let changed = claims
            .iter()
            .fold(self.client.assertion(), |assertion, (name, value)| {
                assertion.claim(name, value.clone())
            });
        changed.sign(&self.client.key)
    }
}

/// Sends each row's assertion over the connection of the client that it claims
/// to come from, on both profiles.
async fn walk(server: &TestServer, rows: fn(&Party, &Party) -> Vec<Row>) {
    for profile in PROFILES {
        let own = Party::register(server, profile, profile, None).await;
        let other = Party::register(server, &format!("{profile}-other"), profile, None).await;
        for Row(label, assertion, [sector, fapi2]) in rows(&own, &other) {
            let expected = if profile == "sector" { sector } else { fapi2 };
            let answer = server.request_token(&own.client, &assertion, None).await;
            check_plain(&format!("{profile}: {label}"), &answer, expected);
        }
    }
}

sqlite_story! {
    async fn the_claims_of_an_assertion(server) {
        walk(&server, |own, other| {
            let both = |id: Value| own.claiming(&[("iss", id.clone()), ("sub", id)]);
            let with = |name: &str, value: Value| own.claiming(&[(name, value)]);
            let token_url = format!("{AUTH_URL}/token");
            let other = json!(other.client.id);
            let now = BEGINNING;
            vec![
                Row("T00 right", own.claiming(&[]), ACCEPTED),
                Row("T21 iss differs", with("iss", other.clone()), REFUSED),
                Row("T21 sub differs", with("sub", other.clone()), REFUSED),
                Row("T21 both another client's", both(other), REFUSED),
                Row("T23 both missing", both(Value::Null), REFUSED),
                Row("T24 unknown client", both(json!("https://rp.example/nobody")), REFUSED),
                Row("T24 a slash added", both(json!(format!("{}/", own.client.id))), REFUSED),
                Row("T24 257 characters", both(json!("c".repeat(257))), REFUSED),
                Row("T26 aud missing", with("aud", Value::Null), REFUSED),
                Row("T27 another server", with("aud", json!("https://other.example")), REFUSED),
                Row("T27 the chain query", with("aud", json!(BASE_URL)), REFUSED),
                Row("T28 the token URL", with("aud", json!(token_url)), SECTOR_ONLY),
                Row("T29 [the issuer]", with("aud", json!([AUTH_URL])), SECTOR_ONLY),
                Row("T30 both of ours", with("aud", json!([AUTH_URL, token_url])), REFUSED),
                Row("T31 the issuer and a slash", with("aud", json!(format!("{AUTH_URL}/"))), REFUSED),
                Row("T32 exp missing", with("exp", Value::Null), REFUSED),
                Row("T33 exp now", with("exp", json!(now)), REFUSED),
                Row("T33 exp in a second", with("exp", json!(now + 1)), ACCEPTED),
                Row("T35 exp 300 s ahead", with("exp", json!(now + 300)), ACCEPTED),
                Row("T35 exp 301 s ahead", with("exp", json!(now + 301)), SECTOR_ONLY),
                Row("T35 exp 3601 s ahead", with("exp", json!(now + 3601)), REFUSED),
                Row("T36 iat 60 s ahead", with("iat", json!(now + 60)), ACCEPTED),
                Row("T36 no iat", with("iat", Value::Null), ACCEPTED),
                Row("T37b iat 61 s ahead", with("iat", json!(now + 61)), REFUSED),
                Row("T37b nbf 61 s ahead", with("nbf", json!(now + 61)), REFUSED),
                Row("T39 jti missing", with("jti", Value::Null), REFUSED),
                Row("T39 jti of 256 characters", with("jti", json!("é".repeat(256))), ACCEPTED),
                Row("T39 jti of 257 characters", with("jti", json!("j".repeat(257))), REFUSED),
                Row("T54 17 KiB", with("filler", json!("f".repeat(13_000))), REFUSED),
            ]
        }).await;
    }
}

sqlite_story! {
    async fn the_form_and_the_signature_of_an_assertion(server) {
        walk(&server, |own, other| {
            let es256 = &*own.client.key;
            let plain = || own.client.assertion();
            let with = |name: &str, value: Value| plain().member(name, value);
            let by = |key: &SigningKey| Assertion::of(&own.client.id, key).sign(key);
            let kid = |key: &SigningKey| with("kid", json!(key.kid()));
            let without_kid = || with("kid", Value::Null);
            let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
            let foreign = without_kid().member("jwk", stranger.public_key().to_jwk());
            let right = plain().sign(es256);
            let (input, signature) = right.rsplit_once('.').unwrap();
            let first = if signature.starts_with('A') { "B" } else { "A" };
            let altered = format!("{input}.{first}{}", &signature[1..]);
            let last = Assertion::of(&own.client.id, &own.ed25519).member("kid", Value::Null);
            vec![
                Row("T15 no JWT", "not-a-jwt".to_owned(), REFUSED),
                Row("T15 two parts", plain().signing_input(), REFUSED),
                Row("T15 four parts", format!("{right}.e30"), REFUSED),
                Row("T15 padded signature", format!("{right}="), REFUSED),
                Row("T16 none", format!("{}.", with("alg", json!("none")).signing_input()), REFUSED),
                Row("T17 HS256", with("alg", json!("HS256")).sign(es256), REFUSED),
                Row("ES256", by(es256), ACCEPTED),
                Row("PS256", by(&own.pss), ACCEPTED),
                Row("EdDSA", by(&own.ed25519), ACCEPTED),
                Row("RS256", by(&own.pkcs1), SECTOR_ONLY),
                Row("RS256 under the kid of the ES256 key", with("alg", json!("RS256")).sign(&own.pkcs1), REFUSED),
                Row("T18 no signature", format!("{}.", plain().signing_input()), REFUSED),
                Row("T18 another signature", altered, REFUSED),
                Row("T19 an unregistered key under the kid of ours", plain().sign(&stranger), REFUSED),
                Row("T19 an unregistered key", kid(&stranger).sign(&stranger), REFUSED),
                Row("T19 an unregistered key without kid", without_kid().sign(&stranger), REFUSED),
                Row("T19 another client's key", kid(&other.client.key).sign(&other.client.key), REFUSED),
                Row("T19 another client's key without kid", without_kid().sign(&other.client.key), REFUSED),
                Row("T20 unknown kid", with("kid", json!("unknown")).sign(es256), REFUSED),
                Row("T20 kid of another key of ours", kid(&own.ed25519).sign(es256), REFUSED),
                Row("no kid, first key", without_kid().sign(es256), ACCEPTED),
                Row("no kid, last key", last.sign(&own.ed25519), ACCEPTED),
                Row("T20 an attacker's jwk", foreign.sign(&stranger), REFUSED),
                Row("T20 jku", with("jku", json!("https://attacker.example/jwks")).sign(es256), REFUSED),
                Row("T20 unknown crit", with("crit", json!(["urn:example:x"])).sign(es256), REFUSED),
                Row("typ of the revised RFC 7523", with("typ", json!("client-authentication+jwt")).sign(es256), ACCEPTED),
            ]
        }).await;
    }
}

sqlite_story! {
    async fn the_registered_algorithm_is_the_only_one(server) {
        for profile in PROFILES {
            for (pinned, sector, fapi2) in [
                ("PS256", [NO, YES, NO, NO], [NO, YES, NO, NO]),
                ("RS256", [NO, NO, NO, YES], [NO, NO, NO, NO]),
            ] {
                let name = format!("{profile}-{pinned}");
                let own = Party::register(&server, &name, profile, Some(pinned)).await;
                let expected = if profile == "sector" { sector } else { fapi2 };
                let keys = [&own.client.key, &own.pss, &own.ed25519, &own.pkcs1];
                for (key, expected) in keys.into_iter().zip(expected) {
                    let assertion = Assertion::of(&own.client.id, key).sign(key);
                    let label = format!("{name}: {}", key.algorithm());
                    let answer = server.request_token(&own.client, &assertion, None).await;
                    check_plain(&label, &answer, expected);
                }
            }
        }
        // So is the algorithm that a key names.
        let pss = SigningKey::generate(Algorithm::Ps256).unwrap();
        let pkcs1 = SigningKey::from_pkcs8_pem(&pss.to_pkcs8_pem().unwrap(), Algorithm::Rs256).unwrap();
        let lender = server.register_as("lender", &["transaction-status"], |client| {
            client.jwks = json!({"keys": [pss.public_key().to_jwk()]}).to_string();
        }).await;
        for (key, expected) in [(&pss, YES), (&pkcs1, NO)] {
            let assertion = Assertion::of(&lender.id, key).sign(key);
            let answer = server.request_token(&lender, &assertion, None).await;
            check_plain(key.algorithm().as_str(), &answer, expected);
        }
    }
}
