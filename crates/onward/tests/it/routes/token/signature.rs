//! How an assertion must be written and signed (S-21; RFC 8725).

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::canonical;
use signing::key::SigningKey;

use super::assertion::{NO, Party, Row, YES, walk};
use super::{PROFILES, check_plain};
use crate::story;
use crate::world::Assertion;

story! {
    async fn the_compact_form(world) {
        walk(&world, |own, _other| {
            let key = &own.client.key;
            let right = || own.client.assertion().sign(key);
            let padded = |part: usize| {
                let mut parts: Vec<String> = right().split('.').map(ToOwned::to_owned).collect();
                parts[part].push('=');
                parts.join(".")
            };
            let mut twice = own.client.assertion();
            let claims = Value::from(std::mem::take(&mut twice.claims)).to_string();
            let twice = claims.replacen('{', "{\"jti\":\"another\",", 1);
            vec![
                Row("T15 no JWT", "not-a-jwt".to_owned(), NO, NO),
                Row("T15 three empty parts", "..".to_owned(), NO, NO),
                Row("T15 three parts of nothing", "a.b.c".to_owned(), NO, NO),
                Row("T15 two parts", own.client.assertion().signing_input(), NO, NO),
                Row("T15 four parts", format!("{}.e30", right()), NO, NO),
                Row("T15 five parts", format!("e30.e30.{}", right()), NO, NO),
                Row("T15 padded header", padded(0), NO, NO),
                Row("T15 padded claims", padded(1), NO, NO),
                Row("T15 padded signature", padded(2), NO, NO),
                Row("T15 a space after it", format!("{} ", right()), NO, NO),
                Row("T15 a line break in it", right().replacen('.', ".\n", 1), NO, NO),
                Row("T15 claims that are a list", sign_text(own, "[]"), NO, NO),
                Row("T15 claims that are no JSON", sign_text(own, "{"), NO, NO),
                Row("T15 a claim twice", sign_text(own, &twice), NO, NO),
                Row("T15 no claims", sign_text(own, "{}"), NO, NO),
                Row(
                    "T54 17 KiB",
                    own.client.assertion().claim("filler", json!("f".repeat(13_000))).sign(key),
                    NO,
                    NO,
                ),
            ]
        }).await;
    }
}

story! {
    async fn algorithms(world) {
        walk(&world, |own, _other| {
            let plain = || own.client.assertion();
            let alg = |name: &str| plain().member("alg", json!(name));
            let unsigned = |name: &str| format!("{}.", alg(name).signing_input());
            let by = |key: &SigningKey| Assertion::of(&own.client.id, key).sign(key);
            let es256 = &own.client.key;
            let pem = |key: &SigningKey| {
                let pair = rcgen::KeyPair::from_pem(&key.to_pkcs8_pem().unwrap());
                pair.unwrap().public_key_pem()
            };
            let x = es256.public_key().to_jwk()["x"].as_str().unwrap().to_owned();
            let rsa = || Assertion::of(&own.client.id, &own.pkcs1);
            vec![
                Row("T16 none", unsigned("none"), NO, NO),
                Row("T16 none in other case", unsigned("nOnE"), NO, NO),
                Row("T16 no algorithm", unsigned(""), NO, NO),
                Row("T16 none, signed", alg("none").sign(es256), NO, NO),
                Row("T16 ES256, unsigned", unsigned("ES256"), NO, NO),
                Row("T16 alg missing", plain().member("alg", Value::Null).sign(es256), NO, NO),
                Row("T16 alg a list", plain().member("alg", json!(["ES256"])).sign(es256), NO, NO),
                Row("T17 HS256 with the public PEM", hs256(&plain(), pem(es256).as_bytes()), NO, NO),
                Row("T17 HS256 with x", hs256(&plain(), &base64url::decode_strict(&x).unwrap()), NO, NO),
                Row("T17 HS256 with the RSA PEM", hs256(&rsa(), pem(&own.pkcs1).as_bytes()), NO, NO),
                Row("T17 HS256 with nothing", hs256(&plain(), b""), NO, NO),
                Row("RS256 over an ES256 key", alg("RS256").sign(es256), NO, NO),
                Row("RS256 by the RSA key, kid of the ES256 key", alg("RS256").sign(&own.pkcs1), NO, NO),
                Row("ES256 over the RSA key", rsa().member("alg", json!("ES256")).sign(es256), NO, NO),
                Row("EdDSA over an ES256 key", alg("EdDSA").sign(es256), NO, NO),
                Row("PS256 signed as RS256", rsa().member("alg", json!("PS256")).sign(&own.pkcs1), NO, NO),
                Row("RS256 signed as PS256", rsa().sign(&own.pss), NO, NO),
                Row("RS512", rsa().member("alg", json!("RS512")).sign(&own.pkcs1), NO, NO),
                Row("es256 in small letters", alg("es256").sign(es256), NO, NO),
                Row("ES256", by(es256), YES, YES),
                Row("PS256", by(&own.pss), YES, YES),
                Row("EdDSA", by(&own.ed25519), YES, YES),
                Row("RS256", by(&own.pkcs1), YES, NO),
            ]
        }).await;
    }
}

