//! Tests of reading the bodies of refusals.

use super::{Problem, TokenRefusal};

#[rustfmt::skip]
const PROBLEMS: [(u16, &str, &str); 9] = [
    (404, r#"{"type":"about:blank","title":"Not found","status":404,"detail":"several properties fit","requestId":"r-1"}"#,
        "404 Not found: several properties fit (request r-1)"),
    (422, r#"{"title":"Wrong value","status":422,"detail":"one entry","errors":[{"pointer":"value[3]","detail":"is not a UPRN"}]}"#,
        "422 Wrong value: one entry\n  value[3]: is not a UPRN"),
    // Nothing is said twice.
    (422, r#"{"title":"Wrong value","detail":"date: must be a date; rows: must be 1","errors":[{"pointer":"date","detail":"must be a date"},{"pointer":"rows","detail":"must be 1"}]}"#,
        "422 Wrong value: date: must be a date; rows: must be 1"),
    (502, "<html>bad gateway</html>", "502 Bad Gateway"),
    (503, "", "503 Service Unavailable"),
    (403, "[1,2]", "403 Forbidden"),
    (404, r#"{"title":7}"#, "404 Not Found"),
    (799, "{}", "799 refused"),
    // The status of the answer counts, not the status in the body.
    (401, r#"{"status":200,"title":"No\u001b[2J","detail":"x\u0007"}"#, "401 NoU+001B[2J: xU+0007"),
];

#[test]
fn every_body_becomes_a_printable_problem() {
    for (status, body, expected) in PROBLEMS {
        let shown = Problem::parse(status, body.as_bytes()).to_string();
        assert_eq!(shown, expected, "for {status} {body:?}");
    }
}

#[test]
fn the_kind_is_the_type_or_the_code() {
    for (body, kind, shown) in [
        (
            r#"{"type":"urn:onward:problem:not-found"}"#,
            "not-found",
            "404 Not Found",
        ),
        (r#"{"type":"about:blank"}"#, "", "404 Not Found"),
        ("<html>", "", "404 Not Found"),
        (
            r#"{"message":"there is nothing","success":false,"errors":[{"code":"no_such_path","detail":"x"}]}"#,
            "no_such_path",
            "404 Not Found: there is nothing",
        ),
    ] {
        let problem = Problem::parse(404, body.as_bytes());
        assert_eq!(problem.kind, kind, "{body}");
        assert!(problem.to_string().starts_with(shown), "{problem}");
        let is_miss = problem
            .query_advice()
            .starts_with("check the address or UPRN");
        assert_eq!(is_miss, kind == "not-found", "{body}");
    }
}

#[test]
fn token_errors_are_shown_with_their_description() {
    let body = br#"{"error":"invalid_client","error_description":"unknown client"}"#;
    let refusal = TokenRefusal::parse(401, body);
    assert_eq!(
        refusal.to_string(),
        "401 Unauthorized, invalid_client: unknown client"
    );
    assert!(refusal.advice().contains("clock"));
    let other = TokenRefusal::parse(500, b"oops");
    assert_eq!(other.to_string(), "500 Internal Server Error");
    let missing = TokenRefusal::parse(404, b"");
    assert_eq!(missing.advice(), "check the address of the token endpoint");
}

#[test]
fn an_error_of_the_token_endpoint_itself_asks_to_try_again() {
    for status in [500, 502, 503] {
        let advice = TokenRefusal::parse(status, b"").advice();
        assert!(advice.starts_with("try again later"), "{status}: {advice}");
    }
}
