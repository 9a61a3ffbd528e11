//! Fetches a small document, or posts a form, at an address that somebody else chose: checked
//! addresses, no redirects, bounded time and size.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
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
    /// The answer is not of the type `application/json`.
    #[error("the answer is not application/json")]
    NotJson,
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

    /// Fetches a JSON document of at most `bytes_max` bytes, within `timeout`.
    pub async fn fetch_json(
        &self,
        url: &CallbackUrl,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, FetchError> {
        let request = self.http.get(url.url().clone());
        self.read_json(url, request, bytes_max, timeout).await
    }

    /// Posts a form, and returns a JSON answer of at most `bytes_max` bytes, within `timeout`.
    pub async fn post_form_for_json(
        &self,
        url: &CallbackUrl,
        form: &[(&str, &str)],
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, FetchError> {
        let request = self.http.post(url.url().clone()).form(form);
        self.read_json(url, request, bytes_max, timeout).await
    }

    async fn read_json(
        &self,
        url: &CallbackUrl,
        request: reqwest::RequestBuilder,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, FetchError> {
        let request = request.header(ACCEPT, "application/json");
        let reading = async {
            let response = self.send_request(url, request).await?;
            let kind = response.headers().get(CONTENT_TYPE);
            let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            let essence = kind.split(';').next().unwrap_or_default().trim();
            if !essence.eq_ignore_ascii_case("application/json") {
                return Err(FetchError::NotJson);
            }
            read_body(response, bytes_max).await
        };
        let ended = tokio::time::timeout(timeout, reading).await;
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
        let response = self.send_request(url, request).await?;
        read_body(response, bytes_max).await
    }

    /// Sends a request, and returns an answer with status 200.
    async fn send_request(
        &self,
        url: &CallbackUrl,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, FetchError> {
        self.refuse_forbidden(url)?;
        let response = request.send().await.map_err(failed)?;
        // A redirect would lead to an address that nobody registered.
        if response.status() != reqwest::StatusCode::OK {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        Ok(response)
    }
}

async fn read_body(
    mut response: reqwest::Response,
    bytes_max: usize,
) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > bytes_max {
            return Err(FetchError::TooLarge(bytes_max));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn failed(error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    FetchError::Send(SendError::classify(&error), error::describe(&error))
}
