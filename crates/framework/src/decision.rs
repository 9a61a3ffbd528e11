//! Which issuer decides about the text of a token (S-68).

use serde_json::{Map, Value};
use signing::{base64url, canonical};

use crate::limits;

/// Who decides about a token. Nobody else is asked afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// This service: it issued the token, or claims that it did.
    Own,
    /// The framework, by introspection.
    Framework,
    /// Nobody. The text tells the caller why.
    Nobody(&'static str),
}

/// Decides by the type and the unverified `iss` of a token. The issuer itself is verified afterwards: own tokens by
/// their signature, the framework's by introspection.
///
/// A token of type `at+jwt` (RFC 9068 section 2.1) belongs to the issuer that it names. Any other text may be a
/// token of the framework only, because own tokens have that type.
pub fn decide(text: &str, own_issuer: &str, framework_issuer: &str) -> Decision {
    let Some(payload) = find_access_token_payload(text) else {
        return accept_text(text);
    };
    let claims = base64url::decode_strict(payload)
        .ok()
        .and_then(|json| parse_object(&json));
    let issuer = claims
        .as_ref()
        .and_then(|claims| claims.get("iss")?.as_str());
    match issuer {
        Some(issuer) if issuer == own_issuer => Decision::Own,
        Some(issuer) if issuer == framework_issuer => accept_text(text),
        Some(_) => Decision::Nobody("The token comes from another issuer."),
        None => Decision::Nobody("The token does not say which issuer it comes from."),
    }
}

/// Only a text that RFC 6750 section 2.1 allows is sent to the framework, up to a length.
fn accept_text(text: &str) -> Decision {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let unpadded = text.trim_end_matches('=');
    let is_allowed = !unpadded.is_empty() && unpadded.bytes().all(is_token);
    if is_allowed && text.len() <= limits::TOKEN_BYTES_MAX {
        Decision::Framework
    } else {
        Decision::Nobody("This is not an access token.")
    }
}

/// The second part of a text whose header names the type `at+jwt`, empty if there is none. `None`: another text.
fn find_access_token_payload(text: &str) -> Option<&str> {
    let (header, rest) = text.split_once('.')?;
    let header = parse_object(&base64url::decode_strict(header).ok()?)?;
    let typ = header.get("typ")?.as_str()?;
    // A media type may have the prefix `application/`, and its case does not matter (RFC 7515 section 4.1.9).
    let is_access_token =
        typ.eq_ignore_ascii_case("at+jwt") || typ.eq_ignore_ascii_case("application/at+jwt");
    is_access_token.then(|| rest.split('.').next().unwrap_or_default())
}

fn parse_object(json: &[u8]) -> Option<Map<String, Value>> {
    match canonical::parse(json).ok()? {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            None
        }
    }
}
