//! Reading a token request strictly (RFC 6749 sections 3.2 and 4.4.2).

use axum::body::Body;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use utoipa::ToSchema;

use super::error::OauthError;
use crate::form;
use crate::limits;
use crate::problem::Problem;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// What a client sends for a token.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `TokenRequest` reads")]
pub struct TokenForm {
    #[schema(pattern = "^client_credentials$")]
    grant_type: String,
    #[schema(pattern = "^urn:ietf:params:oauth:client-assertion-type:jwt-bearer$")]
    client_assertion_type: String,
    /// A JWT signed with a key that the client registered: `iss` and `sub` the
    /// client id, `aud` the issuer or this address, `exp` at most ten minutes
    /// ahead, and a `jti` that was not used before.
    client_assertion: String,
    /// If sent, the client id once more.
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Scopes parted by spaces; without it, all that are assigned.
    #[schema(nullable = false)]
    scope: Option<String>,
}

/// A token request that is well formed. Nothing in it is proven yet.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenRequest {
    /// The signed assertion of RFC 7523.
    pub client_assertion: String,
    /// Optional, and then equal to the assertion's `sub` (S-21).
    pub client_id: Option<String>,
    /// The scopes asked for; none: all that are assigned.
    pub scope: Option<String>,
}

impl TokenRequest {
    /// Reads the request. Parameters in the query string, repeated parameters
    /// and a second way of authentication are refused: RFC 6749 sections 2.3
    /// and 3.2 forbid them.
    pub async fn read(parts: &Parts, body: Body) -> Result<Self, OauthError> {
        if parts.method != Method::POST {
            return Err(OauthError::MethodNotAllowed);
        }
        if parts.uri.query().is_some() {
            return Err(OauthError::InvalidRequest(
                "send the parameters in the body, none in the query string",
            ));
        }
        let kind = parts.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(OauthError::InvalidRequest(
                "send the body as application/x-www-form-urlencoded",
            ));
        }
        let body = form::read_body(body, limits::TOKEN_BODY_BYTES_MAX).await;
        let body = body.map_err(|problem| {
            if let Problem::BodyTooLarge(limit) = problem {
                OauthError::TooLarge(limit)
            } else {
                OauthError::Failed(problem)
            }
        })?;
        let fields = parse_once_each(&body)?;
        Self::from_fields(&fields, parts.headers.get(header::AUTHORIZATION))
    }

    fn from_fields(
        fields: &[(String, String)],
        authorization: Option<&HeaderValue>,
    ) -> Result<Self, OauthError> {
        let find = |name: &str| {
            let field = fields.iter().find(|field| field.0 == name);
            field
                .map(|field| field.1.clone())
                .filter(|value| !value.is_empty())
        };
        let client_assertion = find("client_assertion");
        if let Some(field) = authorization {
            return Err(match client_assertion {
                Some(_) => OauthError::InvalidRequest("authenticate in one way only"),
                None => OauthError::WrongScheme(challenge_of(field)),
            });
        }
        if find("client_secret").is_some() {
            return Err(OauthError::InvalidRequest(
                "client_secret is not accepted: use private_key_jwt",
            ));
        }
        match find("grant_type").as_deref() {
            Some("client_credentials") => {}
            Some(_) => return Err(OauthError::UnsupportedGrantType),
            None => return Err(OauthError::InvalidRequest("grant_type is missing")),
        }
        let Some(client_assertion) = client_assertion else {
            return Err(OauthError::InvalidClient("client_assertion is missing"));
        };
        if find("client_assertion_type").as_deref() != Some(ASSERTION_TYPE) {
            return Err(OauthError::InvalidRequest(
                "client_assertion_type must be \
                 urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ));
        }
        Ok(Self {
            client_assertion,
            client_id: find("client_id"),
            scope: find("scope"),
        })
    }
}

/// RFC 6749 section 5.2: the challenge is of the scheme that the client used.
fn challenge_of(field: &HeaderValue) -> &'static str {
    let scheme = field.as_bytes().split(|byte| *byte == b' ').next();
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic")) {
        "Basic realm=\"token\""
    } else {
        "Bearer"
    }
}

fn parse_once_each(body: &[u8]) -> Result<Vec<(String, String)>, OauthError> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(body).into_owned() {
        if fields.iter().any(|field| field.0 == name) {
            return Err(OauthError::InvalidRequest("a parameter is repeated"));
        }
        if fields.len() >= limits::FORM_FIELDS_MAX {
            return Err(OauthError::InvalidRequest("too many parameters"));
        }
        fields.push((name, value));
    }
    Ok(fields)
}
