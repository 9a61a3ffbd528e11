//! The claims (T21 to T39).

use serde_json::{Value, json};
use signing::assertion::{Profile, read_client_id};
use signing::jws::Unverified;

use super::{CLIENT, OTHER, TOKEN_ENDPOINT, check, claims, expect, sign};
use crate::fixture::{ABSENT, ISSUER, NOW, with_values};

/// Changes the claims and compares the outcome, which is the same under both profiles.
#[track_caller]
fn both(expected: &str, changes: impl IntoIterator<Item = Value>) {
    each([expected, expected], changes);
}

/// Changes the claims and compares the outcomes under the profiles `sector` and `fapi2`.
#[track_caller]
fn each(expected: [&str; 2], changes: impl IntoIterator<Item = Value>) {
    for change in changes {
        expect(&sign(&claims(&change)), expected, &change.to_string());
    }
}

#[test]
fn a_plain_assertion_passes_under_both_profiles() {
    for profile in [Profile::Sector, Profile::Fapi2] {
        let checked = check(&sign(&claims(&json!({}))), profile, None).unwrap();
        assert_eq!(checked.client_id(), CLIENT);
        assert_eq!(checked.jti(), "jti-1");
        assert_eq!(checked.expires_at(), NOW + 60);
    }
}

/// T21 to T24: RFC 7523 section 3, items 1 and 2.
#[test]
fn iss_and_sub_are_both_the_client_id() {
    let same = |value: Value| json!({"iss": value, "sub": value});
    for name in ["iss", "sub"] {
        both("IssuerIsNotSubject", [json!({name: OTHER})]);
        both("ClaimMissing", [json!({name: ABSENT})]);
    }
    let mistyped = [json!(1), json!(null), json!(["x"])];
    both("ClaimMistyped", mistyped.map(same));
    both("ClaimLength", [json!(""), json!("x".repeat(257))].map(same));
    let hostile = ["\u{0}", "\n", "\u{85}"].map(|control| json!(format!("{CLIENT}{control}")));
    both("ClaimControl", hostile.map(same));
    let wrong = [json!(OTHER), json!("é".repeat(256))];
    both("WrongClient", wrong.map(same));
}

#[test]
fn the_client_id_is_read_before_the_signature_is_verified() {
    let read = |change| read_client_id(&Unverified::parse(&sign(&claims(&change))).unwrap());
    assert_eq!(read(json!({})).unwrap(), CLIENT);
    let longest = "é".repeat(256);
    let claims = json!({"iss": longest, "sub": longest});
    assert_eq!(read(claims).unwrap(), longest);
    assert!(read(json!({"sub": "other"})).is_err());
    assert!(read(json!({"iss": ABSENT, "sub": ABSENT})).is_err());
}

/// T26 to T31: RFC 7523 section 3, item 3, and FAPI 2.0 section 5.3.2.1, item 8.
#[test]
fn aud_is_this_server_and_no_other() {
    let aud = |value: Value| json!({"aud": value});
    both("ClaimMissing", [json!({"aud": ABSENT})]);
    let mistyped = json!([null, {"x": ISSUER}, [], [1], [[ISSUER]]]);
    both("ClaimMistyped", with_values("aud", mistyped));
    let wrong = [
        json!(""),
        json!(OTHER),
        json!(format!("{ISSUER}/")),
        json!(format!("{TOKEN_ENDPOINT}/")),
        json!(ISSUER.to_uppercase()),
    ];
    both("WrongAudience", wrong.map(aud));
    // CVE-2025-27370.
    let several = [
        json!([ISSUER, OTHER]),
        json!([OTHER, ISSUER]),
        json!([ISSUER, ISSUER]),
        json!([ISSUER, TOKEN_ENDPOINT]),
        json!([ISSUER, 1]),
    ];
    both("SeveralAudiences", several.map(aud));
    each(["ok", "WrongAudience"], [aud(json!(TOKEN_ENDPOINT))]);
    let in_array = [json!([ISSUER]), json!([TOKEN_ENDPOINT])];
    each(["ok", "AudienceInArray"], in_array.map(aud));
    each(["WrongAudience", "AudienceInArray"], [aud(json!([OTHER]))]);
}

/// T32 to T35: RFC 7523 section 3, item 4, and the bounds of S-21.
#[test]
fn exp_is_a_near_future_integer() {
    let exp = |value: Value| json!({"exp": value});
    let at = |seconds: i64| json!({"exp": NOW + seconds});
    both("ok", [at(1), at(300)]);
    both("ClaimMissing", [exp(json!(ABSENT))]);
    // CVE-2026-25537 was a string that a reader skipped.
    let text = (NOW + 60).to_string();
    let mistyped = json!([null, text, 1_790_000_060.5, u64::MAX]);
    both("ClaimMistyped", with_values("exp", mistyped));
    both("Expired", [at(-300), at(0), exp(json!(i64::MIN))]);
    each(["ok", "LivesTooLong"], [at(301), at(3600)]);
    both("LivesTooLong", [at(3601), at(86_400), exp(json!(i64::MAX))]);
}

/// T34 to T37: RFC 7523 section 3, items 5 and 6.
#[test]
fn iat_and_nbf_are_optional_and_not_in_the_future() {
    let at = |seconds: i64| json!({"iat": NOW + seconds, "nbf": NOW + seconds});
    both("ok", [json!({"iat": ABSENT, "nbf": ABSENT})]);
    both("ok", [at(8), at(60), at(-30 * 86_400)]);
    for name in ["nbf", "iat"] {
        let mistyped = [json!(NOW.to_string()), json!(null), json!(0.5)];
        both("ClaimMistyped", mistyped.map(|value| json!({name: value})));
        let ahead = [NOW + 61, NOW + 120, i64::MAX];
        both("NotYet", ahead.map(|value| json!({name: value})));
    }
}

/// T39: RFC 7523 section 3, item 7.
#[test]
fn jti_is_a_string_of_bounded_length() {
    let jti = |value: Value| json!({"jti": value});
    both("ok", [jti(json!("é".repeat(256)))]);
    both("ClaimMissing", [jti(json!(ABSENT))]);
    both("ClaimMistyped", [json!(7), json!(null)].map(jti));
    both("ClaimLength", [json!(""), json!("x".repeat(257))].map(jti));
}
