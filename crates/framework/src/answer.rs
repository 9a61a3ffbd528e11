//! The answer of the framework's introspection endpoint (RFC 7662), read strictly (S-69).

use serde_json::{Map, Value};
use signing::canonical;
use signing::certificate::Thumbprint;

use crate::limits;

/// The names that an answer must have, if it has any.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// The framework's issuer identifier, compared byte for byte.
    pub issuer: &'a str,
    /// The audience that stands for this service.
    pub audience: &'a str,
}

/// A token that the framework called active. Whoever uses it must have the certificate (RFC 8705 section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveToken {
    /// The client that the token was issued to.
    pub client_id: String,
    /// The scopes, separated by spaces.
    pub scope: String,
    /// The certificate that the token is bound to.
    pub certificate: Thumbprint,
    /// From when the token is expired, Unix seconds.
    pub expires_at: i64,
}

/// The meaning of a readable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The token is active, and all its values are right.
    Active(ActiveToken),
    /// The token is not active.
    Inactive,
    /// The token is active and must not be used here. The text tells the caller why.
    Refused(&'static str),
}

/// The body is not an introspection answer, so it says nothing about the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the answer is not a JSON object without duplicate members in which `active` is true or false"
)]
pub struct Unreadable;

/// Reads an answer at `now`, in Unix seconds.
pub fn read(body: &[u8], expected: Expected<'_>, now: i64) -> Result<Answer, Unreadable> {
    let Ok(Value::Object(members)) = canonical::parse(body) else {
        return Err(Unreadable);
    };
    match members.get("active") {
        Some(Value::Bool(true)) => Ok(match read_active(&members, expected, now) {
            Ok(token) => Answer::Active(token),
            Err(why) => Answer::Refused(why),
        }),
        Some(Value::Bool(false)) => Ok(Answer::Inactive),
        Some(_) | None => Err(Unreadable),
    }
}

fn read_active(
    members: &Map<String, Value>,
    expected: Expected<'_>,
    now: i64,
) -> Result<ActiveToken, &'static str> {
    check_names(members, expected)?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let client_id = text("client_id")
        .filter(|id| is_client_id(id))
        .ok_or("The framework does not say which client the token belongs to.")?;
    let scope = text("scope").ok_or("The framework does not say which scopes the token has.")?;
    let expires_at = members.get("exp").and_then(Value::as_i64);
    let expires_at = expires_at.ok_or("The framework does not say when the token expires.")?;
    if expires_at <= now {
        return Err("The token has expired. Get a new token.");
    }
    if expires_at - now > limits::EXPIRY_AHEAD_SECONDS_MAX {
        return Err("The token lives longer than this service accepts.");
    }
    let certificate = members
        .get("cnf")
        .and_then(|confirmation| confirmation.get("x5t#S256")?.as_str())
        .and_then(Thumbprint::from_base64url)
        .ok_or("This service needs a token that is bound to a certificate.")?;
    Ok(ActiveToken {
        client_id: client_id.to_owned(),
        scope: scope.to_owned(),
        certificate,
        expires_at,
    })
}

/// Checks the members that may be absent.
fn check_names(members: &Map<String, Value>, expected: Expected<'_>) -> Result<(), &'static str> {
    // The case of a token type does not matter (RFC 6749 section 5.1).
    let is_bearer = |value: &Value| {
        let name = value.as_str();
        name.is_some_and(|name| name.eq_ignore_ascii_case("bearer"))
    };
    if !members.get("token_type").is_none_or(is_bearer) {
        return Err("This service accepts tokens of the type Bearer only.");
    }
    let is_issuer = |value: &Value| value.as_str() == Some(expected.issuer);
    if !members.get("iss").is_none_or(is_issuer) {
        return Err("The token comes from another issuer.");
    }
    let is_named = |value: &Value| value.as_str() == Some(expected.audience);
    let names_us = |value: &Value| match value {
        Value::Array(audiences) => audiences.iter().any(is_named),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            is_named(value)
        }
    };
    if !members.get("aud").is_none_or(names_us) {
        return Err("The token is meant for another service.");
    }
    Ok(())
}

/// A client id is stored, shown and logged.
fn is_client_id(text: &str) -> bool {
    let length = text.chars().count();
    (1..=limits::CLIENT_ID_CHARACTERS_MAX).contains(&length) && !text.contains(char::is_control)
}
