//! Reading what clients send to the token endpoint and its neighbours, strictly (RFC 6749 sections
//! 2.3 and 3.2).

use axum::body::Body;
use http::request::Parts;
use http::{HeaderValue, Method, header};
use tokens::verified_assertion::Credentials;
use utoipa::ToSchema;

use super::error::OauthError;
use crate::form;
use crate::limits;
use crate::problem::Problem;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// What a client sends for a token.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `TokenRequest` reads")]
pub(crate) struct TokenForm {
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

/// What a client sends to look at a token or to give it up.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `TokenQuestion` reads")]
pub(crate) struct QuestionForm {
    /// An access token of the client's own.
    token: String,
    /// Means nothing here: there is one kind of token.
    #[schema(nullable = false)]
    token_type_hint: Option<String>,
    #[schema(pattern = "^urn:ietf:params:oauth:client-assertion-type:jwt-bearer$")]
    client_assertion_type: String,
    /// As in a token request.
    client_assertion: String,
    /// If sent, the client id once more.
    #[schema(nullable = false)]
    client_id: Option<String>,
}

/// A token request that is well formed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenRequest {
    /// Of the client that asks.
    pub credentials: Credentials,
    /// The scopes asked for; none: all that are assigned.
    pub scope: Option<String>,
}

/// A request about one token (RFC 7009 section 2.1, RFC 7662 section 2.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenQuestion {
    /// Of the client that asks.
    pub credentials: Credentials,
    /// The token.
    pub token: String,
}

impl TokenRequest {
    /// Reads the request.
    pub(crate) async fn read(parts: &Parts, body: Body) -> Result<Self, OauthError> {
        let form = Form::read(parts, body).await?;
        form.refuse_other_ways()?;
        match form.find("grant_type") {
            Some("client_credentials") => {}
            Some(_) => return Err(OauthError::UnsupportedGrantType),
            None => return Err(OauthError::InvalidRequest("grant_type is missing")),
        }
        Ok(Self {
            credentials: form.read_credentials()?,
            scope: form.find("scope").map(ToOwned::to_owned),
        })
    }
}

impl TokenQuestion {
    /// Reads the request. `token_type_hint` is not looked at, as RFC 7009
    /// section 2.1 allows.
    pub(crate) async fn read(parts: &Parts, body: Body) -> Result<Self, OauthError> {
        let form = Form::read(parts, body).await?;
        form.refuse_other_ways()?;
        let token = form
            .find("token")
            .ok_or(OauthError::InvalidRequest("token is missing"))?;
        Ok(Self {
            credentials: form.read_credentials()?,
            token: token.to_owned(),
        })
    }
}

/// The parameters of a request, each once.
struct Form<'p> {
    fields: Vec<(String, String)>,
    authorization: Option<&'p HeaderValue>,
}

impl<'p> Form<'p> {
    /// Parameters in the query string and repeated parameters are refused: RFC
    /// 6749 sections 2.3 and 3.2 forbid them.
    async fn read(parts: &'p Parts, body: Body) -> Result<Self, OauthError> {
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
        Ok(Self {
            fields: parse_once_each(&body)?,
            authorization: parts.headers.get(header::AUTHORIZATION),
        })
    }

    /// A value; one that is empty counts as not sent (RFC 6749 section 3.2).
    fn find(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|field| field.0 == name);
        let value = field.map(|field| field.1.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// RFC 6749 section 2.3: one way of authentication only, and here it is
    /// `private_key_jwt`.
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

    fn read_credentials(&self) -> Result<Credentials, OauthError> {
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
