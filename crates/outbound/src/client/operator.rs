//! Calls to addresses that the operator chose, such as witnesses: any network, no redirects, bounded time and
//! size. The other side may still be slow or hostile.

use std::path::PathBuf;
use std::time::Duration;

use url::{Host, Url};

use super::{FetchError, OutboundError, SendError, error, read_authorities};
use crate::limits;

/// An address from the settings: `https`, or `http` on a loopback address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorUrl(String);

/// The text is no such address. The message leaves it out, because it may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the address must be https://HOST[:PORT][/PATH], or begin with http:// and have a loopback address, without \
     a password, a query and a fragment"
)]
pub struct NoOperatorUrl;

/// Calls addresses from the settings. Clones share the connections.
#[derive(Debug, Clone)]
pub struct OperatorClient(reqwest::Client);

/// A complete answer, of any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorAnswer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

impl OperatorUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// [`NoOperatorUrl`].
    pub fn parse(text: &str) -> Result<Self, NoOperatorUrl> {
        let url = Url::parse(text).map_err(|_error| NoOperatorUrl)?;
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let has_scheme = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        let has_no_user = url.username().is_empty() && url.password().is_none();
        let is_base = url.query().is_none() && url.fragment().is_none();
        if !(has_scheme && has_no_user && is_base && url.host().is_some()) {
            return Err(NoOperatorUrl);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl OperatorClient {
    /// Makes the client. It trusts the authorities of this file besides the operating system's.
    ///
    /// # Errors
    /// [`OutboundError`].
    pub fn open(ca_file: Option<PathBuf>, timeout: Duration) -> Result<Self, OutboundError> {
        // This fails only when a provider is installed already, which is then used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let authorities: Vec<_> = ca_file.into_iter().collect();
        let client = reqwest::Client::builder()
            .tls_certs_merge(read_authorities(&authorities)?)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .timeout(timeout)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(limits::CALLBACK_IDLE_TIMEOUT)
            .http1_only()
            .user_agent(concat!("Onward/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| OutboundError::Unusable(error::describe(&error)))?;
        Ok(Self(client))
    }

    /// Reads what is at a path, which begins with a slash. The answer's body has `bytes_max` bytes at most.
    ///
    /// # Errors
    /// [`FetchError`] without a complete answer within the timeout.
    pub async fn get(
        &self,
        url: &OperatorUrl,
        path: &str,
        bytes_max: usize,
    ) -> Result<OperatorAnswer, FetchError> {
        read(self.0.get(format!("{}{path}", url.0)), bytes_max).await
    }

    /// Posts a text to a path, as [`OperatorClient::get`] does.
    ///
    /// # Errors
    /// As [`OperatorClient::get`].
    pub async fn post(
        &self,
        url: &OperatorUrl,
        path: &str,
        body: String,
        bytes_max: usize,
    ) -> Result<OperatorAnswer, FetchError> {
        let request = self.0.post(format!("{}{path}", url.0)).body(body);
        read(request, bytes_max).await
    }
}

async fn read(
    request: reqwest::RequestBuilder,
    bytes_max: usize,
) -> Result<OperatorAnswer, FetchError> {
    let failed = |error: reqwest::Error| {
        let error = error.without_url();
        let kind = if error.is_timeout() && !error.is_connect() {
            SendError::Timeout
        } else {
            SendError::classify(&error)
        };
        FetchError::Send(kind, error::describe(&error))
    };
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > bytes_max {
            return Err(FetchError::TooLarge(bytes_max));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(OperatorAnswer {
        status: response.status().as_u16(),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine() {
        for (text, expected) in [
            ("https://witness.example", Some("https://witness.example")),
            (
                "https://witness.example:8460/w/",
                Some("https://witness.example:8460/w"),
            ),
            ("http://127.0.0.1:8446", Some("http://127.0.0.1:8446")),
            ("http://[::1]:8446/", Some("http://[::1]:8446")),
            ("http://localhost:8446", Some("http://localhost:8446")),
            ("http://witness.example", None),
            ("http://127.0.0.1.example", None),
            ("http://10.0.0.1", None),
            ("ftp://127.0.0.1", None),
            ("https://user:word@witness.example", None),
            ("https://user@witness.example", None),
            ("https://witness.example/?a", None),
            ("https://witness.example/#a", None),
            ("witness.example", None),
            ("", None),
        ] {
            let parsed = OperatorUrl::parse(text);
            assert_eq!(
                parsed.as_ref().ok().map(OperatorUrl::as_str),
                expected,
                "{text}"
            );
        }
    }
}
