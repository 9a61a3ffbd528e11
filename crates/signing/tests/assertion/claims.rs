//! The claims, row by row of the table of token requests (T21 to T39).

use serde_json::{Value, json};
use signing::assertion::{Profile, read_client_id};
use signing::jws::Unverified;

use crate::fixture::check as check_assertion;
use crate::fixture::{ABSENT, CLIENT, ISSUER, NOW, OTHER, TOKEN_ENDPOINT, claims, outcome, sign};

#[test]
fn a_plain_assertion_passes_under_both_profiles() {
    for profile in [Profile::Sector, Profile::Fapi2] {
        let checked = check_assertion(&sign(&claims(json!({}))), profile, None).unwrap();
        assert_eq!(checked.client_id(), CLIENT);
        assert_eq!(checked.jti(), "jti-1");
        assert_eq!(checked.expires_at(), NOW + 60);
    }
}

#[test]
fn iss_and_sub_are_both_the_client_id() {
    let (empty, long) = ("", "x".repeat(257));
    both(
        "T21 iss differs",
        json!({"iss": OTHER}),
        "IssuerIsNotSubject",
    );
    both(
        "T21 sub differs",
        json!({"sub": OTHER}),
        "IssuerIsNotSubject",
    );
    both("T22 sub missing", json!({"sub": ABSENT}), "ClaimMissing");
    both("T23 iss missing", json!({"iss": ABSENT}), "ClaimMissing");
    both("T23 a number", json!({"iss": 1, "sub": 1}), "ClaimMistyped");
    both(
        "T23 null",
        json!({"iss": null, "sub": null}),
        "ClaimMistyped",
    );
    both(
        "T23 empty",
        json!({"iss": empty, "sub": empty}),
        "ClaimLength",
    );
    both(
        "T23 too long",
        json!({"iss": long, "sub": long}),
        "ClaimLength",
    );
    for control in ["\u{0}", "\n", "\u{85}"] {
        let hostile = format!("{CLIENT}{control}");
        let claims = json!({"iss": hostile, "sub": hostile});
        both("T24 a control character", claims, "ClaimControl");
    }
    both(
        "T24 other client",
        json!({"iss": OTHER, "sub": OTHER}),
        "WrongClient",
    );
}

#[test]
fn aud_is_this_server_and_no_other() {
    both("T26 missing", json!({"aud": ABSENT}), "ClaimMissing");
    both("T26 null", json!({"aud": null}), "ClaimMistyped");
    both(
        "T26 an object",
        json!({"aud": {"x": ISSUER}}),
        "ClaimMistyped",
    );
    both("T26 an empty array", json!({"aud": []}), "ClaimMistyped");
    both(
        "T26 an array of a number",
        json!({"aud": [1]}),
        "ClaimMistyped",
    );
    both(
        "T26 in two arrays",
        json!({"aud": [[ISSUER]]}),
        "ClaimMistyped",
    );
    both("T26 empty", json!({"aud": ""}), "WrongAudience");
    both("T27 other server", json!({"aud": OTHER}), "WrongAudience");
    both(
        "T31 slash",
        json!({"aud": format!("{ISSUER}/")}),
        "WrongAudience",
    );
    both(
        "T31 token endpoint, slash",
        json!({"aud": format!("{TOKEN_ENDPOINT}/")}),
        "WrongAudience",
    );
    both(
        "T31 capitals",
        json!({"aud": ISSUER.to_uppercase()}),
        "WrongAudience",
    );
    both(
        "T30 [issuer, other]",
        json!({"aud": [ISSUER, OTHER]}),
        "SeveralAudiences",
    );
    both(
        "T30 [other, issuer]",
        json!({"aud": [OTHER, ISSUER]}),
        "SeveralAudiences",
    );
    both(
        "T30 twice",
        json!({"aud": [ISSUER, ISSUER]}),
        "SeveralAudiences",
    );
    both(
        "T30 both names",
        json!({"aud": [ISSUER, TOKEN_ENDPOINT]}),
        "SeveralAudiences",
    );
    both(
        "T30 with a number",
        json!({"aud": [ISSUER, 1]}),
        "SeveralAudiences",
    );
}

#[test]
fn the_profiles_differ_in_the_audience() {
    check(
        "T28",
        json!({"aud": TOKEN_ENDPOINT}),
        ["ok", "WrongAudience"],
    );
    check("T29", json!({"aud": [ISSUER]}), ["ok", "AudienceInArray"]);
    check(
        "T29 token endpoint",
        json!({"aud": [TOKEN_ENDPOINT]}),
        ["ok", "AudienceInArray"],
    );
    check(
        "T29 other",
        json!({"aud": [OTHER]}),
        ["WrongAudience", "AudienceInArray"],
    );
}

