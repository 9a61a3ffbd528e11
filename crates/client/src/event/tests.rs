//! Tests that an event is accepted only as document 1 describes it.

use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::jwk::JwkSet;
use signing::jws::sign_compact;
use signing::key::SigningKey;

use super::{Event, EventContent, EventRefusal, EventType, UnverifiedEvent, VerifiedEvent};
use crate::fake_server::{KEYS, NOW, publish};

const ISSUER: &str = "https://onward.example";

static PUBLISHED: LazyLock<JwkSet> = LazyLock::new(|| key_set(&KEYS[0]));

fn key_set(key: &SigningKey) -> JwkSet {
    JwkSet::parse(publish(&[key]).to_string().as_bytes()).unwrap()
}

/// The claims of a milestone's event, issued at `iat`.
pub(crate) fn milestone_claims(issuer: &str, iat: u64) -> Value {
    json!({
        "iss": issuer, "iat": iat, "exp": iat + 300,
        "eventId": "e-1", "eventType": "milestone.updated",
        "eventTimestamp": "2027-01-15T08:00:00Z", "propertyId": "42", "uprn": "100023336956",
        "data": {"milestone": {"label": "SSTC", "date": "2027-01-14"}}
    })
}

fn claims() -> Value {
    milestone_claims(ISSUER, NOW)
}

fn fall_through(date: &str) -> Value {
    let mut claims = claims();
    claims["eventType"] = json!("fallthrough");
    claims["data"] = json!({"fallThroughDate": date});
    claims
}

fn sign(typ: &str, key: &SigningKey, claims: &Value) -> String {
    sign_compact(typ, key, claims).unwrap()
}

fn verify_at(token: &[u8], keys: &JwkSet, now: u64) -> Result<VerifiedEvent, EventRefusal> {
    let now = UNIX_EPOCH + Duration::from_secs(now);
    UnverifiedEvent::read(token)?.verify(keys, ISSUER, now)
}

fn verify(token: &str) -> Result<VerifiedEvent, EventRefusal> {
    verify_at(token.as_bytes(), &PUBLISHED, NOW)
}

fn check(claims: &Value) -> Result<VerifiedEvent, EventRefusal> {
    verify(&sign("JWT", &KEYS[0], claims))
}

