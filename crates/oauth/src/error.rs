//! Refusals of the token, introspection and revocation endpoints (RFC 6749 section 5.2).

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use storage::StorageError;
use tokens::context::ClientRefusal;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Response as DescribedResponse};
use web::problem::Problem;
use web::refusals::{self, DescribedRefusal};

use crate::limits;
use crate::outcome::TokenOutcome;

/// A refusal. Most texts tell the caller what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OauthError {
    /// The request is malformed.
    InvalidRequest(&'static str),
    /// The client failed to authenticate.
    InvalidClient(&'static str),
    /// The client used the `Authorization` field. The text is the challenge for its scheme.
    WrongScheme(&'static str),
    /// The grant type is not supported.
    UnsupportedGrantType,
    /// A requested scope does not exist or is not assigned to the client.
    InvalidScope(&'static str),
    /// The body is larger than this many bytes.
    TooLarge(usize),
    /// The method is not POST.
    MethodNotAllowed,
    /// The client exceeded its rate limit and must wait this many seconds (S-14).
    RateLimited(u64),
    /// A temporary or internal failure, answered in document 1's format.
    Failed(Problem),
}

/// Forbids caching of an answer or refusal (RFC 6749 section 5.1).
pub(crate) fn forbid_keeping(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
}

/// Describes the refusals of an endpoint that authenticates clients. `own` holds the refusals that
/// only this endpoint has.
pub fn describe(
    own: impl IntoIterator<Item = OauthError>,
) -> BTreeMap<String, RefOr<DescribedResponse>> {
    let passing = [
        Problem::BodyMalformed("The body ended before it was complete.".to_owned()),
        Problem::ContentEncoded,
        Problem::BodyTooSlow,
        Problem::Internal(String::new()),
        Problem::Unavailable(1, String::new()),
        Problem::Unconfirmed(String::new()),
    ];
    let shared = [
        OauthError::InvalidRequest("a parameter is repeated"),
        OauthError::InvalidClient("the client is not registered"),
        OauthError::WrongScheme("Bearer"),
        OauthError::TooLarge(limits::TOKEN_BODY_BYTES_MAX),
        OauthError::RateLimited(1),
    ];
    let all = own
        .into_iter()
        .chain(shared)
        .chain(passing.map(OauthError::Failed));
    refusals::describe(all.map(|refusal| refusal.to_refusal()))
}

/// A refusal (RFC 6749 section 5.2).
#[derive(Serialize, ToSchema)]
#[schema(as = TokenError)]
pub struct Body<'a> {
    /// The kind of error, for programs.
    error: &'a str,
    /// The correction to make, for people.
    error_description: String,
}

impl OauthError {
    /// The line of the security log. `None` for failures of the service.
    pub fn outcome(&self) -> Option<TokenOutcome> {
        let (_status, code, description) = self.parts().ok()?;
        Some(TokenOutcome::Refused(code, description))
    }

    fn parts(&self) -> Result<(StatusCode, &'static str, String), Problem> {
        let (status, code, description) = match self {
            Self::InvalidRequest(why) => (StatusCode::BAD_REQUEST, "invalid_request", *why),
            Self::InvalidClient(why) => (StatusCode::UNAUTHORIZED, "invalid_client", *why),
            Self::WrongScheme(_) => (
                StatusCode::UNAUTHORIZED,
                "invalid_client",
                "use private_key_jwt: send client_assertion in the form",
            ),
            Self::UnsupportedGrantType => (
                StatusCode::BAD_REQUEST,
                "unsupported_grant_type",
                "use grant_type=client_credentials",
            ),
            Self::InvalidScope(why) => (StatusCode::BAD_REQUEST, "invalid_scope", *why),
            Self::TooLarge(limit) => {
                let description = format!("the body is larger than {limit} bytes");
                return Ok((
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "invalid_request",
                    description,
                ));
            }
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "invalid_request",
                "use POST",
            ),
            // RFC 6749 section 5.2 has no code for a rate limit, and clients expect a code. So
            // this one comes from section 4.1.2.1.
            Self::RateLimited(seconds) => {
                let description = format!("too many requests: wait {seconds} s");
                return Ok((
                    StatusCode::TOO_MANY_REQUESTS,
                    "temporarily_unavailable",
                    description,
                ));
            }
            Self::Failed(problem) => return Err(problem.clone()),
        };
        Ok((status, code, description.to_owned()))
    }

    /// The refusal as the OpenAPI document shows it.
    pub fn to_refusal(&self) -> DescribedRefusal {
        let mut refusal = match (self.parts(), self.to_parts()) {
            (Ok((_status, code, description)), Ok((status, headers, body))) => DescribedRefusal {
                name: code.to_owned(),
                title: description,
                schema: "TokenError",
                status,
                headers,
                body,
            },
            (Err(problem), _) | (_, Err(problem)) => problem.to_refusal(),
        };
        forbid_keeping(&mut refusal.headers);
        refusal
    }

    /// Status, header fields and body. The error is a problem in document 1's format.
    fn to_parts(&self) -> Result<(StatusCode, HeaderMap, Vec<u8>), Problem> {
        let (status, error, error_description) = self.parts()?;
        let mut headers = HeaderMap::new();
        let kind = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, kind);
        match self {
            // RFC 6749 section 5.2 asks for a challenge only if the client used `Authorization`.
            Self::WrongScheme(challenge) => {
                let challenge = HeaderValue::from_static(challenge);
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::MethodNotAllowed => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            Self::RateLimited(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
            }
            Self::InvalidRequest(_)
            | Self::InvalidClient(_)
            | Self::UnsupportedGrantType
            | Self::InvalidScope(_)
            | Self::TooLarge(_)
            | Self::Failed(_) => {}
        }
        let body = Body {
            error,
            error_description,
        };
        Ok((
            status,
            headers,
            serde_json::to_vec(&body).unwrap_or_default(),
        ))
    }
}

impl IntoResponse for OauthError {
    fn into_response(self) -> Response {
        match self.to_parts() {
            Ok((status, headers, body)) => (status, headers, body).into_response(),
            Err(problem) => problem.into_response(),
        }
    }
}

impl From<ClientRefusal> for OauthError {
    fn from(refusal: ClientRefusal) -> Self {
        match refusal {
            ClientRefusal::InvalidRequest(why) => Self::InvalidRequest(why),
            ClientRefusal::InvalidClient(why) => Self::InvalidClient(why),
            ClientRefusal::InvalidScope(why) => Self::InvalidScope(why),
            ClientRefusal::RateLimited(seconds) => Self::RateLimited(seconds),
            ClientRefusal::Storage(error) => error.into(),
            ClientRefusal::Signing(error) => Self::Failed(error.into()),
        }
    }
}

impl From<StorageError> for OauthError {
    fn from(error: StorageError) -> Self {
        Self::Failed(Problem::from(error))
    }
}