story! {
    async fn signatures(world) {
        walk(&world, |own, other| {
            let key = &own.client.key;
            let plain = || own.client.assertion();
            let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
            let kid = |key: &SigningKey| plain().member("kid", json!(key.kid()));
            let without_kid = || plain().member("kid", Value::Null);
            let later = plain().claim("exp", json!(crate::world::BEGINNING + 200));
            vec![
                Row("T18 bad signature", with_bad_signature(&plain().sign(key)), NO, NO),
                Row("T18 no signature", format!("{}.", plain().signing_input()), NO, NO),
                Row("T18 claims swapped", with_signature_of(&later.signing_input(), &plain().sign(key)), NO, NO),
                Row(
                    "T18 header swapped",
                    with_signature_of(&plain().member("typ", Value::Null).signing_input(), &plain().sign(key)),
                    NO,
                    NO,
                ),
                Row("T19 an unregistered key under the kid of ours", plain().sign(&stranger), NO, NO),
                Row("T19 an unregistered key", kid(&stranger).sign(&stranger), NO, NO),
                Row("T19 an unregistered key without kid", without_kid().sign(&stranger), NO, NO),
                Row("T19 another client's key", kid(&other.client.key).sign(&other.client.key), NO, NO),
                Row("T19 another client's key without kid", without_kid().sign(&other.client.key), NO, NO),
                Row("T20 unknown kid", plain().member("kid", json!("unknown")).sign(key), NO, NO),
                Row("T20 kid of another key of ours", kid(&own.ed25519).sign(key), NO, NO),
                Row("T20 kid a number", plain().member("kid", json!(1)).sign(key), NO, NO),
                Row("no kid, first key", without_kid().sign(key), YES, YES),
                Row(
                    "no kid, last key",
                    Assertion::of(&own.client.id, &own.ed25519).member("kid", Value::Null).sign(&own.ed25519),
                    YES,
                    YES,
                ),
            ]
        }).await;
    }
}

story! {
    async fn header_members(world) {
        walk(&world, |own, _other| {
            let key = &own.client.key;
            let with = |name: &str, value: Value| own.client.assertion().member(name, value).sign(key);
            let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
            let foreign = own.client.assertion()
                .member("jwk", stranger.public_key().to_jwk())
                .member("kid", Value::Null);
            vec![
                Row("T20 an attacker's jwk", foreign.sign(&stranger), NO, NO),
                Row("T20 our own jwk", with("jwk", key.public_key().to_jwk()), NO, NO),
                Row("T20 jku", with("jku", json!("https://attacker.example/jwks")), NO, NO),
                Row("T20 x5u", with("x5u", json!("https://attacker.example/x")), NO, NO),
                Row("T20 x5c", with("x5c", json!(["MIIB"])), NO, NO),
                Row("T20 unknown crit", with("crit", json!(["urn:example:x"])), NO, NO),
                Row("T20 empty crit", with("crit", json!([])), NO, NO),
                Row("T20 crit with exp", with("crit", json!(["exp"])), NO, NO),
                Row("T20 b64", with("b64", json!(false)), NO, NO),
                Row("no typ", with("typ", Value::Null), YES, YES),
                Row("typ of the revised RFC 7523", with("typ", json!("client-authentication+jwt")), YES, YES),
                Row("an unknown member", with("note", json!("x")), YES, YES),
            ]
        }).await;
    }
}

