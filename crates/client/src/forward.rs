//! Passing a verified event on, as plain JSON, to a program that cannot verify tokens itself.

use std::fmt;
use std::time::Duration;

use crate::connection::{
    BODY_LIMIT_BYTES, CONNECT_TIMEOUT_SECONDS, describe_causes, parse_authorities,
};
use crate::event::VerifiedEvent;
use crate::{ClientError, Trust, printable};

/// Time for one call with its answer, in seconds: the service waits 15 s for the answer to an
/// attempt, and verifying comes first.
pub const FORWARD_TIMEOUT_SECONDS: u64 = 10;

/// Passes events on to one address.
pub struct Forwarder {
    url: String,
    /// The same for messages.
    shown: String,
    connection: reqwest::Client,
}

impl Forwarder {
    /// A forwarder to `url`, which may be `http` or `https`. For `https`, those authorities vouch
    /// that the operating system trusts, and those of `trust` as well. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Credential`] when the address or a certificate cannot be used.
    pub fn new(url: &str, trust: &Trust) -> Result<Self, ClientError> {
        // Fails only when a provider is installed already, and then that one is used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let unusable = |reason: String| ClientError::Credential {
            what: "the address to forward to",
            reason,
        };
        let parsed = reqwest::Url::parse(url)
            .ok()
            .filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host())
            .ok_or_else(|| unusable(format!("`{}` is no http(s):// address", printable(url))))?;
        let mut builder = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS))
            .timeout(Duration::from_secs(FORWARD_TIMEOUT_SECONDS))
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .user_agent(concat!("onward/", env!("CARGO_PKG_VERSION")));
        if let Trust::Only(pem) = trust {
            let authorities = parse_authorities(pem)?;
            builder = if parsed.scheme() == "https" {
                builder.tls_certs_merge(authorities)
            } else {
                // Not used for http; the operating system may have none to offer.
                builder.tls_certs_only(authorities)
            };
        }
        let connection = builder
            .build()
            .map_err(|error| unusable(describe_causes(&error)))?;
        Ok(Self {
            shown: without_credentials(parsed.clone()),
            url: parsed.into(),
            connection,
        })
    }

    /// Posts the event's claims as a JSON object. It has been taken when the answer is any 2xx.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] with the status.
    pub async fn forward(&self, event: &VerifiedEvent) -> Result<(), ClientError> {
        let url = self.shown.clone();
        let request = self.connection.post(&self.url).json(event.claims());
        let unreachable = |error: reqwest::Error| ClientError::Unreachable {
            url: url.clone(),
            reason: describe_causes(&error.without_url()),
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        // Read to its end, within bounds, so that the connection can be used again.
        let mut length = 0_usize;
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            length = length.saturating_add(chunk.len());
            if length > BODY_LIMIT_BYTES {
                break;
            }
        }
        if status.is_success() {
            return Ok(());
        }
        let reason = format!("status {} instead of 2xx", status.as_u16());
        Err(ClientError::UnexpectedAnswer { url, reason })
    }
}

/// An address may carry a user name and a password, which are nobody's business.
fn without_credentials(mut url: reqwest::Url) -> String {
    // Both fail only for an address without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    printable(url.as_str())
}

impl fmt::Debug for Forwarder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Forwarder")
            .field("url", &self.shown)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Forwarder;
    use crate::Trust;

    #[test]
    fn a_password_in_the_address_is_never_shown() {
        // Any certificate does: none is used for http.
        let pem = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let trust = Trust::Only(pem.cert.pem().into_bytes());
        let forwarder = Forwarder::new("http://user:secret@localhost:1/a?b=c", &trust).unwrap();
        let shown = format!("{forwarder:?}");
        assert!(shown.contains("http://localhost:1/a?b=c"), "{shown}");
        for wrong in ["ftp://localhost/", "localhost:1", "http:", ""] {
            let error = Forwarder::new(wrong, &trust).unwrap_err().to_string();
            assert!(error.contains("is no http(s):// address"), "{error}");
        }
    }
}