#[test]
fn exp_is_a_near_future_integer() {
    both("T32 missing", json!({"exp": ABSENT}), "ClaimMissing");
    both("T32 null", json!({"exp": null}), "ClaimMistyped");
    both("T33 5 minutes past", json!({"exp": NOW - 300}), "Expired");
    both("T33 now", json!({"exp": NOW}), "Expired");
    both("T33 in a second", json!({"exp": NOW + 1}), "ok");
    both("T33 the lowest", json!({"exp": i64::MIN}), "Expired");
    both(
        "T34 a string",
        json!({"exp": (NOW + 60).to_string()}),
        "ClaimMistyped",
    );
    both(
        "T34 a fraction",
        json!({"exp": 1_790_000_060.5}),
        "ClaimMistyped",
    );
    both(
        "T34 beyond 64 bits",
        json!({"exp": u64::MAX}),
        "ClaimMistyped",
    );
    both("T35 5 minutes ahead", json!({"exp": NOW + 300}), "ok");
    check(
        "T35 a second more",
        json!({"exp": NOW + 301}),
        ["ok", "LivesTooLong"],
    );
    check(
        "T35 10 minutes ahead",
        json!({"exp": NOW + 600}),
        ["ok", "LivesTooLong"],
    );
    both(
        "T35 a second more again",
        json!({"exp": NOW + 601}),
        "LivesTooLong",
    );
    both(
        "T35 24 h ahead",
        json!({"exp": NOW + 86_400}),
        "LivesTooLong",
    );
    both("T35 the highest", json!({"exp": i64::MAX}), "LivesTooLong");
}

#[test]
fn iat_and_nbf_are_optional_and_not_in_the_future() {
    let at = |seconds: i64| json!({"iat": NOW + seconds, "nbf": NOW + seconds});
    both(
        "T34 nbf a string",
        json!({"nbf": NOW.to_string()}),
        "ClaimMistyped",
    );
    both("T34 nbf null", json!({"nbf": null}), "ClaimMistyped");
    both("T34 nbf a fraction", json!({"nbf": 0.5}), "ClaimMistyped");
    both(
        "T34 iat a string",
        json!({"iat": NOW.to_string()}),
        "ClaimMistyped",
    );
    both("T36 neither", json!({"iat": ABSENT, "nbf": ABSENT}), "ok");
    both("T36 8 s ahead", at(8), "ok");
    both("T36 60 s ahead", at(60), "ok");
    both("T36 a month ago", at(-30 * 86_400), "ok");
    both("T37 120 s ahead", at(120), "NotYet");
    both("T37 nbf alone", json!({"nbf": NOW + 61}), "NotYet");
    both("T37b iat alone", json!({"iat": NOW + 61}), "NotYet");
    both("T37b the highest", json!({"iat": i64::MAX}), "NotYet");
}

#[test]
fn jti_is_a_string_of_bounded_length() {
    both("T39 missing", json!({"jti": ABSENT}), "ClaimMissing");
    both("T39 a number", json!({"jti": 7}), "ClaimMistyped");
    both("T39 null", json!({"jti": null}), "ClaimMistyped");
    both("T39 empty", json!({"jti": ""}), "ClaimLength");
    both("T39 256 characters", json!({"jti": "é".repeat(256)}), "ok");
    both(
        "T39 257 characters",
        json!({"jti": "x".repeat(257)}),
        "ClaimLength",
    );
}

#[test]
fn the_client_id_is_read_only_where_iss_and_sub_agree() {
    let read = |change| read_client_id(&Unverified::parse(&sign(&claims(change))).unwrap());
    let longest = "é".repeat(256);
    assert_eq!(read(json!({})).unwrap(), CLIENT);
    assert_eq!(
        read(json!({"iss": longest, "sub": longest})).unwrap(),
        longest
    );
    for change in [
        json!({"sub": "other"}),
        json!({"iss": null, "sub": null}),
        json!({"iss": "", "sub": ""}),
        json!({"iss": ["x"], "sub": ["x"]}),
        json!({"iss": ABSENT, "sub": ABSENT}),
    ] {
        let case = change.to_string();
        assert!(read(change).is_err(), "{case}");
    }
}

fn both(row: &str, change: Value, expected: &str) {
    check(row, change, [expected, expected]);
}

fn check(row: &str, change: Value, [sector, fapi2]: [&str; 2]) {
    let assertion = sign(&claims(change));
    assert_eq!(
        outcome(&assertion, Profile::Sector, None),
        sector,
        "{row}, sector"
    );
    assert_eq!(
        outcome(&assertion, Profile::Fapi2, None),
        fapi2,
        "{row}, fapi2"
    );
}