#[test]
fn a_documented_event_is_read() {
    let mut claims = claims();
    claims["addedLater"] = json!({"a": [1]});
    let verified = check(&claims).unwrap();
    let expected = Event {
        is_simulated: false,
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
    assert_eq!(verified.kid(), KEYS[0].kid());
    assert_eq!(Value::Object(verified.claims().clone()), claims);

    let fallen = check(&fall_through("2028-02-29")).unwrap();
    let date = "2028-02-29".to_owned();
    assert_eq!(fallen.event().content, EventContent::FallThrough { date });
    assert_eq!(fallen.event().event_type(), "fallthrough");
}

#[test]
fn each_type_is_read_as_it_is_documented() {
    let page = include_str!("../../../../docs/webhooks.md");
    for event_type in EventType::ALL {
        let name = format!("`{event_type}`");
        let mut rows = page.lines().filter_map(|line| line.split_once(" | `{"));
        let row = rows.find(|(first, _)| first.contains(&name));
        let (_, data) = row.unwrap_or_else(|| panic!("docs/webhooks.md has no data of {name}"));
        let data = data.trim_end_matches(" |").trim_end_matches('`');
        let mut claims = claims();
        claims["eventType"] = json!(event_type.as_str());
        claims["data"] = serde_json::from_str(&format!("{{{data}")).unwrap();
        let read = check(&claims).unwrap();
        assert_eq!(read.event().event_type(), event_type.as_str());
        let is_other = matches!(read.event().content, EventContent::Other { .. });
        assert!(!is_other, "{event_type}");
    }
}

#[test]
fn a_type_that_a_later_service_adds_is_accepted() {
    let mut claims = claims();
    claims["eventType"] = json!("offer.made");
    claims["data"] = json!({"offer": 1});
    let read = check(&claims).unwrap();
    assert_eq!(read.event().event_type(), "offer.made");
    assert_eq!(read.claims()["data"], claims["data"]);
    // Later types may be of no property.
    claims.as_object_mut().unwrap().remove("uprn");
    claims["propertyId"] = json!(7);
    let read = check(&claims).unwrap();
    assert_eq!(
        (
            read.event().uprn.as_str(),
            read.event().property_id.as_str()
        ),
        ("", "")
    );
    claims["eventId"] = json!("");
    assert!(matches!(
        check(&claims),
        Err(EventRefusal::Claim {
            name: "eventId",
            ..
        })
    ));
}

/// A claim, a wrong value, and a part of the refusal.
#[rustfmt::skip]
fn wrong_claims() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/eventId", json!(""), "`eventId` must be a string of"),
        ("/eventId", json!(7), "`eventId` must be a string of"),
        ("/eventId", json!("e".repeat(201)), "`eventId` must be"),
        ("/eventType", json!(""), "`eventType` must be a string"),
        ("/eventType", json!(null), "`eventType` must be a string"),
        ("/eventTimestamp", json!("2027-01-15"), "`eventTimestamp`"),
        ("/eventTimestamp", json!("2027-01-15T08:00:00+01:00"), "UTC"),
        ("/eventTimestamp", json!("2027-01-15T24:00:00Z"), "UTC"),
        ("/eventTimestamp", json!("2027-02-30T08:00:00.5Z"), "UTC"),
        ("/propertyId", json!(42), "`propertyId` must be a string"),
        ("/propertyId", json!("-1"), "`propertyId` must be"),
        ("/uprn", json!(100_023_336_956_u64), "`uprn` must be a string"),
        ("/uprn", json!(""), "`uprn` must be"),
        ("/data", json!([]), "`data` must be an object"),
        ("/data", json!({"fallThroughDate": "2027-01-01"}), "`data.milestone`"),
        ("/data/milestone", json!("SSTC"), "`data.milestone` must be"),
        ("/data/milestone/label", json!(1), "`data.milestone.label`"),
        ("/data/milestone/date", json!("2027-02-29"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("2027-1-02"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("2027-13-02"), "YYYY-MM-DD"),
        ("/data/milestone/date", json!("+027-12-02"), "YYYY-MM-DD"),
        ("/iat", json!("1800000000"), "`iat` must be a Unix time"),
        ("/iat", json!(1_800_000_000.5), "`iat` must be a Unix time"),
        ("/exp", json!(NOW + 301), "`exp` must be after `iat`"),
        ("/exp", json!(NOW), "`exp` must be after `iat`"),
        ("/exp", json!(-1), "`exp` must be a Unix time"),
        ("/iss", json!([ISSUER]), "`iss` must be a string"),
    ]
}

#[test]
fn each_claim_must_be_there_and_have_its_type() {
    let refuse = |claims: &Value, expected: &str| {
        let error = check(claims).unwrap_err();
        assert!(matches!(error, EventRefusal::Claim { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(error.code(), "invalid_request");
    };
    for (pointer, value, expected) in wrong_claims() {
        let mut claims = claims();
        *claims.pointer_mut(pointer).unwrap() = value;
        refuse(&claims, expected);
    }
    for name in claims().as_object().unwrap().keys() {
        let mut claims = claims();
        claims.as_object_mut().unwrap().remove(name);
        refuse(&claims, &format!("`{name}`"));
    }
    refuse(&fall_through("yesterday"), "`data.fallThroughDate`");
}

#[test]
fn the_issuer_is_compared_character_for_character() {
    for host in ["onward.example/", "ONWARD.example", "other.example"] {
        let issuer = format!("https://{host}");
        let error = check(&milestone_claims(&issuer, NOW)).unwrap_err();
        assert_eq!(error, EventRefusal::WrongIssuer(issuer));
        assert_eq!(error.code(), "invalid_issuer");
    }
}

#[test]
fn clocks_may_differ_by_a_minute() {
    let token = sign("JWT", &KEYS[0], &claims());
    for (now, expected) in [
        (NOW - 61, Some(EventRefusal::NotYetIssued(61))),
        (NOW - 60, None),
        (NOW + 359, None),
        (NOW + 360, Some(EventRefusal::Expired(60))),
        (0, Some(EventRefusal::NotYetIssued(NOW))),
    ] {
        let refusal = verify_at(token.as_bytes(), &PUBLISHED, now).err();
        assert_eq!(refusal, expected, "at {now}");
    }
}

#[test]
fn only_rs256_with_a_published_key_is_accepted() {
    let other = &KEYS[1];
    let error = verify(&sign("JWT", other, &claims())).unwrap_err();
    assert_eq!(error, EventRefusal::UnknownKey(other.kid().to_owned()));
    assert_eq!(error.code(), "invalid_key");

    // This token names the published key, but another key signed it.
    let genuine = sign("JWT", &KEYS[0], &claims());
    let (signed, _) = genuine.rsplit_once('.').unwrap();
    let forged = base64url::encode(&other.sign(signed.as_bytes()).unwrap());
    let error = verify(&format!("{signed}.{forged}")).unwrap_err();
    assert_eq!(error.code(), "authentication_failed", "{error}");

    let elliptic = SigningKey::generate(Algorithm::Es256).unwrap();
    let token = sign("JWT", &elliptic, &claims());
    let error = verify_at(token.as_bytes(), &key_set(&elliptic), NOW).unwrap_err();
    assert_eq!(error, EventRefusal::WrongAlgorithm);

    for typ in ["at+jwt", "jwt", "secevent+jwt"] {
        let error = verify(&sign(typ, &KEYS[0], &claims())).unwrap_err();
        assert_eq!(error, EventRefusal::WrongType, "{typ}");
    }
}

#[test]
fn a_wrong_header_or_an_unsigned_token_is_refused() {
    let payload = base64url::encode(claims().to_string().as_bytes());
    let kid = KEYS[0].kid();
    let with_alg = |alg: &str| json!({"typ": "JWT", "alg": alg, "kid": kid});
    let mut with_jku = with_alg("RS256");
    with_jku["jku"] = json!("a");
    for (header, expected) in [
        (json!({"typ": "JWT", "alg": "RS256"}), "no `kid`"),
        (json!({"alg": "RS256", "kid": kid}), "`typ` must be JWT"),
        (with_alg("none"), "`alg` must"),
        (with_alg("HS256"), "`alg` must"),
        (with_jku, "`jku`"),
        (with_alg("RS256"), "does not verify"),
    ] {
        let header = base64url::encode(header.to_string().as_bytes());
        let error = verify(&format!("{header}.{payload}.")).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
    }
    let error = verify_at(b"\xff", &PUBLISHED, NOW).unwrap_err();
    assert_eq!(error, EventRefusal::NotText);
}

proptest! {
    #[test]
    fn no_changed_character_is_accepted(position in 0_usize..1000, letter in "[A-Za-z0-9_.-]") {
        let token = sign("JWT", &KEYS[0], &claims());
        let position = position % token.len();
        let mut altered = token.clone();
        altered.replace_range(position..=position, &letter);
        prop_assert_eq!(verify(&altered).is_ok(), altered == token);
    }
}
