//! Tests that an event is accepted only as document 1 describes it.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::jws::sign_compact;
use signing::key::SigningKey;

use super::{Event, EventContent, EventRefusal, EventType, VerifiedEvent, verify_event};
use crate::verify::tests::publish;

const ISSUER: &str = "https://onward.example";
const NOW: u64 = 1_800_000_000;

static KEY: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Rs256).unwrap());
static KEYS: LazyLock<JwkSet> =
    LazyLock::new(|| JwkSet::parse(publish(&[&KEY]).to_string().as_bytes()).unwrap());

/// The claims of a milestone's event, issued at `iat`.
pub(crate) fn milestone_claims(issuer: &str, iat: u64, event_id: &str) -> Value {
    json!({
        "iss": issuer, "iat": iat, "exp": iat + 300,
        "eventId": event_id, "eventType": "milestone.updated",
        "eventTimestamp": "2027-01-15T08:00:00Z", "propertyId": "42", "uprn": "100023336956",
        "data": {"milestone": {"label": "SSTC", "date": "2027-01-14"}}
    })
}

fn fall_through_claims() -> Value {
    let mut claims = milestone_claims(ISSUER, NOW, "e-1");
    claims["eventType"] = json!("fallthrough");
    claims["data"] = json!({"fallThroughDate": "2028-02-29"});
    claims
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn check(claims: &Value) -> Result<VerifiedEvent, EventRefusal> {
    check_at(claims, NOW)
}

fn check_at(claims: &Value, now: u64) -> Result<VerifiedEvent, EventRefusal> {
    let token = sign_compact("JWT", &KEY, claims).unwrap();
    verify_event(token.as_bytes(), &KEYS, ISSUER, at(now))
}

fn changed(pointer: &str, value: Value) -> Value {
    let mut claims = milestone_claims(ISSUER, NOW, "e-1");
    *claims.pointer_mut(pointer).unwrap() = value;
    claims
}

#[test]
fn an_event_as_documented_is_read() {
    let mut claims = milestone_claims(ISSUER, NOW, "e-1");
    claims["addedLater"] = json!({"a": [1]});
    let verified = check(&claims).unwrap();
    let expected = Event {
        event_id: "e-1".to_owned(),
        event_timestamp: "2027-01-15T08:00:00Z".to_owned(),
        property_id: "42".to_owned(),
        uprn: "100023336956".to_owned(),
        content: EventContent::MilestoneUpdated {
            label: "SSTC".to_owned(),
            date: "2027-01-14".to_owned(),
        },
    };
    assert_eq!(verified.event(), &expected);
    assert_eq!(verified.kid(), KEY.kid());
    assert_eq!(Value::Object(verified.claims().clone()), claims);

    let fallen = check(&fall_through_claims()).unwrap();
    let date = "2028-02-29".to_owned();
    assert_eq!(fallen.event().content, EventContent::FallThrough { date });
    assert_eq!(fallen.event().event_type(), EventType::FallThrough);
}

#[test]
fn each_claim_must_have_its_type() {
    for (pointer, value, expected) in [
        ("/eventId", json!(""), "`eventId` must be a string of"),
        ("/eventId", json!(7), "`eventId` must be a string of"),
        ("/eventId", json!("e".repeat(201)), "`eventId` must be"),
        ("/eventType", json!("other"), "`eventType` is no type"),
        ("/eventType", json!(null), "`eventType` must be a string"),
        ("/eventTimestamp", json!("2027-01-15"), "`eventTimestamp`"),
        ("/eventTimestamp", json!("2027-01-15T08:00:00+01:00"), "UTC"),
        ("/eventTimestamp", json!("2027-01-15T24:00:00Z"), "UTC"),
        ("/eventTimestamp", json!("2027-02-30T08:00:00.5Z"), "UTC"),
        ("/propertyId", json!(42), "`propertyId` must be a string"),
        ("/propertyId", json!("-1"), "`propertyId` must be"),
        (
            "/uprn",
            json!(100_023_336_956_u64),
            "`uprn` must be a string",
        ),
        ("/uprn", json!(""), "`uprn` must be"),
        ("/data", json!([]), "`data` must be an object"),
        ("/data/milestone", json!("SSTC"), "`data.milestone` must be"),
        ("/data/milestone/label", json!(1), "`data.milestone.label`"),
        ("/data/milestone/date", json!("2027-02-29"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("2027-1-02"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("2027-13-02"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("+027-12-02"), "YYYY-MM-DD"),
        (
            "/data",
            json!({"fallThroughDate": "2027-01-01"}),
            "`data.milestone`",
        ),
        ("/iat", json!("1800000000"), "`iat` must be a Unix time"),
        ("/iat", json!(1_800_000_000.5), "`iat` must be a Unix time"),
        ("/exp", json!(NOW + 301), "`exp` must lie after `iat`"),
        ("/exp", json!(NOW), "`exp` must lie after `iat`"),
        ("/exp", json!(-1), "`exp` must be a Unix time"),
        ("/iss", json!([ISSUER]), "`iss` must be a string"),
    ] {
        let claims = changed(pointer, value.clone());
        let error = check(&claims).unwrap_err();
        assert!(
            matches!(error, EventRefusal::Claim { .. }),
            "{pointer}: {error}"
        );
        assert!(error.to_string().contains(expected), "{pointer}: {error}");
        assert_eq!(error.code(), "invalid_request");
    }
    for name in [
        "iss",
        "iat",
        "exp",
        "eventId",
        "eventType",
        "eventTimestamp",
        "propertyId",
        "uprn",
        "data",
    ] {
        let mut claims = milestone_claims(ISSUER, NOW, "e-1");
        claims.as_object_mut().unwrap().remove(name).unwrap();
        let error = check(&claims).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")), "{name}: {error}");
    }
    let mut claims = fall_through_claims();
    claims["data"] = json!({"fallThroughDate": "yesterday"});
    let error = check(&claims).unwrap_err().to_string();
    assert!(error.contains("`data.fallThroughDate`"), "{error}");
}

#[test]
fn the_issuer_is_compared_character_for_character() {
    for issuer in [
        "https://onward.example/",
        "https://ONWARD.example",
        "https://other.example",
    ] {
        let error = check(&milestone_claims(issuer, NOW, "e-1")).unwrap_err();
        assert_eq!(error, EventRefusal::WrongIssuer(issuer.to_owned()));
        assert_eq!(error.code(), "invalid_issuer");
    }
}

#[test]
fn clocks_may_differ_by_a_minute() {
    let claims = milestone_claims(ISSUER, NOW, "e-1");
    for (now, expected) in [
        (NOW - 61, Some(EventRefusal::NotYetIssued(61))),
        (NOW - 60, None),
        (NOW + 359, None),
        (NOW + 360, Some(EventRefusal::Expired(60))),
        (0, Some(EventRefusal::NotYetIssued(NOW))),
    ] {
        assert_eq!(check_at(&claims, now).err(), expected, "at {now}");
    }
}

#[test]
fn only_rs256_of_a_published_key_counts() {
    let claims = milestone_claims(ISSUER, NOW, "e-1");
    let verify = |token: &str, keys: &JwkSet| {
        verify_event(token.as_bytes(), keys, ISSUER, at(NOW)).unwrap_err()
    };

    let other = SigningKey::generate(Algorithm::Rs256).unwrap();
    let token = sign_compact("JWT", &other, &claims).unwrap();
    let error = verify(&token, &KEYS);
    assert_eq!(error, EventRefusal::UnknownKey(other.kid().to_owned()));
    assert_eq!(error.code(), "invalid_key");

    // A signature of another key under the published key's id.
    let genuine = sign_compact("JWT", &KEY, &claims).unwrap();
    let (signed, _) = genuine.rsplit_once('.').unwrap();
    let forged = signing::base64url::encode(&other.sign(signed.as_bytes()).unwrap());
    let error = verify(&format!("{signed}.{forged}"), &KEYS);
    assert_eq!(error.code(), "authentication_failed", "{error}");

    let elliptic = SigningKey::generate(Algorithm::Es256).unwrap();
    let published = publish(&[&elliptic]).to_string();
    let token = sign_compact("JWT", &elliptic, &claims).unwrap();
    let error = verify(&token, &JwkSet::parse(published.as_bytes()).unwrap());
    assert_eq!(error, EventRefusal::WrongAlgorithm);

    for typ in ["at+jwt", "jwt", "secevent+jwt"] {
        let token = sign_compact(typ, &KEY, &claims).unwrap();
        assert_eq!(verify(&token, &KEYS), EventRefusal::WrongType, "{typ}");
    }
}

#[test]
fn a_header_without_a_key_and_unsigned_tokens_are_refused() {
    let payload = milestone_claims(ISSUER, NOW, "e-1").to_string();
    let payload = signing::base64url::encode(payload.as_bytes());
    for (header, expected) in [
        (json!({"typ": "JWT", "alg": "RS256"}), "no `kid`"),
        (
            json!({"alg": "RS256", "kid": KEY.kid()}),
            "`typ` must be JWT",
        ),
        (
            json!({"typ": "JWT", "alg": "none", "kid": KEY.kid()}),
            "`alg` must be",
        ),
        (
            json!({"typ": "JWT", "alg": "HS256", "kid": KEY.kid()}),
            "`alg` must be",
        ),
        (
            json!({"typ": "JWT", "alg": "RS256", "kid": KEY.kid()}),
            "does not verify",
        ),
        (
            json!({"typ": "JWT", "alg": "RS256", "kid": KEY.kid(), "jku": "https://a"}),
            "`jku`",
        ),
    ] {
        let header = signing::base64url::encode(header.to_string().as_bytes());
        let token = format!("{header}.{payload}.");
        let error = verify_event(token.as_bytes(), &KEYS, ISSUER, at(NOW)).unwrap_err();
        assert!(error.to_string().contains(expected), "{header}: {error}");
    }
    let error = verify_event(b"\xff", &KEYS, ISSUER, at(NOW)).unwrap_err();
    assert_eq!(error, EventRefusal::NotText);
}

proptest! {
    #[test]
    fn no_changed_character_is_accepted(position in 0_usize..1000, letter in "[A-Za-z0-9_.-]") {
        let token = sign_compact("JWT", &KEY, &milestone_claims(ISSUER, NOW, "e-1")).unwrap();
        let position = position % token.len();
        let mut altered = token.clone();
        altered.replace_range(position..=position, &letter);
        let verified = verify_event(altered.as_bytes(), &KEYS, ISSUER, at(NOW));
        prop_assert_eq!(verified.is_ok(), altered == token);
    }
}
