//! Tests of requests and refusals, and of whole queries.

use serde_json::json;

use super::{ChainInput, ChainQuery};
use crate::ClientError;
use crate::connection::BODY_LIMIT_BYTES;
use crate::fake_server::{FakeServer, KEYS, Reply, Request, publish};
use crate::verify::tests::{empty_page, sign_answer};

const TOKEN: &str = "POST /token";
const QUERY: &str = "POST /api/v1/standard/chains";
const KEY_SET: &str = "GET /jwks";
const INVALID_TOKEN: &str = r#"WWW-Authenticate: Bearer error="invalid_token""#;

/// A server that answers every request correctly, except where `other` has another reply.
async fn start_server(
    other: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static,
) -> FakeServer {
    let correct = |line: &str, earlier| match line {
        TOKEN => json!({
            "access_token": format!("token-{earlier}"), "token_type": "bearer", "expires_in": 600
        }),
        KEY_SET => publish(&[&KEYS[0]]),
        _ => sign_answer(&KEYS[0], &empty_page()),
    };
    FakeServer::start(move |request, earlier| {
        let other = other(request, earlier);
        other.unwrap_or_else(|| Reply::json(200, &correct(&request.line, earlier)))
    })
    .await
}

fn one_uprn() -> ChainQuery {
    ChainQuery {
        input: ChainInput::Uprns(vec![7]),
        rows: None,
        page: None,
        explain: false,
        as_of: None,
    }
}

#[tokio::test]
async fn values_repeat_in_the_form_and_the_page_is_in_the_path() {
    let addresses = ChainInput::Addresses(vec!["LS1 4AP".to_owned()]);
    let server = start_server(|_, _| None).await;
    let client = server.client();
    for (input, rows, page) in [
        (ChainInput::Uprns(vec![7, 8]), None, None),
        (addresses, Some(20), Some(3)),
    ] {
        let explain = page.is_some();
        let query = ChainQuery {
            input,
            rows,
            page,
            explain,
            as_of: None,
        };
        client.query_chains(&query).await.unwrap();
    }
    let requests = server.requests();
    let body = "inputType=uprn&value%5B%5D=7&value%5B%5D=8";
    assert_eq!((&*requests[1].line, &*requests[1].body), (QUERY, body));
    let body = "inputType=address&value%5B%5D=LS1+4AP&rows=20&explain=true";
    let line = "POST /api/v1/standard/chains?page=3";
    assert_eq!((&*requests[3].line, &*requests[3].body), (line, body));
}

#[rustfmt::skip]
fn refusals() -> [(Reply, &'static str); 8] {
    let missing = json!({"type": "urn:onward:problem:not-found", "title": "Not found", "detail": "no property matches"});
    let oversized = json!(" ".repeat(BODY_LIMIT_BYTES));
    let scope = r#"WWW-Authenticate: Bearer error="insufficient_scope""#;
    [
        (Reply::empty(429, "Retry-After: 3"),
            "the rate limit is reached: wait 3 s before the next request, and send requests less often"),
        (Reply::empty(429, "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"),
            "the rate limit is reached: wait before the next request"),
        (Reply::json(404, &missing),
            "404 Not found: no property matches; check the address or UPRN, or query another one"),
        (Reply::empty(307, "Location: https://localhost:1/"), "this client follows no redirects"),
        (Reply::empty(403, INVALID_TOKEN), "403 Forbidden; ask the directory's operator"),
        (Reply::empty(401, scope), "401 Unauthorized; request a new token"),
        (Reply::empty(401, ""), "401 Unauthorized; request a new token"),
        (Reply::json(200, &oversized), "gave an unexpected answer: it is larger than"),
    ]
}

#[tokio::test]
async fn a_refusal_gives_advice_and_causes_no_retry() {
    for (reply, expected) in refusals() {
        let server = start_server(move |request, _| {
            let reply = reply.clone();
            (request.line == QUERY).then_some(reply)
        })
        .await;
        let result = server.client().query_chains(&one_uprn()).await;
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(server.lines(), [TOKEN, QUERY], "{error}");
    }
}

#[tokio::test]
async fn token_and_key_set_serve_many_queries_until_they_are_old() {
    let server = start_server(|_, _| None).await;
    let client = server.client();
    client.query_chains(&one_uprn()).await.unwrap();
    client.query_chains(&one_uprn()).await.unwrap();
    assert_eq!(server.lines(), [TOKEN, QUERY, KEY_SET, QUERY]);
    let requests = server.requests();
    assert!(requests[0].has_certificate && requests[1].has_certificate);
    assert!(!requests[2].has_certificate, "the key set is public");
    assert_eq!(requests[3].header("authorization"), "Bearer token-0");
    let assertion = "&client_assertion=eyJ";
    assert!(requests[0].body.contains(assertion), "{}", requests[0].body);

    server.advance(571);
    client.query_chains(&one_uprn()).await.unwrap();
    assert_eq!(server.lines()[4..], [TOKEN, QUERY, KEY_SET]);
    let last_query = &server.requests()[5];
    assert_eq!(last_query.header("authorization"), "Bearer token-1");
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    for (refused, expected) in [
        ("Bearer token-0", &[TOKEN, QUERY, TOKEN, QUERY, KEY_SET][..]),
        ("Bearer token-", &[TOKEN, QUERY, TOKEN, QUERY]),
    ] {
        let server = start_server(move |request, _| {
            let is_refused = request.header("authorization").starts_with(refused);
            is_refused.then(|| Reply::empty(401, INVALID_TOKEN))
        })
        .await;
        let result = server.client().query_chains(&one_uprn()).await;
        let is_refused = matches!(result, Err(ClientError::Refused(_)));
        assert!(result.is_ok() || is_refused, "{result:?}");
        assert_eq!(is_refused, expected.last() == Some(&QUERY));
        assert_eq!(server.lines(), expected);
    }
}

#[tokio::test]
async fn an_unknown_key_causes_one_more_download() {
    for downloads_of_the_old_set in [1, 2] {
        let server = start_server(move |request, earlier| {
            let is_old = request.line == KEY_SET && earlier < downloads_of_the_old_set;
            is_old.then(|| Reply::json(200, &publish(&[&KEYS[1]])))
        })
        .await;
        let result = server.client().query_chains(&one_uprn()).await;
        let is_refused = matches!(result, Err(ClientError::NotGenuine(_)));
        assert!(result.is_ok() || is_refused, "{result:?}");
        assert_eq!(is_refused, downloads_of_the_old_set == 2);
        assert_eq!(server.lines(), [TOKEN, QUERY, KEY_SET, KEY_SET]);
    }
}

#[tokio::test]
async fn an_answer_without_a_key_set_is_told_from_a_refused_query() {
    let server = start_server(|request, _| {
        let is_key_set = request.line == KEY_SET;
        is_key_set.then(|| Reply::empty(404, ""))
    })
    .await;
    let error = server.client().query_chains(&one_uprn()).await.unwrap_err();
    assert!(matches!(error, ClientError::KeySet(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("status 404 instead of a key set"), "{text}");
}

#[tokio::test]
async fn a_server_of_another_authority_gets_no_request() {
    let server = start_server(|_, _| None).await;
    let stranger = start_server(|_, _| None).await;
    let client = server.client_that_trusts(&stranger.trust());
    let error = client.query_chains(&one_uprn()).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("invalid peer certificate"), "{text}");
    assert_eq!(server.lines(), Vec::<String>::new());
}
