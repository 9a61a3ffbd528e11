//! Which issuer decides about a text (S-68).

use framework::decision::{Decision, decide};
use proptest::prelude::*;
use signing::base64url;

const OWN: &str = "https://own.example";
const FRAMEWORK: &str = "https://framework.example";

#[track_caller]
fn check(text: &str, expected: &str) {
    let decided = match decide(text, OWN, FRAMEWORK) {
        Decision::Own => "own",
        Decision::Framework => "framework",
        Decision::Nobody(_why) => "nobody",
    };
    assert_eq!(decided, expected, "{text}");
}

fn jwt(header: &str, payload: &str) -> String {
    let part = |json: &str| base64url::encode(json.as_bytes());
    format!("{}.{}.c2ln", part(header), part(payload))
}

#[test]
fn an_access_token_belongs_to_the_issuer_that_it_names() {
    let header = r#"{"alg":"PS256","kid":"1","typ":"at+jwt"}"#;
    check(&jwt(header, r#"{"iss":"https://own.example"}"#), "own");
    check(
        &jwt(header, r#"{"iss":"https://framework.example"}"#),
        "framework",
    );
    for payload in [
        r#"{"iss":"https://stranger.example"}"#,
        r#"{"iss":"https://framework.example/"}"#,
        r#"{"iss":"HTTPS://framework.example"}"#,
        r#"{"iss":["https://framework.example"]}"#,
        r#"{"iss":"https://own.example","iss":"https://framework.example"}"#,
        r#"{"iss":null}"#,
        "{}",
        "[]",
        "no JSON",
    ] {
        check(&jwt(header, payload), "nobody");
    }
}

#[test]
fn the_type_has_two_spellings_in_any_case() {
    let own = r#"{"iss":"https://own.example"}"#;
    for typ in [
        "at+jwt",
        "AT+JWT",
        "application/at+jwt",
        "Application/AT+jwt",
    ] {
        check(
            &jwt(&format!(r#"{{"alg":"none","typ":"{typ}"}}"#), own),
            "own",
        );
    }
}

#[test]
fn another_text_is_the_frameworks() {
    let own = r#"{"iss":"https://own.example"}"#;
    check("dGhpcyBpcyBvcGFxdWU", "framework");
    check("a-._~+/9==", "framework");
    check(&jwt(r#"{"alg":"RS256","typ":"JWT"}"#, own), "framework");
    check(&jwt(r#"{"alg":"RS256"}"#, own), "framework");
    check(&"a".repeat(4096), "framework");
}

#[test]
fn a_text_that_is_no_token_is_nobodys() {
    for text in ["", "=", "==", "a b", "a,b", "a=b", "ä", "a\"b", "a\\b"] {
        check(text, "nobody");
    }
    check(&"a".repeat(4097), "nobody");
}

#[test]
fn parts_that_are_missing_name_no_issuer() {
    let header = base64url::encode(br#"{"typ":"at+jwt"}"#);
    check(&format!("{header}."), "nobody");
    check(&format!("{header}..."), "nobody");
    check(&format!("{header}.!.x"), "nobody");
}

proptest! {
    #[test]
    fn no_text_makes_the_decision_panic(text in "[a-zA-Z0-9_.=!-]{0,80}") {
        decide(&text, OWN, FRAMEWORK);
    }

    /// A text is own only if its header and its payload say so.
    #[test]
    fn only_texts_that_name_our_issuer_are_ours(typ in "[a-z+]{0,8}", iss in "[a-z:/.]{0,24}") {
        let text = jwt(&format!(r#"{{"typ":"{typ}"}}"#), &format!(r#"{{"iss":"{iss}"}}"#));
        let is_ours = decide(&text, OWN, FRAMEWORK) == Decision::Own;
        prop_assert_eq!(is_ours, typ == "at+jwt" && iss == OWN);
    }
}
