//! Plain requests that learn whether an address answers, and how a service describes itself.

use reqwest::header::DATE;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::connection::{TlsIdentity, Trust, check_https, open_connection, send};
use crate::{ClientError, printable};

/// The path of the authorisation server's description (RFC 8414, section 3).
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// The path of the description of a server that takes access tokens (RFC 9728, section 3).
const RESOURCE: &str = "/.well-known/oauth-protected-resource";

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
    /// The servers that take the tokens (RFC 9728, section 4).
    #[serde(default)]
    pub protected_resources: Vec<String>,
}

/// The parts of the description of a server that takes access tokens, which a client compares with its
/// settings (RFC 9728, section 2).
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ResourceMetadata {
    /// The address of the server.
    pub resource: String,
    /// The issuers of the tokens that it takes.
    #[serde(default)]
    pub authorization_servers: Vec<String>,
    /// The scopes of its calls.
    #[serde(default)]
    pub scopes_supported: Vec<String>,
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
    let read: ServerMetadata = read_description(&url, trust, "an authorisation server").await?;
    Ok(ServerMetadata {
        issuer: printable(&read.issuer),
        jwks_uri: printable(&read.jwks_uri),
        protected_resources: made_printable(&read.protected_resources),
    })
}

/// Reads how the server at `base_url` describes itself as one that takes access tokens. Its path follows
/// the well-known one (RFC 9728, section 3.1). If nothing is there, the description of the whole host is
/// read. Its texts are safe for a terminal.
///
/// # Errors
/// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] if the answer is no such
/// description.
pub async fn fetch_resource(
    base_url: &str,
    trust: &Trust,
) -> Result<ResourceMetadata, ClientError> {
    check_https("the address", base_url)?;
    let host_end = base_url
        .match_indices('/')
        .nth(2)
        .map_or(base_url.len(), |(index, _slash)| index);
    let (host, path) = base_url.split_at(host_end);
    let path = path.trim_end_matches('/');
    let kind = "a server that takes access tokens";
    let mut found = read_description(&format!("{host}{RESOURCE}{path}"), trust, kind).await;
    if !path.is_empty() && matches!(found, Err(ClientError::UnexpectedAnswer { .. })) {
        found = read_description(&format!("{host}{RESOURCE}"), trust, kind).await;
    }
    let read: ResourceMetadata = found?;
    Ok(ResourceMetadata {
        resource: printable(&read.resource),
        authorization_servers: made_printable(&read.authorization_servers),
        scopes_supported: made_printable(&read.scopes_supported),
    })
}

/// Reads the JSON document with which a server describes itself. `kind` names the server in an error.
async fn read_description<T: DeserializeOwned>(
    url: &str,
    trust: &Trust,
    kind: &str,
) -> Result<T, ClientError> {
    let answer = send(url, open_connection(trust, None)?.get(url)).await?;
    if answer.status != 200 {
        let reason = format!(
            "status {} instead of the description of {kind}",
            answer.status
        );
        return Err(answer.unexpected(reason));
    }
    serde_json::from_slice(&answer.body)
        .map_err(|error| answer.unexpected(printable(&error.to_string())))
}

fn made_printable(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| printable(text)).collect()
}

#[cfg(test)]
mod tests;
