//! Introspection answers (S-69).

use framework::answer::{Answer, Expected, read};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const NOW: i64 = 1_800_000_000;
const EXPECTED: Expected<'_> = Expected {
    issuer: "https://framework.example",
    audience: "https://onward.example",
};
const CERTIFICATE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

fn kind(body: &[u8]) -> &'static str {
    match read(body, EXPECTED, NOW) {
        Ok(Answer::Active(_)) => "active",
        Ok(Answer::Inactive) => "inactive",
        Ok(Answer::Refused(_)) => "refused",
        Err(_) => "unreadable",
    }
}

fn good() -> Map<String, Value> {
    let good = json!({
        "active": true,
        "client_id": "https://rp.example/1",
        "scope": "transaction-status other",
        "exp": NOW + 300,
        "cnf": {"x5t#S256": CERTIFICATE},
    });
    good.as_object().unwrap().clone()
}

/// The kind of the good answer with one member replaced.
#[track_caller]
fn check(name: &str, value: Value, expected: &str) {
    let mut members = good();
    members.insert(name.to_owned(), value);
    let body = serde_json::to_string(&members).unwrap();
    assert_eq!(kind(body.as_bytes()), expected, "{name}: {body}");
}

#[test]
fn a_good_answer_is_read_whole() {
    let Ok(Answer::Active(token)) = read(&serde_json::to_vec(&good()).unwrap(), EXPECTED, NOW)
    else {
        panic!("not active");
    };
    assert_eq!(token.client_id, "https://rp.example/1");
    assert_eq!(token.scope, "transaction-status other");
    assert_eq!(token.expires_at, NOW + 300);
    assert_eq!(token.certificate.to_base64url(), CERTIFICATE);
}

#[test]
fn members_that_may_be_absent_must_be_right() {
    check("token_type", json!("Bearer"), "active");
    check("token_type", json!("bearer"), "active");
    check("token_type", json!("DPoP"), "refused");
    check("token_type", json!(null), "refused");
    check("iss", json!("https://framework.example"), "active");
    check("iss", json!("https://framework.example/"), "refused");
    check("iss", json!("https://other.example"), "refused");
    check("iss", json!(null), "refused");
    check("aud", json!("https://onward.example"), "active");
    check(
        "aud",
        json!(["https://a.example", "https://onward.example"]),
        "active",
    );
    check("aud", json!("https://a.example"), "refused");
    check("aud", json!(["https://a.example"]), "refused");
    check("aud", json!([]), "refused");
    check("aud", json!([["https://onward.example"]]), "refused");
    check("username", json!("somebody"), "active");
}

#[test]
fn the_end_is_an_integer_within_an_hour() {
    check("exp", json!(NOW + 1), "active");
    check("exp", json!(NOW + 3660), "active");
    check("exp", json!(NOW + 3661), "refused");
    check("exp", json!(NOW), "refused");
    check("exp", json!(i64::MIN), "refused");
    check("exp", json!(0), "refused");
    check("exp", json!(-1), "refused");
    check("exp", json!((NOW + 300).to_string()), "refused");
    check("exp", json!(1_800_000_300.5), "refused");
    check("exp", json!(null), "refused");
}

#[test]
fn a_token_without_its_certificate_is_refused() {
    check(
        "cnf",
        json!({"x5t#S256": CERTIFICATE, "jkt": "x"}),
        "active",
    );
    check("cnf", json!({"jkt": CERTIFICATE}), "refused");
    check("cnf", json!({"x5t#S256": "short"}), "refused");
    check(
        "cnf",
        json!({"x5t#S256": format!("{CERTIFICATE}=")}),
        "refused",
    );
    check("cnf", json!({"x5t#S256": [CERTIFICATE]}), "refused");
    check("cnf", json!(CERTIFICATE), "refused");
    check("cnf", json!(null), "refused");
}

#[test]
fn client_and_scope_are_needed() {
    for wrong in [
        json!(""),
        json!(1),
        json!(null),
        json!("a\nb"),
        json!("x".repeat(257)),
    ] {
        check("client_id", wrong, "refused");
    }
    check("scope", json!(""), "active");
    check("scope", json!(["transaction-status"]), "refused");
    for name in ["client_id", "scope", "exp", "cnf"] {
        let mut members = good();
        members.remove(name);
        assert_eq!(
            kind(&serde_json::to_vec(&members).unwrap()),
            "refused",
            "{name}"
        );
    }
}

#[test]
fn only_a_readable_answer_says_anything() {
    assert_eq!(kind(br#"{"active":false}"#), "inactive");
    assert_eq!(kind(br#"{"active":false,"client_id":1}"#), "inactive");
    for body in [
        "",
        "{}",
        "[]",
        "null",
        "true",
        r#"{"active":"true"}"#,
        r#"{"active":1}"#,
        r#"{"active":null}"#,
        r#"{"active":false,"active":true}"#,
        r#"{"active":true,"exp":1,"exp":2}"#,
        r#"{"active":false} x"#,
        r#"{"active":fal"#,
        "<html>",
    ] {
        assert_eq!(kind(body.as_bytes()), "unreadable", "{body}");
    }
}

proptest! {
    #[test]
    fn no_body_makes_the_parser_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&body, EXPECTED, NOW);
    }

    /// Each byte of a good answer that is lost or changed leaves an answer that is refused, unreadable or still has
    /// the certificate.
    #[test]
    fn no_change_removes_the_binding(position in 0_usize..170, byte in any::<u8>()) {
        let mut body = serde_json::to_vec(&good()).unwrap();
        if let Some(place) = body.get_mut(position) {
            *place = byte;
        }
        if let Ok(Answer::Active(token)) = read(&body, EXPECTED, NOW) {
            prop_assert_eq!(token.certificate.to_base64url().len(), 43);
            prop_assert!(token.expires_at > NOW);
        }
    }
}
