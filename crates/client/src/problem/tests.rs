//! Tests of what is read from the bodies of refusals.

use super::{Problem, TokenRefusal};

fn check(status: u16, body: &str, expected: &str) {
    let shown = Problem::parse(status, body.as_bytes()).to_string();
    assert_eq!(shown, expected, "for {status} {body:?}");
}

#[test]
fn problem_documents_are_shown_with_their_faults() {
    check(
        404,
        r#"{"type":"about:blank","title":"Not found","status":404,"detail":"several properties fit","requestId":"r-1"}"#,
        "404 Not found: several properties fit (request r-1)",
    );
    check(
        422,
        r#"{"title":"Wrong value","status":422,"detail":"one entry","errors":[{"pointer":"value[3]","detail":"is not a UPRN"}]}"#,
        "422 Wrong value: one entry\n  value[3]: is not a UPRN",
    );
}

#[test]
fn other_bodies_leave_the_status_alone() {
    check(502, "<html>bad gateway</html>", "502 Bad Gateway");
    check(503, "", "503 Service Unavailable");
    check(403, "[1,2]", "403 Forbidden");
    check(404, r#"{"title":7}"#, "404 Not Found");
    check(799, "{}", "799 refused");
}

#[test]
fn the_status_of_the_answer_counts_and_escapes_are_dropped() {
    check(
        401,
        "{\"status\":200,\"title\":\"No\\u001b[2J\",\"detail\":\"x\\u0007\"}",
        "401 No[2J: x",
    );
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
    let empty = TokenRefusal::parse(500, b"oops");
    assert_eq!(empty.to_string(), "500 Internal Server Error");
}
