//! Strict parsing of requests to the token, introspection and revocation endpoints (RFC 6749
//! sections 2.3 and 3.2).

use axum::body::Body;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use tokens::verified_assertion::{Credentials, Endpoint};
use utoipa::ToSchema;
use web::form;
use web::problem::Problem;

use super::error::OauthError;
use crate::limits;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The parameters of the three endpoints. None of them may be in the URL.
const KNOWN: [&str; 8] = [
    "grant_type",
    "scope",
    "client_id",
    "client_secret",
    "client_assertion",
    "client_assertion_type",
    "token",
    "token_type_hint",
];

/// The form of a token request.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the input of `TokenRequest`")]
pub(crate) struct TokenForm {
    #[schema(pattern = "^client_credentials$")]
    grant_type: String,
    #[schema(pattern = "^urn:ietf:params:oauth:client-assertion-type:jwt-bearer$")]
    client_assertion_type: String,
    /// A JWT signed with a registered key of the client. `iss` and `sub` are the client id. `aud`
    /// is the issuer or the URL of this endpoint. `exp` is at most an hour ahead. `jti` has
    /// not been used before.
    client_assertion: String,
    /// The client id. If sent, it must equal the assertion's `sub`.
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Scopes separated by spaces. Without it, the token has all assigned scopes.
    #[schema(nullable = false)]
    scope: Option<String>,
}

/// The form of an introspection or revocation request.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the input of `TokenQuestion`")]
pub(crate) struct QuestionForm {
    /// An access token. Only its client sees or revokes it; a resource server sees tokens of others too.
    token: String,
    /// Ignored, because there is only one kind of token.
    #[schema(nullable = false)]
    token_type_hint: Option<String>,
    #[schema(pattern = "^urn:ietf:params:oauth:client-assertion-type:jwt-bearer$")]
    client_assertion_type: String,
    /// A JWT as in a token request. `aud` may also be the URL of this endpoint.
    client_assertion: String,
    /// The client id. If sent, it must equal the assertion's `sub`.
    #[schema(nullable = false)]
    client_id: Option<String>,
}

/// A well-formed token request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenRequest {
    /// Credentials of the calling client.
    pub credentials: Credentials,
    /// The requested scopes. `None` requests all assigned scopes.
    pub scope: Option<String>,
}

/// A well-formed request about one token (RFC 7009 section 2.1, RFC 7662 section 2.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenQuestion {
    /// Credentials of the calling client.
    pub credentials: Credentials,
    /// The token in question.
    pub token: String,
}

impl TokenRequest {
    /// Parses the request and refuses other authentication methods.
    pub(crate) async fn read(parts: &Parts, body: Body) -> Result<Self, OauthError> {
        let form = Form::read(parts, body).await?;
        form.refuse_other_ways()?;
        match form.find("grant_type") {
            Some("client_credentials") => {}
            Some(_) => return Err(OauthError::UnsupportedGrantType),
            None => return Err(OauthError::InvalidRequest("grant_type is missing")),
        }
        Ok(Self {
            credentials: form.read_credentials(Endpoint::Token)?,
            scope: form.find("scope").map(ToOwned::to_owned),
        })
    }
}

impl TokenQuestion {
    /// Parses the request. It ignores `token_type_hint`, as RFC 7009 section 2.1 allows.
    pub(crate) async fn read(
        parts: &Parts,
        body: Body,
        endpoint: Endpoint,
    ) -> Result<Self, OauthError> {
        let form = Form::read(parts, body).await?;
        form.refuse_other_ways()?;
        let token = form
            .find("token")
            .ok_or(OauthError::InvalidRequest("token is missing"))?;
        Ok(Self {
            credentials: form.read_credentials(endpoint)?,
            token: token.to_owned(),
        })
    }
}

/// The parameters of a request. No name occurs twice.
struct Form<'p> {
    fields: Vec<(String, String)>,
    authorization: Option<&'p HeaderValue>,
}

impl<'p> Form<'p> {
    /// Parses the body. It refuses repeated parameters, and its own parameters in the query string
    /// (RFC 6749 sections 2.3.1 and 3.2). It ignores unknown parameters, as section 3.2 asks.
    async fn read(parts: &'p Parts, body: Body) -> Result<Self, OauthError> {
        refuse_other_forms(parts)?;
        let body = form::read_body(&parts.headers, body, limits::TOKEN_BODY_BYTES_MAX).await;
        let body = body.map_err(|problem| {
            if let Problem::BodyTooLarge(limit) = problem {
                OauthError::TooLarge(limit)
            } else {
                OauthError::Failed(problem)
            }
        })?;
        Ok(Self {
            fields: parse_once_each(&body)?,
            authorization: parts.headers.get(header::AUTHORIZATION),
        })
    }

    /// Finds a value. An empty value counts as not sent (RFC 6749 section 3.2).
    fn find(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|field| field.0 == name);
        let value = field.map(|field| field.1.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// Refuses every authentication method but `private_key_jwt`. RFC 6749 section 2.3 allows one
    /// method in a request.
    fn refuse_other_ways(&self) -> Result<(), OauthError> {
        if let Some(field) = self.authorization {
            return Err(match self.find("client_assertion") {
                Some(_) => OauthError::InvalidRequest("authenticate in one way only"),
                None => OauthError::WrongScheme(challenge_of(field)),
            });
        }
        if self.find("client_secret").is_some() {
            return Err(OauthError::InvalidRequest(
                "client_secret is not accepted: use private_key_jwt",
            ));
        }
        Ok(())
    }

    fn read_credentials(&self, endpoint: Endpoint) -> Result<Credentials, OauthError> {
        let Some(client_assertion) = self.find("client_assertion") else {
            return Err(OauthError::InvalidClient("client_assertion is missing"));
        };
        if self.find("client_assertion_type") != Some(ASSERTION_TYPE) {
            return Err(OauthError::InvalidRequest(
                "client_assertion_type must be \
                 urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ));
        }
        Ok(Credentials {
            client_assertion: client_assertion.to_owned(),
            client_id: self.find("client_id").map(ToOwned::to_owned),
            endpoint,
        })
    }
}

/// Refuses a request that is not a POST, or does not send its parameters as a form in the body.
fn refuse_other_forms(parts: &Parts) -> Result<(), OauthError> {
    if parts.method != Method::POST {
        return Err(OauthError::MethodNotAllowed);
    }
    let in_url = parts.uri.query().unwrap_or_default().as_bytes();
    if form_urlencoded::parse(in_url).any(|(name, _value)| KNOWN.contains(&&*name)) {
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
    Ok(())
}

/// The challenge for the scheme that the client used (RFC 6749 section 5.2).
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
        if fields.len() >= web::limits::FORM_FIELDS_MAX {
            return Err(OauthError::InvalidRequest("too many parameters"));
        }
        fields.push((name, value));
    }
    Ok(fields)
}
