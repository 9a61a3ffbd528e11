//! HTTPS connections to the service, with limits on time, size and trusted authorities.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Certificate, ClientBuilder, Identity, RequestBuilder};

use crate::fault::Fault;
use crate::{ClientError, printable};

/// The longest time to connect, TLS included, in seconds.
const CONNECT_TIMEOUT_SECONDS: u64 = 10;
/// The longest time for a request and its answer, in seconds.
const REQUEST_TIMEOUT_SECONDS: u64 = 30;
/// The largest answer that the client reads, in bytes. A larger answer could not be verified.
/// A hundred chains of a hundred properties each (S-3, S-54) stay below this limit.
pub const BODY_LIMIT_BYTES: usize = signing::provenance::MAX_ENVELOPE_BYTES;

/// The addresses of one service.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoints {
    /// `{base_url}`, the address of the chain query: `https://` without a path.
    pub base_url: String,
    /// `{auth_url}`, the host of the token endpoint. It is also the issuer, so client assertions
    /// name it as their audience, character for character and without a slash at the end.
    pub auth_url: String,
    /// `{jwks_url}`, the full address of the key set.
    pub jwks_url: String,
}

/// The certificate authorities that may sign the service's certificate.
#[derive(Clone, Debug)]
pub enum Trust {
    /// The authorities in this PEM bundle and no others.
    Only(Vec<u8>),
    /// The authorities that the operating system trusts.
    System,
}

/// A TLS client certificate with its key.
#[derive(Clone, Copy)]
pub struct TlsIdentity<'a> {
    /// The certificate and its intermediates, PEM.
    pub certificate_pem: &'a [u8],
    /// The private key of the certificate, PEM.
    pub key_pem: &'a [u8],
}

impl TlsIdentity<'_> {
    /// The certificate and its key in one PEM text, the form that the TLS layer needs.
    pub(crate) fn to_pem(self) -> Vec<u8> {
        [self.certificate_pem, b"\n", self.key_pem].concat()
    }
}

impl fmt::Debug for TlsIdentity<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TlsIdentity")
            .finish_non_exhaustive()
    }
}

/// An answer with its whole body.
pub(crate) struct Answer {
    /// The address that answered, safe for a terminal.
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn unexpected(&self, reason: impl Into<String>) -> ClientError {
        ClientError::UnexpectedAnswer {
            url: self.url.clone(),
            reason: reason.into(),
        }
    }
}

impl Endpoints {
    /// Checks that each address is `https`, and removes the slash that ends the first two.
    pub(crate) fn normalise(self) -> Result<Self, ClientError> {
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

/// Accepts an `https://` address with a host, and without a user name or password. `name` says in an
/// error which address it is.
///
/// # Errors
/// [`ClientError::Credential`].
pub fn check_https(name: &'static str, url: &str) -> Result<(), ClientError> {
    let is_usable = reqwest::Url::parse(url).is_ok_and(|url| {
        let is_anonymous = url.username().is_empty() && url.password().is_none();
        url.scheme() == "https" && url.has_host() && is_anonymous
    });
    if is_usable {
        return Ok(());
    }
    let reason = format!("`{}` is not a plain https:// address", printable(url));
    Err(ClientError::Credential { what: name, reason })
}

/// An HTTPS client that trusts `trust`. It presents the certificate in `identity_pem` when the
/// service asks for one.
pub(crate) fn open_connection(
    trust: &Trust,
    identity_pem: Option<&[u8]>,
) -> Result<reqwest::Client, ClientError> {
    let mut builder = connection_builder(REQUEST_TIMEOUT_SECONDS).https_only(true);
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

/// The settings that all connections share. They allow no redirects, because a redirect could
/// carry the token elsewhere. They use no proxies, because a proxy cannot do mutual TLS.
pub(crate) fn connection_builder(timeout_seconds: u64) -> ClientBuilder {
    // This fails if the process has installed a provider already, and then that provider is used.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS))
        .timeout(Duration::from_secs(timeout_seconds))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("onward/", env!("CARGO_PKG_VERSION")))
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
    let url = printable(url);
    let mut response = request
        .send()
        .await
        .map_err(|error| unreachable(&url, error))?;
    let mut answer = Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: Vec::new(),
        url,
    };
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| unreachable(&answer.url, error))?
    {
        if answer.body.len().saturating_add(chunk.len()) > BODY_LIMIT_BYTES {
            return Err(answer.unexpected(format!("it is larger than {BODY_LIMIT_BYTES} bytes")));
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(answer)
}

pub(crate) fn unreachable(shown_url: &str, error: reqwest::Error) -> ClientError {
    ClientError::Unreachable {
        url: shown_url.to_owned(),
        fault: Fault::classify(&error),
        reason: describe_causes(&error.without_url()),
    }
}

fn unusable(what: &'static str, error: &reqwest::Error) -> ClientError {
    ClientError::Credential {
        what,
        reason: describe_causes(error),
    }
}

/// The error and all its causes, because the outermost error alone says little.
pub(crate) fn describe_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    printable(&text)
}
