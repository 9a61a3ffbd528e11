//! What the server answered.

use http::HeaderMap;
use serde_json::Value;

/// A whole answer, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.bytes().await.unwrap().to_vec(),
        }
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&self.body));
        })
    }

    /// A header field, empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default()
    }

    /// Status and OAuth error code, for example `401 invalid_client`.
    pub(crate) fn oauth(&self) -> String {
        let body = self.json();
        let code = body["error"].as_str().unwrap_or("-");
        format!("{} {code}", self.status)
    }

    /// The challenge without the address of the metadata, which stands at its
    /// end (RFC 9728 section 5.1).
    pub(crate) fn challenge(&self) -> &str {
        let whole = self.header("www-authenticate");
        let (challenge, _address) = whole
            .split_once("resource_metadata=")
            .unwrap_or((whole, ""));
        challenge.trim_end_matches([',', ' '])
    }

    /// The chains of a query's answer.
    pub(crate) fn chains(&self) -> Vec<Value> {
        let body = self.json();
        assert_eq!(self.status, 200, "{body}");
        body["data"]["data"].as_array().unwrap().clone()
    }

    /// Status, and `type` and `detail` of a problem, with the request's id checked.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json");
        let body = self.json();
        assert_eq!(body["status"], self.status);
        assert_eq!(body["requestId"], self.header("x-request-id"));
        let kind = body["type"].as_str().unwrap();
        let kind = kind.strip_prefix("urn:onward:problem:").unwrap();
        format!(
            "{} {kind}: {}",
            self.status,
            body["detail"].as_str().unwrap()
        )
    }
}
