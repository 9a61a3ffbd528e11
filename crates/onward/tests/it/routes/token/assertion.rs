//! What an assertion may claim, on both profiles (S-21; RFC 7523 section 3).

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;

use super::{PROFILES, check_plain};
use crate::story;
use crate::world::{AUTH_URL, BASE_URL, BEGINNING, TestClient, World};

pub(super) const YES: &str = "200 -";
pub(super) const NO: &str = "401 invalid_client";

/// Label, assertion, and the outcomes on the profiles `sector` and `fapi2`.
pub(super) struct Row(
    pub(super) &'static str,
    pub(super) String,
    pub(super) &'static str,
    pub(super) &'static str,
);

/// A client with a key for each algorithm; that of ES256 is `client.key`.
pub(super) struct Party {
    pub(super) client: TestClient,
    /// One RSA key, which the client registered for both algorithms.
    pub(super) pkcs1: SigningKey,
    pub(super) pss: SigningKey,
    pub(super) ed25519: SigningKey,
}

impl Party {
    pub(super) async fn register(
        world: &World,
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
            client: world
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
pub(super) async fn walk(world: &World, rows: fn(&Party, &Party) -> Vec<Row>) {
    for profile in PROFILES {
        let own = Party::register(world, profile, profile, None).await;
        let other = Party::register(world, &format!("{profile}-other"), profile, None).await;
        for Row(label, assertion, sector, fapi2) in rows(&own, &other) {
            let expected = if profile == "sector" { sector } else { fapi2 };
            let answer = world.request_token(&own.client, &assertion, None).await;
            check_plain(&format!("{profile}: {label}"), &answer, expected);
        }
    }
}

story! {
    async fn who_it_comes_from(world) {
        walk(&world, |own, other| {
            let other = other.client.id.as_str();
            let unknown = "https://rp.example/nobody";
            let both = |id: Value| own.claiming(&[("iss", id.clone()), ("sub", id)]);
            vec![
                Row("T00 right", own.claiming(&[]), YES, YES),
                Row("T21 iss differs", own.claiming(&[("iss", json!(other))]), NO, NO),
                Row("T21 sub differs", own.claiming(&[("sub", json!(other))]), NO, NO),
                Row("T21 both another client's", both(json!(other)), NO, NO),
                Row("T22 sub missing", own.claiming(&[("sub", Value::Null)]), NO, NO),
                Row("T23 iss missing", own.claiming(&[("iss", Value::Null)]), NO, NO),
                Row("T23 both missing", both(Value::Null), NO, NO),
                Row("T24 unknown client", both(json!(unknown)), NO, NO),
                Row("T24 a number", both(json!(7)), NO, NO),
                Row("T24 empty", both(json!("")), NO, NO),
                Row("T24 a slash added", both(json!(format!("{}/", own.client.id))), NO, NO),
                Row("T24 257 characters", both(json!("c".repeat(257))), NO, NO),
            ]
        }).await;
    }
}

story! {
    async fn whom_it_is_for(world) {
        walk(&world, |own, _other| {
            let aud = |value: Value| own.claiming(&[("aud", value)]);
            let token_url = format!("{AUTH_URL}/token");
            let mut null = own.client.assertion();
            null.claims.insert("aud".to_owned(), Value::Null);
            vec![
                Row("T26 aud missing", aud(Value::Null), NO, NO),
                Row("T26 aud null", null.sign(&own.client.key), NO, NO),
                Row("T26 aud a number", aud(json!(1)), NO, NO),
                Row("T26 aud an object", aud(json!({"aud": AUTH_URL})), NO, NO),
                Row("T26 aud empty", aud(json!("")), NO, NO),
                Row("T27 another server", aud(json!("https://other.example")), NO, NO),
                Row("T27 the chain query", aud(json!(BASE_URL)), NO, NO),
                Row("T27 other case", aud(json!(AUTH_URL.to_uppercase())), NO, NO),
                Row("T28 the token URL", aud(json!(token_url)), YES, NO),
                Row("T28 [the token URL]", aud(json!([token_url])), YES, NO),
                Row("T29 [the issuer]", aud(json!([AUTH_URL])), YES, NO),
                Row("T30 the issuer and another", aud(json!([AUTH_URL, "https://o.example"])), NO, NO),
                Row("T30 another and the issuer", aud(json!(["https://o.example", AUTH_URL])), NO, NO),
                Row("T30 both of ours", aud(json!([AUTH_URL, token_url])), NO, NO),
                Row("T30 the issuer twice", aud(json!([AUTH_URL, AUTH_URL])), NO, NO),
                Row("T30 no audience", aud(json!([])), NO, NO),
                Row("T30 a list in a list", aud(json!([[AUTH_URL]])), NO, NO),
                Row("T31 the issuer and a slash", aud(json!(format!("{AUTH_URL}/"))), NO, NO),
            ]
        }).await;
    }
}

story! {
    async fn when_it_is_valid(world) {
        walk(&world, |own, _other| {
            let now = BEGINNING;
            let exp = |value: Value| own.claiming(&[("exp", value)]);
            let both = |value: Value| own.claiming(&[("iat", value.clone()), ("nbf", value)]);
            let iat = |value: Value| own.claiming(&[("iat", value)]);
            let nbf = |value: Value| own.claiming(&[("nbf", value)]);
            vec![
                Row("T32 exp missing", exp(Value::Null), NO, NO),
                Row("T33 exp 5 minutes past", exp(json!(now - 300)), NO, NO),
                Row("T33 exp now", exp(json!(now)), NO, NO),
                Row("T33 exp in a second", exp(json!(now + 1)), YES, YES),
                Row("T33 exp negative", exp(json!(-1)), NO, NO),
                Row("T34 exp a string", exp(json!((now + 60).to_string())), NO, NO),
                Row("T34 exp a fraction", exp(json!(1_795_255_260.5)), NO, NO),
                Row("T34 exp a list", exp(json!([now + 60])), NO, NO),
                Row("T34 nbf a string", nbf(json!((now - 60).to_string())), NO, NO),
                Row("T34 iat a string", iat(json!((now - 60).to_string())), NO, NO),
                Row("T35 exp 24 h ahead", exp(json!(now + 86_400)), NO, NO),
                Row("T35 exp past all integers", exp(json!(1e300)), NO, NO),
                Row("T35 exp the greatest integer", exp(json!(i64::MAX)), NO, NO),
                Row("T35 exp 300 s ahead", exp(json!(now + 300)), YES, YES),
                Row("T35 exp 301 s ahead", exp(json!(now + 301)), YES, NO),
                Row("T35 exp 600 s ahead", exp(json!(now + 600)), YES, NO),
                Row("T35 exp 601 s ahead", exp(json!(now + 601)), NO, NO),
                Row("T36 iat and nbf 8 s ahead", both(json!(now + 8)), YES, YES),
                Row("T36 iat and nbf 60 s ahead", both(json!(now + 60)), YES, YES),
                Row("T36 no iat", iat(Value::Null), YES, YES),
                Row("T37 iat and nbf 120 s ahead", both(json!(now + 120)), NO, NO),
                Row("T37b iat alone 120 s ahead", iat(json!(now + 120)), NO, NO),
                Row("T37b iat alone 61 s ahead", iat(json!(now + 61)), NO, NO),
                Row("T37b nbf alone 61 s ahead", nbf(json!(now + 61)), NO, NO),
            ]
        }).await;
    }
}

story! {
    async fn its_own_id(world) {
        walk(&world, |own, _other| {
            let jti = |value: Value| own.claiming(&[("jti", value)]);
            vec![
                Row("T39 jti missing", jti(Value::Null), NO, NO),
                Row("T39 jti a number", jti(json!(4711)), NO, NO),
                Row("T39 jti a list", jti(json!(["a"])), NO, NO),
                Row("T39 jti empty", jti(json!("")), NO, NO),
                Row("T39 jti of 256 characters", jti(json!("j".repeat(256))), YES, YES),
                Row("T39 jti of 256 letters of 2 bytes", jti(json!("é".repeat(256))), YES, YES),
                Row("T39 jti of 257 characters", jti(json!("j".repeat(257))), NO, NO),
            ]
        }).await;
    }
}
