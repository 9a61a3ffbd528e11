//! HTTPS to the service: bounded in time and size, to the trusted authorities only.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Certificate, Identity, RequestBuilder};

use crate::{ClientError, printable};

/// Time to connect, TLS included, in seconds.
pub const CONNECT_TIMEOUT_SECONDS: u64 = 5;
/// Time for a whole request with its answer, in seconds.
pub const REQUEST_TIMEOUT_SECONDS: u64 = 30;
/// The largest answer that is read, in bytes: what is longer could not be verified. A hundred chains
/// of a hundred properties each (S-3, S-54) stay below it.
pub const BODY_LIMIT_BYTES: usize = signing::provenance::MAX_ENVELOPE_BYTES;

/// Where the service is.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoints {
    /// `{base_url}`: the chain query, `https://` without a path.
    pub base_url: String,
    /// `{auth_url}`: the token endpoint's host. It is the issuer as well, and so the audience of
    /// client assertions, character for character; a slash at its end is dropped.
    pub auth_url: String,
    /// `{jwks_url}`: the full address of the key set.
    pub jwks_url: String,
}

/// Which certificate authorities may vouch for the service.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those of this PEM bundle and no other.
    Only(Vec<u8>),
    /// Those that the operating system trusts.
    System,
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Endpoints {
    /// The same addresses, each checked to be `https`, without a slash at the end of the first two.
    ///
    /// # Errors
    /// [`ClientError::Credential`] that names the address that is not `https`.
    pub fn normalise(self) -> Result<Self, ClientError> {
        check_https("the base address", &self.base_url)?;
        check_https("the token endpoint's address", &self.auth_url)?;
        check_https("the key set's address", &self.jwks_url)?;
        Ok(Self {
            base_url: self.base_url.trim_end_matches('/').to_owned(),
            auth_url: self.auth_url.trim_end_matches('/').to_owned(),
            jwks_url: self.jwks_url,
        })
    }
}

/// Refuses what is not an `https://` address with a host, or carries a user name or password.
pub(crate) fn check_https(what: &'static str, url: &str) -> Result<(), ClientError> {
    let usable = reqwest::Url::parse(url).is_ok_and(|url| {
        let is_anonymous = url.username().is_empty() && url.password().is_none();
        url.scheme() == "https" && url.has_host() && is_anonymous
    });
    if usable {
        return Ok(());
    }
    let reason = format!("`{}` is not a plain https:// address", printable(url));
    Err(ClientError::Credential { what, reason })
}

/// An HTTPS client that trusts `trust`, and presents the certificate and key of `identity_pem`
/// where the service asks for one. It follows no redirects and uses no proxies: a redirect could
/// carry the token elsewhere, and a proxy of the environment cannot do mutual TLS.
pub(crate) fn open_connection(
    trust: &Trust,
    identity_pem: Option<&[u8]>,
) -> Result<reqwest::Client, ClientError> {
    // Fails only when a provider is installed already, and then that one is used.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();

    let mut builder = reqwest::Client::builder()
        .https_only(true)
        .connect_timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS))
        .timeout(Duration::from_secs(REQUEST_TIMEOUT_SECONDS))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("onward/", env!("CARGO_PKG_VERSION")));
    if let Trust::Only(pem) = trust {
        builder = builder.tls_certs_only(parse_authorities(pem)?);
    }
    if let Some(pem) = identity_pem {
        let identity = Identity::from_pem(pem)
            .map_err(|error| unusable("the client certificate or its key", &error))?;
        builder = builder.identity(identity);
    }
    builder
        .build()
        .map_err(|error| unusable("the certificates", &error))
}

pub(crate) fn parse_authorities(pem: &[u8]) -> Result<Vec<Certificate>, ClientError> {
    let what = "the certificate authority";
    let certificates = Certificate::from_pem_bundle(pem).map_err(|error| unusable(what, &error))?;
    if certificates.is_empty() {
        let reason = "it holds no PEM certificate".to_owned();
        return Err(ClientError::Credential { what, reason });
    }
    Ok(certificates)
}

/// Sends `request` to `url` and reads the whole answer, whatever its status.
pub(crate) async fn send(url: &str, request: RequestBuilder) -> Result<Answer, ClientError> {
    let unreachable = |error: reqwest::Error| ClientError::Unreachable {
        url: printable(url),
        reason: describe_causes(&error.without_url()),
    };
    let mut response = request.send().await.map_err(unreachable)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len().saturating_add(chunk.len()) > BODY_LIMIT_BYTES {
            let reason = format!("it is larger than {BODY_LIMIT_BYTES} bytes");
            return Err(ClientError::UnexpectedAnswer {
                url: printable(url),
                reason,
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer {
        url: printable(url),
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body,
    })
}

fn unusable(what: &'static str, error: &reqwest::Error) -> ClientError {
    ClientError::Credential {
        what,
        reason: describe_causes(error),
    }
}

/// The error with its causes, outermost first: the outermost alone says little.
pub(crate) fn describe_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    printable(&text)
}
