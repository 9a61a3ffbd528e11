//! Tests of what is sent and of how refusals are told apart. The later ones run whole queries.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;

use super::{ChainInput, ChainQuery, form_fields, read_refusal, refuses_token};
use crate::ClientError;
use crate::connection::Answer;
use crate::stand_in::{Reply, Request, Service};
use crate::verify::tests::{empty_page, publish, sign_answer};

fn answer(status: u16, header: Option<(HeaderName, &'static str)>, body: &str) -> Answer {
    let mut headers = HeaderMap::new();
    if let Some((name, value)) = header {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Answer {
        url: "https://localhost".to_owned(),
        status,
        headers,
        body: body.into(),
    }
}

fn check_fields(input: ChainInput, rows: Option<u8>, expected: &[(&str, &str)]) {
    let fields = form_fields(&ChainQuery {
        input,
        rows,
        page: Some(3),
    });
    let shown: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn values_are_repeated_and_the_page_is_not_a_form_field() {
    check_fields(
        ChainInput::Uprns(vec![7, 8]),
        None,
        &[("inputType", "uprn"), ("value[]", "7"), ("value[]", "8")],
    );
    check_fields(
        ChainInput::Addresses(vec!["LS1 4AP".to_owned()]),
        Some(20),
        &[
            ("inputType", "address"),
            ("value[]", "LS1 4AP"),
            ("rows", "20"),
        ],
    );
}

#[test]
fn only_an_invalid_token_is_worth_a_new_one() {
    let invalid = Some((WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#));
    let scope = Some((WWW_AUTHENTICATE, r#"Bearer error="insufficient_scope""#));
    assert!(refuses_token(&answer(401, invalid.clone(), "")));
    assert!(!refuses_token(&answer(403, invalid, "")));
    assert!(!refuses_token(&answer(401, scope, "")));
    assert!(!refuses_token(&answer(401, None, "")));
}

#[test]
fn refusals_say_what_to_do() {
    let text = |answer: &Answer| read_refusal(answer).to_string();
    let limited = answer(429, Some((RETRY_AFTER, "3")), "");
    assert_eq!(
        text(&limited),
        "the rate limit is reached: wait 3 s before the next request, and space requests out"
    );
    let dated = answer(
        429,
        Some((RETRY_AFTER, "Wed, 21 Oct 2026 07:28:00 GMT")),
        "",
    );
    assert!(text(&dated).starts_with("the rate limit is reached: wait before"));
    let missing = answer(
        404,
        None,
        r#"{"title":"Not found","detail":"no property matches"}"#,
    );
    assert_eq!(
        text(&missing),
        "404 Not found: no property matches; check the address or UPRN, or query another one"
    );
}

const TOKEN_LINE: &str = "POST /token";
const QUERY_LINE: &str = "POST /api/v1/standard/chains";
const KEYS_LINE: &str = "GET /jwks";

fn reply(body: &impl ToString) -> Reply {
    Reply {
        status: "200 OK",
        headers: "",
        body: body.to_string().into_bytes(),
    }
}

fn token_reply(number: usize) -> Reply {
    reply(&format!(
        r#"{{"access_token":"token-{number}","token_type":"bearer","expires_in":600}}"#
    ))
}

fn one_uprn() -> ChainQuery {
    ChainQuery {
        input: ChainInput::Uprns(vec![7]),
        rows: None,
        page: None,
    }
}

/// A service that answers everything as it should, but for what `other` answers instead.
async fn start_service(
    other: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static,
) -> Service {
    let key = SigningKey::generate(Algorithm::Rs256).unwrap();
    Service::start(move |request, earlier| {
        if let Some(reply) = other(request, earlier) {
            return reply;
        }
        match request.line.as_str() {
            TOKEN_LINE => token_reply(earlier),
            KEYS_LINE => reply(&publish(&[&key])),
            _ => reply(&sign_answer(&key, &empty_page())),
        }
    })
    .await
}

#[tokio::test]
async fn token_and_key_set_serve_many_queries_until_they_age() {
    let service = start_service(|_, _| None).await;
    service.client.query_chains(&one_uprn()).await.unwrap();
    let second = ChainQuery {
        page: Some(2),
        ..one_uprn()
    };
    service.client.query_chains(&second).await.unwrap();
    assert_eq!(
        service.lines(),
        [
            TOKEN_LINE,
            QUERY_LINE,
            KEYS_LINE,
            "POST /api/v1/standard/chains?page=2"
        ]
    );
    let requests = service.requests();
    assert!(requests[0].has_certificate && requests[1].has_certificate);
    assert!(!requests[2].has_certificate, "the key set is public");
    assert_eq!(requests[1].authorization, "Bearer token-0");
    assert_eq!(requests[1].body, "inputType=uprn&value%5B%5D=7");
    assert!(
        requests[0].body.contains("&client_assertion=eyJ"),
        "{}",
        requests[0].body
    );

    service.advance(571);
    service.client.query_chains(&one_uprn()).await.unwrap();
    assert_eq!(service.lines()[4..], [TOKEN_LINE, QUERY_LINE, KEYS_LINE]);
    assert_eq!(service.requests()[5].authorization, "Bearer token-1");
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let unauthorized = |request: &Request, _| {
        (request.authorization == "Bearer token-0").then_some(Reply {
            status: "401 Unauthorized",
            headers: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n",
            body: Vec::new(),
        })
    };
    let service = start_service(unauthorized).await;
    service.client.query_chains(&one_uprn()).await.unwrap();
    assert_eq!(
        service.lines(),
        [TOKEN_LINE, QUERY_LINE, TOKEN_LINE, QUERY_LINE, KEYS_LINE]
    );

    let always = |request: &Request, _| {
        (request.line == QUERY_LINE).then_some(Reply {
            status: "401 Unauthorized",
            headers: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n",
            body: Vec::new(),
        })
    };
    let service = start_service(always).await;
    let error = service.client.query_chains(&one_uprn()).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
    assert_eq!(
        service.lines(),
        [TOKEN_LINE, QUERY_LINE, TOKEN_LINE, QUERY_LINE]
    );
}

#[tokio::test]
async fn an_unknown_key_is_looked_for_once_more() {
    let stale = SigningKey::generate(Algorithm::Rs256).unwrap();
    let published = publish(&[&stale]);
    let stale_at_first = move |request: &Request, earlier| {
        (request.line == KEYS_LINE && earlier == 0).then(|| reply(&published))
    };
    let service = start_service(stale_at_first).await;
    service.client.query_chains(&one_uprn()).await.unwrap();
    assert_eq!(
        service.lines(),
        [TOKEN_LINE, QUERY_LINE, KEYS_LINE, KEYS_LINE]
    );

    let published = publish(&[&stale]);
    let always_stale =
        move |request: &Request, _| (request.line == KEYS_LINE).then(|| reply(&published));
    let service = start_service(always_stale).await;
    let error = service.client.query_chains(&one_uprn()).await.unwrap_err();
    assert!(matches!(error, ClientError::Provenance(_)), "{error}");
    assert_eq!(service.lines().len(), 4);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let redirect = |request: &Request, _| {
        (request.line == QUERY_LINE).then_some(Reply {
            status: "307 Temporary Redirect",
            headers: "Location: https://localhost:1/\r\n",
            body: Vec::new(),
        })
    };
    let service = start_service(redirect).await;
    let error = service
        .client
        .query_chains(&one_uprn())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("redirects are not followed"), "{error}");
}

#[tokio::test]
async fn oversized_answers_are_refused() {
    let oversized = |request: &Request, _| {
        (request.line == QUERY_LINE)
            .then(|| reply(&" ".repeat(crate::connection::BODY_LIMIT_BYTES + 1)))
    };
    let service = start_service(oversized).await;
    let error = service
        .client
        .query_chains(&one_uprn())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("it is larger than"), "{error}");
}

#[tokio::test]
async fn a_service_of_another_authority_is_not_spoken_to() {
    let service = start_service(|_, _| None).await;
    let stranger = start_service(|_, _| None).await;
    let client = service.client_that_trusts(&stranger);
    let error = client
        .query_chains(&one_uprn())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("invalid peer certificate"), "{error}");
    assert_eq!(service.lines(), Vec::<String>::new());
}
