//! Access tokens, and the client assertions with which a client requests them.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use signing::algorithm::Algorithm;
use signing::client_assertion;
use signing::key::SigningKey;

use crate::connection::{TlsIdentity, send};
use crate::problem::TokenRefusal;
use crate::sandbox::read_file;
use crate::{ClientError, printable};

/// The time before a token's expiry at which the client stops using it, in seconds.
const RENEW_BEFORE_SECONDS: u64 = 30;

/// The largest certificate or key file that is read, in bytes.
const KEY_FILE_LIMIT_BYTES: u64 = 1024 * 1024;
/// The longest lifetime of a token that the client believes, in seconds.
const TOKEN_LIFETIME_LIMIT_SECONDS: u64 = 24 * 3600;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The files of a client, and the names under which it is registered.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientFiles {
    /// The client id, a URL.
    pub client_id: String,
    /// The TLS client certificate and its intermediates, PEM.
    pub certificate: PathBuf,
    /// The private key of that certificate, PEM.
    pub key: PathBuf,
    /// The private key that signs assertions, PKCS #8 PEM.
    pub assertion_key: PathBuf,
    /// The algorithm of that key: `PS256`, `ES256`, `EdDSA` or `RS256`.
    pub assertion_alg: String,
    /// The id of that key in the client's registered key set.
    pub assertion_kid: Option<String>,
}

impl ClientFiles {
    /// Reads the key that signs assertions.
    ///
    /// # Errors
    /// [`ClientError::File`] or [`ClientError::Credential`].
    pub fn read_assertion_key(&self) -> Result<SigningKey, ClientError> {
        let pem = read_file(&self.assertion_key, KEY_FILE_LIMIT_BYTES)?;
        parse_assertion_key(&pem, &self.assertion_alg)
    }
}

/// The certificate and the keys of a client. Its `Debug` form shows no key.
pub struct Credentials {
    /// The client id, a URL.
    pub client_id: String,
    /// The TLS client certificate and its intermediates, PEM.
    pub certificate_pem: Vec<u8>,
    /// The private key of that certificate, PEM.
    pub key_pem: Vec<u8>,
    /// The key that signs assertions. Its public half is in the client's registered key set.
    pub assertion_key: SigningKey,
    /// The id of the assertion key in the registered key set. Without an id, the service tries
    /// each registered key (S-21).
    pub assertion_kid: Option<String>,
}

impl Credentials {
    /// Reads the credentials in a client's files.
    ///
    /// # Errors
    /// [`ClientError::File`] or [`ClientError::Credential`].
    pub fn read(files: &ClientFiles) -> Result<Self, ClientError> {
        Ok(Self {
            client_id: files.client_id.clone(),
            assertion_key: files.read_assertion_key()?,
            certificate_pem: read_file(&files.certificate, KEY_FILE_LIMIT_BYTES)?,
            key_pem: read_file(&files.key, KEY_FILE_LIMIT_BYTES)?,
            assertion_kid: files.assertion_kid.clone(),
        })
    }

