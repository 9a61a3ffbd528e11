//! All refusals of the program, with their statuses, texts and header fields. The submodule `shape`
//! writes them in document 1's format (S-15) or in the format of listing and chain management (S-40).

mod shape;
mod sources;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub use self::shape::Document;
use crate::refusal::Refusal;

/// The text for callers who sent no token.
const TOKEN_MISSING: &str =
    "Send `Authorization: Bearer <access token>`; get a token at the token endpoint.";
/// The text for callers while the key that signs is not where readers look for it.
const KEY_NOT_SHOWN: &str = "The key that signs answers is not in the published key set yet, so that nobody \
     could verify them. Try again later.";

/// A refusal or failure that the program answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The request has no token. The challenge then has no error code (RFC 6750 section 3.1).
    TokenMissing,
    /// The token is not valid. The text says why.
    TokenInvalid(&'static str),
    /// The token lacks this scope.
    ScopeInsufficient(&'static str),
    /// The organisation of the connection's certificate takes no part in the framework (S-72). The text says why.
    OrganisationRefused(&'static str),
    /// The API key is missing or not valid. The text says which.
    ApiKeyInvalid(&'static str),
    /// The request has neither an API key nor an access token, or both (S-74). The text says which.
    OneCredential(&'static str),
    /// The current state does not allow the request. The text tells the caller why.
    Conflict(&'static str),
    /// The person who asks may not do this. The text tells the person why.
    NotAllowed(&'static str),
    /// The request does not name exactly one host (RFC 9112 section 3.2). The text tells the caller why.
    HostInvalid(&'static str),
    /// The request names a host that is not the console's.
    WrongHost,
    /// A page of another site sent the form.
    CrossSite,
    /// Nothing was found. The text tells the caller why.
    NotFound(&'static str),
    /// No value of a chain query led to a chain. The text tells the caller why.
    NothingFits(&'static str, Explained),
    /// No route has this path.
    NoSuchPath,
    /// The path does not support the method. The text lists the supported methods. `None` if the
    /// router sets `Allow`.
    MethodNotAllowed(Option<&'static str>),
    /// The body's content type is not supported. The text lists the supported ones.
    MediaTypeUnsupported(&'static str),
    /// The body has a content encoding, which no call understands (S-66).
    ContentEncoded,
    /// The body cannot be parsed. The text says why.
    BodyMalformed(String),
    /// The body is larger than this many bytes.
    BodyTooLarge(usize),
    /// The body arrived too slowly.
    BodyTooSlow,
    /// The log does not show yet what the request asks to prove. The text tells the caller so.
    NotLogged(&'static str),
    /// There is no evidence for the body. The text tells the caller why.
    NotProvable(&'static str),
    /// These values break a rule.
    ValuesInvalid(Vec<FieldError>),
    /// Listing and chain management refuses the request by one of its rules.
    Refused(Refusal),
    /// The client exceeded its rate limit and must wait this many seconds.
    RateLimited(u64),
    /// The caller has too many answers that it does not read.
    AnswersUnread,
    /// A quota is used up (S-65). The caller may retry after this many seconds; `None`: not before it
    /// has removed something. The text tells the caller which quota.
    QuotaUsedUp(Option<u64>, String),
    /// A temporary failure. The client may retry after this many seconds. The text is for the log.
    Unavailable(u64, String),
    /// The store did not confirm whether it made a change. The text is for the log.
    Unconfirmed(String),
    /// This node drains and will stop.
    Draining,
    /// This node cannot do its work. The text names each reason.
    NotReady(String),
    /// The key that signs is not yet where readers look for it (S-76). The text is for the log.
    KeyNotShown(String),
    /// A fault of the program. The text is for the log.
    Internal(String),
}

/// Why each value of a chain query led to no chain (S-58).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// An array with an entry for each value.
    pub explanation: Value,
    /// The fields that the query ignored.
    pub ignored_fields: Arc<[String]>,
}

/// A value that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The position of the value, for example `value[3]`.
    pub pointer: String,
    /// The error, and its correction.
    pub detail: String,
}

impl FieldError {
    /// A wrong value.
    pub fn new(pointer: &str, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            detail: detail.into(),
        }
    }
}

impl Problem {
    /// Refuses a request for one wrong value.
    pub fn value_invalid(pointer: &str, detail: impl Into<String>) -> Self {
        Self::ValuesInvalid(vec![FieldError::new(pointer, detail)])
    }

    /// The table of refusals: status, the last part of `type`, and `title`.
    fn class(&self) -> (StatusCode, &'static str, &'static str) {
        let (status, slug, title) = match self {
            Self::TokenMissing => (401, "token-missing", "Access token missing"),
            Self::TokenInvalid(_) => (401, "token-invalid", "Access token not valid"),
            Self::ScopeInsufficient(_) => (403, "insufficient-scope", "Scope missing"),
            Self::OrganisationRefused(_) => {
                (403, "organisation-refused", "Organisation not active")
            }
            Self::ApiKeyInvalid(_) => (401, "api-key-invalid", "API key not valid"),
            Self::OneCredential(_) => (401, "one-credential", "Send one credential"),
            Self::Conflict(_) => (409, "conflict", "The state forbids it"),
            Self::NotAllowed(_) => (403, "not-allowed", "Not allowed"),
            Self::HostInvalid(_) => (400, "host-invalid", "Host not valid"),
            Self::WrongHost => (421, "wrong-host", "Another host"),
            Self::CrossSite => (403, "cross-site", "Form of another site"),
            Self::NotFound(_) | Self::NothingFits(..) => (404, "not-found", "Not found"),
            Self::NoSuchPath => (404, "no-such-path", "No such path"),
            Self::MethodNotAllowed(_) => (405, "method-not-allowed", "Method not allowed"),
            Self::MediaTypeUnsupported(_) => {
                (415, "media-type-unsupported", "Content type not supported")
            }
            Self::ContentEncoded => (415, "content-encoded", "Content encoding not supported"),
            Self::BodyMalformed(_) => (400, "body-malformed", "Request body cannot be read"),
            Self::BodyTooLarge(_) => (413, "body-too-large", "Request body too large"),
            Self::BodyTooSlow => (408, "body-too-slow", "Request body came too slowly"),
            Self::NotLogged(_) => (409, "not-logged", "Not in the log yet"),
            Self::NotProvable(_) => (422, "not-provable", "No evidence"),
            Self::ValuesInvalid(_) => (422, "values-invalid", "Values not valid"),
            Self::Refused(refusal) => {
                let (slug, title) = refusal.class.describe();
                return (refusal.class.status(), slug, title);
            }
            Self::RateLimited(_) => (429, "rate-limited", "Rate limit exceeded"),
            Self::QuotaUsedUp(Some(_), _) => (429, "quota-used-up", "Quota used up"),
            Self::QuotaUsedUp(None, _) => (409, "quota-used-up", "Quota used up"),
            Self::AnswersUnread => (429, "answers-unread", "Answers not read"),
            Self::Unavailable(..) => (503, "unavailable", "Service unavailable for a moment"),
            Self::Unconfirmed(_) => (503, "unconfirmed", "Outcome not known"),
            Self::Draining => (503, "leaving", "This node is about to stop"),
            Self::NotReady(_) => (503, "not-ready", "This node cannot do its work"),
            Self::KeyNotShown(_) => (503, "key-not-published", "Signing key not published"),
            Self::Internal(_) => (500, "internal", "Internal error"),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, slug, title)
    }

    /// The status and the title.
    pub fn status_and_title(&self) -> (StatusCode, &'static str) {
        let (status, _slug, title) = self.class();
        (status, title)
    }

    /// The problem's own header fields.
    pub fn own_headers(&self) -> HeaderMap {
        let fields = self.headers().into_iter();
        let fields = fields.filter_map(|(name, value)| Some((name, value.parse().ok()?)));
        fields.collect()
    }

    /// The detail text for the caller.
    pub fn detail(&self) -> String {
        match self {
            Self::TokenMissing => TOKEN_MISSING.to_owned(),
            Self::TokenInvalid(reason)
            | Self::OrganisationRefused(reason)
            | Self::ApiKeyInvalid(reason)
            | Self::OneCredential(reason)
            | Self::Conflict(reason)
            | Self::NotAllowed(reason)
            | Self::NotLogged(reason)
            | Self::NotProvable(reason)
            | Self::NotFound(reason)
            | Self::HostInvalid(reason)
            | Self::NothingFits(reason, _) => (*reason).to_owned(),
            Self::ScopeInsufficient(scope) => format!(
                "This call needs the scope `{scope}`. Have it assigned to your client by the \
                 directory operator, then get a new token."
            ),
            Self::WrongHost => "The console does not answer under this name.".to_owned(),
            Self::CrossSite => {
                "A page of another site sent this form, so nothing was changed.".to_owned()
            }
            Self::NoSuchPath => "There is nothing at this path.".to_owned(),
            Self::MethodNotAllowed(Some(allowed)) => format!("Use {allowed}."),
            Self::MethodNotAllowed(None) => {
                "Use one of the methods that the field Allow names.".to_owned()
            }
            Self::MediaTypeUnsupported(supported) => format!("Send the body as {supported}."),
            Self::ContentEncoded => {
                "Send the body as it is, without the field Content-Encoding.".to_owned()
            }
            Self::BodyMalformed(reason) => reason.clone(),
            Self::BodyTooLarge(limit) => format!("The limit is {limit} bytes."),
            Self::BodyTooSlow => "The body took too long to arrive.".to_owned(),
            Self::ValuesInvalid(errors) => errors
                .iter()
                .map(|error| format!("{}: {}", error.pointer, error.detail))
                .collect::<Vec<_>>()
                .join("; "),
            Self::Refused(refusal) => refusal.detail.clone(),
            Self::RateLimited(seconds) => format!(
                "Wait {seconds} s. The field RateLimit of each answer says how many requests are left."
            ),
            Self::QuotaUsedUp(_, detail) | Self::NotReady(detail) => detail.clone(),
            Self::AnswersUnread => {
                "Earlier answers are not read yet. Read them, then ask again.".to_owned()
            }
            Self::Unavailable(seconds, _) => {
                format!("Nothing was changed. Try again in {seconds} s.")
            }
            Self::Unconfirmed(_) => {
                "The store did not confirm the change, so it may or may not have happened. Try again \
                 in 1 s, with the same Idempotency-Key if you sent one: then it is done only once."
                    .to_owned()
            }
            Self::Draining => "Other nodes answer.".to_owned(),
            Self::KeyNotShown(_) => KEY_NOT_SHOWN.to_owned(),
            Self::Internal(_) => "The fault is ours, and the log says why.".to_owned(),
        }
    }

    /// The text for the log, which no answer may show.
    pub fn log_text(&self) -> Option<&str> {
        let (Self::Unavailable(_, text)
        | Self::Unconfirmed(text)
        | Self::KeyNotShown(text)
        | Self::Internal(text)) = self
        else {
            return None;
        };
        Some(text)
    }

    /// The problem's own header fields: the challenges of RFC 6750 section 3, `Accept`,
    /// `Accept-Encoding` (RFC 9110 section 15.5.16), `Allow` and `Retry-After`.
    fn headers(&self) -> Vec<(header::HeaderName, String)> {
        match self {
            Self::TokenMissing => vec![(header::WWW_AUTHENTICATE, "Bearer".to_owned())],
            Self::TokenInvalid(reason) => vec![(
                header::WWW_AUTHENTICATE,
                format!("Bearer error=\"invalid_token\", error_description=\"{reason}\""),
            )],
            Self::ScopeInsufficient(scope) => vec![(
                header::WWW_AUTHENTICATE,
                format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\""),
            )],
            Self::OrganisationRefused(reason) => vec![(
                header::WWW_AUTHENTICATE,
                format!("Bearer error=\"insufficient_scope\", error_description=\"{reason}\""),
            )],
            Self::MethodNotAllowed(Some(allowed)) => {
                vec![(header::ALLOW, (*allowed).to_owned())]
            }
            Self::RateLimited(seconds)
            | Self::Unavailable(seconds, _)
            | Self::QuotaUsedUp(Some(seconds), _) => {
                vec![(header::RETRY_AFTER, seconds.to_string())]
            }
            Self::Unconfirmed(_)
            | Self::Draining
            | Self::NotReady(_)
            | Self::NotLogged(_)
            | Self::AnswersUnread => {
                vec![(header::RETRY_AFTER, "1".to_owned())]
            }
            Self::KeyNotShown(_) => vec![(header::RETRY_AFTER, "60".to_owned())],
            Self::MediaTypeUnsupported(supported) => {
                vec![(header::ACCEPT, (*supported).to_owned())]
            }
            Self::ContentEncoded => vec![(header::ACCEPT_ENCODING, "identity".to_owned())],
            Self::ApiKeyInvalid(_) => {
                vec![(header::WWW_AUTHENTICATE, "ApiKey".to_owned())]
            }
            // RFC 9110 section 11.6.1: one field may have several challenges.
            Self::OneCredential(_) => {
                vec![(header::WWW_AUTHENTICATE, "ApiKey, Bearer".to_owned())]
            }
            Self::Conflict(_)
            | Self::QuotaUsedUp(None, _)
            | Self::NotAllowed(_)
            | Self::HostInvalid(_)
            | Self::WrongHost
            | Self::CrossSite
            | Self::NotFound(_)
            | Self::NothingFits(..)
            | Self::NoSuchPath
            | Self::MethodNotAllowed(None)
            | Self::BodyMalformed(_)
            | Self::BodyTooLarge(_)
            | Self::BodyTooSlow
            | Self::NotProvable(_)
            | Self::ValuesInvalid(_)
            | Self::Refused(_)
            | Self::Internal(_) => Vec::new(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl IntoResponse for Problem {
    /// Leaves the body to `request_layer::wrap`, which knows the request's id.
    fn into_response(self) -> Response {
        let mut response = self.class().0.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
