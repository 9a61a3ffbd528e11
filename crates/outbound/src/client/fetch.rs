//! Fetches a small document, or posts a form, at an address that somebody else chose: checked
//! addresses, no redirects, bounded time and size.

use reqwest::header::ACCEPT;
use url::form_urlencoded::byte_serialize;

use super::{OutboundClient, SendError, error};
use crate::callback::CallbackUrl;
use crate::limits;

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// No complete answer came. The text is for the operator's log.
    #[error("{}: {}", .0.as_str(), .1)]
    Send(SendError, String),
    /// The answer has a status other than 200.
    #[error("the answer has status {0}")]
    Status(u16),
    /// The document is longer than this many bytes.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(usize),
}

/// The name and password of a client of an authorization server.
#[derive(Debug, Clone, Copy)]
pub struct FormAuthentication<'a> {
    /// The client's id.
    pub user: &'a str,
    /// The client's secret.
    pub password: &'a str,
}

impl OutboundClient {
    /// Fetches a document of at most `bytes_max` bytes, within [`limits::CLIENT_KEYS_TIMEOUT`].
    pub async fn fetch(&self, url: &CallbackUrl, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
        let fetching = self.get(url, bytes_max);
        let ended = tokio::time::timeout(limits::CLIENT_KEYS_TIMEOUT, fetching).await;
        ended.unwrap_or_else(|_elapsed| Err(FetchError::Send(SendError::Timeout, String::new())))
    }

    async fn get(&self, url: &CallbackUrl, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
        let request = self.http.get(url.url().clone());
        let request = request.header(ACCEPT, "application/jwk-set+json, application/json");
        self.read_answer(url, request, bytes_max).await
    }

    /// Posts a form, and returns an answer of at most `bytes_max` bytes, within
    /// [`limits::CLIENT_KEYS_TIMEOUT`].
    pub async fn post_form(
        &self,
        url: &CallbackUrl,
        form: &[(&str, &str)],
        authentication: Option<FormAuthentication<'_>>,
        bytes_max: usize,
    ) -> Result<Vec<u8>, FetchError> {
        let mut request = self.http.post(url.url().clone()).form(form);
        request = request.header(ACCEPT, "application/json");
        if let Some(FormAuthentication { user, password }) = authentication {
            // RFC 6749 section 2.3.1: both are encoded as in a form.
            let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            request = request.basic_auth(encode(user), Some(encode(password)));
        }
        let posting = self.read_answer(url, request, bytes_max);
        let ended = tokio::time::timeout(limits::CLIENT_KEYS_TIMEOUT, posting).await;
        ended.unwrap_or_else(|_elapsed| Err(FetchError::Send(SendError::Timeout, String::new())))
    }

    /// The resolver is not asked for a literal address, so it is checked here.
    fn refuse_forbidden(&self, url: &CallbackUrl) -> Result<(), FetchError> {
        match url.literal() {
            Some(address) if !self.settings.allowed.allows(address) => {
                let shown = address.to_string();
                Err(FetchError::Send(SendError::AddressForbidden, shown))
            }
            Some(_) | None => Ok(()),
        }
    }

    async fn read_answer(
        &self,
        url: &CallbackUrl,
        request: reqwest::RequestBuilder,
        bytes_max: usize,
    ) -> Result<Vec<u8>, FetchError> {
        self.refuse_forbidden(url)?;
        let failed = |error: reqwest::Error| {
            let error = error.without_url();
            FetchError::Send(SendError::classify(&error), error::describe(&error))
        };
        let mut response = request.send().await.map_err(failed)?;
        // A redirect would lead to an address that nobody registered.
        if response.status() != reqwest::StatusCode::OK {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > bytes_max {
                return Err(FetchError::TooLarge(bytes_max));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}