    /// The certificate and its key.
    pub fn identity(&self) -> TlsIdentity<'_> {
        TlsIdentity {
            certificate_pem: &self.certificate_pem,
            key_pem: &self.key_pem,
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// Reads an assertion key from a PKCS #8 PEM text. The algorithm is `PS256`, `ES256`, `EdDSA` or
/// `RS256`.
///
/// # Errors
/// [`ClientError::Credential`] when the algorithm is unknown, or the key has another algorithm.
pub fn parse_assertion_key(pem: &[u8], algorithm: &str) -> Result<SigningKey, ClientError> {
    let what = "the assertion key";
    let parsed = Algorithm::parse(algorithm).ok_or_else(|| ClientError::Credential {
        what,
        reason: format!("the algorithm `{}` is unknown", printable(algorithm)),
    })?;
    let text = std::str::from_utf8(pem).unwrap_or_default();
    SigningKey::from_pkcs8_pem(text, parsed).map_err(|error| ClientError::Credential {
        what,
        reason: error.to_string(),
    })
}

/// The token that queries share, and the time from which it is not used.
#[derive(Default)]
pub(crate) struct CachedToken {
    token: Option<(String, SystemTime)>,
}

impl CachedToken {
    /// The token, if at `now` more than [`RENEW_BEFORE_SECONDS`] remain until its expiry.
    pub(crate) fn usable_at(&self, now: SystemTime) -> Option<String> {
        let (token, renew_at) = self.token.as_ref()?;
        (now < *renew_at).then(|| token.clone())
    }

    pub(crate) fn replace(&mut self, token: &IssuedToken, now: SystemTime) {
        let lifetime = token.expires_in.min(TOKEN_LIFETIME_LIMIT_SECONDS);
        let usable = Duration::from_secs(lifetime.saturating_sub(RENEW_BEFORE_SECONDS));
        let renew_at = now.checked_add(usable).unwrap_or(now);
        self.token = Some((token.access_token.clone(), renew_at));
    }

    /// Drops the token if it is `refused`. Another task may have replaced that token already.
    pub(crate) fn forget(&mut self, refused: &str) {
        self.token.take_if(|(token, _)| token == refused);
    }
}

/// The answer of the token endpoint (RFC 6749, section 5.1). A token without a lifetime serves one
/// query.
#[derive(Deserialize)]
pub struct IssuedToken {
    /// The token.
    pub access_token: String,
    token_type: String,
    /// The lifetime of the token, in seconds.
    #[serde(default)]
    pub expires_in: u64,
    /// The scopes of the token, separated by spaces.
    #[serde(default)]
    pub scope: String,
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IssuedToken")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Asks the token endpoint of `auth_url` for a new token (RFC 6749, section 4.4). Without a `scope`,
/// the token has all scopes of the client.
pub(crate) async fn request_token(
    connection: &reqwest::Client,
    auth_url: &str,
    credentials: &Credentials,
    scope: &str,
    now: SystemTime,
) -> Result<IssuedToken, ClientError> {
    let assertion = sign_assertion(credentials, auth_url, now)?;
    let url = format!("{auth_url}/token");
    let mut form = vec![
        ("grant_type", "client_credentials"),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_assertion", &assertion),
    ];
    if !scope.is_empty() {
        form.push(("scope", scope));
    }
    let request = connection.post(&url).form(&form);
    let answer = send(&url, request).await?;
    if answer.status != 200 {
        let refusal = TokenRefusal::parse(answer.status, &answer.body);
        return Err(ClientError::Token(Box::new(refusal)));
    }
    // The parser's own message could contain the token, so it is left out.
    let token: IssuedToken = serde_json::from_slice(&answer.body)
        .map_err(|_| answer.unexpected("it is not a token answer (RFC 6749, section 5.1)"))?;
    if !token.token_type.eq_ignore_ascii_case("Bearer") {
        return Err(answer.unexpected("its token_type is not Bearer"));
    }
    Ok(token)
}

/// Signs a client assertion for the issuer `auth_url`.
fn sign_assertion(
    credentials: &Credentials,
    auth_url: &str,
    now: SystemTime,
) -> Result<String, ClientError> {
    let since_1970 = now
        .duration_since(UNIX_EPOCH)
        .map_err(|_| no_assertion("this computer's clock is before 1970: set it"))?;
    let now = i64::try_from(since_1970.as_secs()).map_err(no_assertion)?;
    let (key, kid) = (
        &credentials.assertion_key,
        credentials.assertion_kid.as_deref(),
    );
    client_assertion::sign(&credentials.client_id, key, kid, auth_url, now).map_err(no_assertion)
}

fn no_assertion(reason: impl fmt::Display) -> ClientError {
    ClientError::Credential {
        what: "the client assertion",
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests;
