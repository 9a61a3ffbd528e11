//! Forwarding of verified events, as plain JSON, to a program that cannot verify tokens itself.

use std::fmt;

use crate::connection::{
    BODY_LIMIT_BYTES, connection_builder, describe_causes, parse_authorities, unreachable,
};
use crate::event::VerifiedEvent;
use crate::{ClientError, Trust, printable};

/// The longest time for one call and its answer, in seconds. The service waits 15 s for the answer
/// to a delivery, and the receiver verifies the event first.
const FORWARD_TIMEOUT_SECONDS: u64 = 10;

/// Forwards events to one address.
pub struct Forwarder {
    url: String,
    /// The address without user name and password.
    shown_url: String,
    connection: reqwest::Client,
}

impl Forwarder {
    /// A forwarder to `url`, which may be `http` or `https`. For `https`, it trusts the authorities
    /// of the operating system and those in `trust`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Credential`] when the address or a certificate cannot be used.
    pub fn new(url: &str, trust: &Trust) -> Result<Self, ClientError> {
        let unusable = |reason: String| ClientError::Credential {
            what: "the address to forward to",
            reason,
        };
        let parsed = reqwest::Url::parse(url)
            .ok()
            .filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host())
            .ok_or_else(|| unusable(format!("`{}` is no http(s):// address", printable(url))))?;
        let mut builder = connection_builder(FORWARD_TIMEOUT_SECONDS);
        if let Trust::Only(pem) = trust {
            let authorities = parse_authorities(pem)?;
            builder = if parsed.scheme() == "https" {
                builder.tls_certs_merge(authorities)
            } else {
                // Plain http uses no authorities, and the operating system may have none to load.
                builder.tls_certs_only(authorities)
            };
        }
        let connection = builder
            .build()
            .map_err(|error| unusable(describe_causes(&error)))?;
        Ok(Self {
            shown_url: without_credentials(parsed.clone()),
            url: parsed.into(),
            connection,
        })
    }

    /// Posts the event's claims as a JSON object. Any 2xx answer means that the event was accepted.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] with the status.
    pub async fn forward(&self, event: &VerifiedEvent) -> Result<(), ClientError> {
        let failed = |error| unreachable(&self.shown_url, error);
        let request = self.connection.post(&self.url).json(event.claims());
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        // The connection can be used again only when the body was read to its end.
        let mut length = 0_usize;
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            length = length.saturating_add(chunk.len());
            if length > BODY_LIMIT_BYTES {
                break;
            }
        }
        if status.is_success() {
            return Ok(());
        }
        Err(ClientError::UnexpectedAnswer {
            url: self.shown_url.clone(),
            reason: format!("status {} instead of 2xx", status.as_u16()),
        })
    }
}

/// The address without its user name and password, which must not appear in messages.
fn without_credentials(mut url: reqwest::Url) -> String {
    // Both calls fail only for an address without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    printable(url.as_str())
}

impl fmt::Debug for Forwarder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Forwarder")
            .field("url", &self.shown_url)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Forwarder;
    use crate::Trust;

    #[test]
    fn a_password_in_the_address_is_never_shown() {
        // Any certificate is enough, because plain http uses none.
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
