//! The checks of an ID token (OpenID Connect Core 1.0 section 3.1.3.7).

use serde_json::{Map, Value};
use signing::jwk::JwkSet;
use signing::jws::{JwsError, Unverified};
use signing::random;

/// How far the provider's clock may be off.
const CLOCK_SKEW_SECONDS: i64 = 60;
/// The oldest ID token that is accepted. Each is made during the sign-in.
const AGE_SECONDS_MAX: i64 = 600;
/// Characters of a subject (OpenID Connect Core section 2).
const SUBJECT_CHARACTERS_MAX: usize = 255;

/// The values that an ID token must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdTokenRules<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
}

/// Why an ID token is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenRefusal {
    /// It is no token, or its signature is wrong.
    #[error(transparent)]
    Jws(#[from] JwsError),
    /// No published key has the key id.
    #[error("none of the provider's keys has verified it")]
    UnknownKey,
    /// This claim is missing or wrong.
    #[error("its claim `{0}` is missing or wrong")]
    Claim(&'static str),
}

/// The id of the key that signed a token.
pub(super) fn read_kid(token: &str) -> Result<Option<String>, IdTokenRefusal> {
    Ok(Unverified::parse(token)?.kid().map(str::to_owned))
}

/// Checks a token. Returns its subject.
pub(super) fn check(
    token: &str,
    keys: &JwkSet,
    rules: &IdTokenRules<'_>,
    now: i64,
) -> Result<String, IdTokenRefusal> {
    let unverified = Unverified::parse(token)?;
    let key = match unverified.kid() {
        Some(kid) => keys.find(kid),
        // A provider with a single key need not name it (section 10.1).
        None => keys.keys().first().filter(|_key| keys.keys().len() == 1),
    };
    let verified = unverified.verify(key.ok_or(IdTokenRefusal::UnknownKey)?)?;
    check_claims(verified.claims(), rules, now)
}

fn check_claims(
    claims: &Map<String, Value>,
    rules: &IdTokenRules<'_>,
    now: i64,
) -> Result<String, IdTokenRefusal> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
    let time = |name: &str| claims.get(name).and_then(Value::as_i64);
    let holds =
        |holds: bool, name: &'static str| holds.then_some(()).ok_or(IdTokenRefusal::Claim(name));
    holds(text("iss") == rules.issuer, "iss")?;
    let audiences = list_audiences(claims);
    holds(audiences.contains(&rules.client_id), "aud")?;
    let is_party = claims.contains_key("azp") || audiences.len() > 1;
    holds(!is_party || text("azp") == rules.client_id, "azp")?;
    let is_open = time("exp").is_some_and(|at| now < at.saturating_add(CLOCK_SKEW_SECONDS));
    holds(is_open, "exp")?;
    let ages = -CLOCK_SKEW_SECONDS..=AGE_SECONDS_MAX;
    let is_new = time("iat").is_some_and(|at| ages.contains(&now.saturating_sub(at)));
    holds(is_new, "iat")?;
    let nonce = text("nonce").as_bytes();
    holds(
        random::constant_time_eq(nonce, rules.nonce.as_bytes()),
        "nonce",
    )?;
    let subject = text("sub");
    let is_sane = (1..=SUBJECT_CHARACTERS_MAX).contains(&subject.chars().count())
        && !subject.chars().any(char::is_control);
    holds(is_sane, "sub")?;
    Ok(subject.to_owned())
}

fn list_audiences(claims: &Map<String, Value>) -> Vec<&str> {
    match claims.get("aud") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use signing::algorithm::Algorithm;
    use signing::jwk::JwkSet;
    use signing::jws;
    use signing::key::SigningKey;

    use super::{IdTokenRefusal, IdTokenRules, check};

    const NOW: i64 = 1_800_000_000;
    const RULES: IdTokenRules<'_> = IdTokenRules {
        issuer: "https://id.example",
        client_id: "console",
        nonce: "nonce-1",
    };

    #[test]
    fn each_claim_is_checked() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let good = json!({
            "iss": "https://id.example", "aud": "console", "sub": "kim", "nonce": "nonce-1",
            "iat": NOW - 5, "exp": NOW + 300,
        });
        let outcome = |changes: Value| {
            let mut claims = good.clone();
            for (name, value) in changes.as_object().unwrap() {
                if value.is_null() {
                    claims.as_object_mut().unwrap().remove(name);
                } else {
                    claims[name] = value.clone();
                }
            }
            let token = jws::sign_compact("JWT", &key, &claims).unwrap();
            match check(&token, &set_of(&key), &RULES, NOW) {
                Ok(subject) => subject,
                Err(IdTokenRefusal::Claim(name)) => format!("not {name}"),
                Err(other) => other.to_string(),
            }
        };
        for (changes, expected) in [
            (json!({}), "kim"),
            (
                json!({"aud": ["other", "console"], "azp": "console"}),
                "kim",
            ),
            (json!({"iss": "https://id.example/"}), "not iss"),
            (json!({"iss": null}), "not iss"),
            (json!({"aud": "other"}), "not aud"),
            (json!({"aud": ["other", "console"]}), "not azp"),
            (json!({"azp": "other"}), "not azp"),
            (json!({"exp": NOW - 60}), "not exp"),
            (json!({"exp": null}), "not exp"),
            (json!({"iat": NOW - 601}), "not iat"),
            (json!({"iat": NOW + 61}), "not iat"),
            (json!({"nonce": "nonce-2"}), "not nonce"),
            (json!({"nonce": null}), "not nonce"),
            (json!({"sub": ""}), "not sub"),
            (json!({"sub": "a\u{0}b"}), "not sub"),
        ] {
            assert_eq!(outcome(changes.clone()), expected, "{changes}");
        }
    }

    #[test]
    fn the_signature_is_checked() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let other = SigningKey::generate(Algorithm::Es256).unwrap();
        let token = jws::sign_compact("JWT", &key, &json!({"sub": "kim"})).unwrap();
        assert_eq!(
            check(&token, &set_of(&other), &RULES, NOW),
            Err(IdTokenRefusal::UnknownKey)
        );
        let (start, _signature) = token.rsplit_once('.').unwrap();
        for forged in [format!("{start}."), format!("{start}.AAAA")] {
            let refused = check(&forged, &set_of(&key), &RULES, NOW);
            assert!(
                matches!(refused, Err(IdTokenRefusal::Jws(_))),
                "{refused:?}"
            );
        }
    }

    fn set_of(key: &SigningKey) -> JwkSet {
        let set = json!({"keys": [key.public_key().to_jwk()]});
        JwkSet::parse_published(set.to_string().as_bytes()).unwrap()
    }
}
