//! Plain requests that learn whether an address answers, and how a service describes itself.

use reqwest::header::DATE;
use serde::Deserialize;

use crate::connection::{TlsIdentity, Trust, check_https, open_connection, send};
use crate::{ClientError, printable};

/// The path of the authorisation server's description (RFC 8414, section 3).
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// An address that answered, with any status.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The status of the answer.
    pub status: u16,
    /// The header field `Date` (RFC 9110, section 6.6.1), safe for a terminal.
    pub date: Option<String>,
}

/// The parts of the authorisation server's description that a client compares with its settings.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ServerMetadata {
    /// The issuer, which is the audience of assertions.
    pub issuer: String,
    /// The address of the key set that verifies answers and events.
    #[serde(default)]
    pub jwks_uri: String,
}

/// Sends a GET request to `url`, and presents the certificate of `identity` if the server asks for
/// one.
///
/// # Errors
/// [`ClientError::Unreachable`], or [`ClientError::Credential`] for an unusable address or
/// certificate.
pub async fn reach(
    url: &str,
    trust: &Trust,
    identity: Option<TlsIdentity<'_>>,
) -> Result<Reached, ClientError> {
    check_https("the address", url)?;
    let identity_pem = identity.map(TlsIdentity::to_pem);
    let connection = open_connection(trust, identity_pem.as_deref())?;
    let answer = send(url, connection.get(url)).await?;
    let date = answer.headers.get(DATE);
    Ok(Reached {
        status: answer.status,
        date: date.and_then(|date| date.to_str().ok()).map(printable),
    })
}

/// Reads how the authorisation server at `auth_url` describes itself. Its texts are safe for a
/// terminal.
///
/// # Errors
/// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] if the answer is no such
/// description.
pub async fn fetch_metadata(auth_url: &str, trust: &Trust) -> Result<ServerMetadata, ClientError> {
    check_https("the token endpoint's address", auth_url)?;
    let url = format!("{}{METADATA}", auth_url.trim_end_matches('/'));
    let answer = send(&url, open_connection(trust, None)?.get(&url)).await?;
    if answer.status != 200 {
        let status = answer.status;
        let reason = format!("status {status} instead of an authorisation server's description");
        return Err(answer.unexpected(reason));
    }
    let read: ServerMetadata = serde_json::from_slice(&answer.body)
        .map_err(|error| answer.unexpected(printable(&error.to_string())))?;
    Ok(ServerMetadata {
        issuer: printable(&read.issuer),
        jwks_uri: printable(&read.jwks_uri),
    })
}

#[cfg(test)]
mod tests;