story! {
    async fn the_registered_algorithm_is_the_only_one(world) {
        for profile in PROFILES {
            for (pinned, sector, fapi2) in [
                ("PS256", [NO, YES, NO, NO], [NO, YES, NO, NO]),
                ("RS256", [NO, NO, NO, YES], [NO, NO, NO, NO]),
            ] {
                let name = format!("{profile}-{pinned}");
                let own = Party::register(&world, &name, profile, Some(pinned)).await;
                let expected = if profile == "sector" { sector } else { fapi2 };
                let keys = [&own.client.key, &own.pss, &own.ed25519, &own.pkcs1];
                for (key, expected) in keys.into_iter().zip(expected) {
                    let assertion = Assertion::of(&own.client.id, key).sign(key);
                    let label = format!("{name}: {}", key.algorithm());
                    let answer = world.request_token(&own.client, &assertion, None).await;
                    check_plain(&label, &answer, expected);
                }
            }
        }
    }
}

story! {
    async fn the_algorithm_of_a_key_is_its_only_one(world) {
        let pss = SigningKey::generate(Algorithm::Ps256).unwrap();
        let pkcs1 = SigningKey::from_pkcs8_pem(&pss.to_pkcs8_pem().unwrap(), Algorithm::Rs256).unwrap();
        let lender = world.register_as("lender", &["transaction-status"], |client| {
            client.jwks = json!({"keys": [pss.public_key().to_jwk()]}).to_string();
        }).await;
        for (key, expected) in [(&pss, YES), (&pkcs1, NO)] {
            let assertion = Assertion::of(&lender.id, key).sign(key);
            let answer = world.request_token(&lender, &assertion, None).await;
            check_plain(key.algorithm().as_str(), &answer, expected);
        }
    }
}

/// A right header over any text, rightly signed.
fn sign_text(own: &Party, claims: &str) -> String {
    let header = Value::from(own.client.assertion().header).to_string();
    let parts = [header.as_str(), claims].map(|part| base64url::encode(part.as_bytes()));
    let input = parts.join(".");
    let signature = own.client.key.sign(input.as_bytes()).unwrap();
    format!("{input}.{}", base64url::encode(&signature))
}

fn with_bad_signature(token: &str) -> String {
    let (input, signature) = token.rsplit_once('.').unwrap();
    let mut signature = base64url::decode_strict(signature).unwrap();
    *signature.last_mut().unwrap() ^= 1;
    format!("{input}.{}", base64url::encode(&signature))
}

fn with_signature_of(input: &str, token: &str) -> String {
    let (_input, signature) = token.rsplit_once('.').unwrap();
    format!("{input}.{signature}")
}

/// Signs with HMAC (RFC 2104), for which a careless verifier takes a public
/// key as the secret.
fn hs256(assertion: &Assertion, secret: &[u8]) -> String {
    let input = assertion
        .clone()
        .member("alg", json!("HS256"))
        .signing_input();
    let mut block = [0; 64];
    if secret.len() > block.len() {
        block[..32].copy_from_slice(&canonical::digest(secret));
    } else {
        block[..secret.len()].copy_from_slice(secret);
    }
    let inner = canonical::digest(&[&block.map(|byte| byte ^ 0x36), input.as_bytes()].concat());
    let outer = canonical::digest(&[&block.map(|byte| byte ^ 0x5c)[..], &inner].concat());
    format!("{input}.{}", base64url::encode(&outer))
}
