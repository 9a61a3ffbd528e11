//! What the server answered.

use http::HeaderMap;
use serde_json::{Value, json};

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

    /// How many requests are left to the client: `r` of `RateLimit`.
    pub(crate) fn requests_left(&self) -> u32 {
        let state = self.header("ratelimit");
        let left = state.split(';').find_map(|part| part.strip_prefix("r="));
        left.unwrap_or_else(|| panic!("{state}")).parse().unwrap()
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

    /// Status, code and field of each error, and the message of a failure of listing and chain
    /// management: `409 buyer_has_seller (buyer): buyer …`.
    pub(crate) fn failure(&self) -> String {
        let errors = self.errors();
        let codes = errors.iter().map(|error| {
            let code = error["code"].as_str().unwrap();
            let field = error["field"].as_str();
            field.map_or_else(|| code.to_owned(), |field| format!("{code} ({field})"))
        });
        let codes: Vec<String> = codes.collect();
        let body = self.json();
        let message = body["message"].as_str().unwrap();
        format!("{} {}: {message}", self.status, codes.join(", "))
    }

    /// Status and first code of a failure of listing and chain management.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.errors()[0]["code"].as_str().unwrap().to_owned();
        (self.status, code)
    }

    /// The errors of a failure, whose shape is that of S-40.
    fn errors(&self) -> Vec<Value> {
        let body = self.json();
        assert_eq!(self.header("content-type"), "application/json", "{body}");
        assert_eq!(body["success"], false, "{body}");
        assert_eq!(body["data"], json!([]), "{body}");
        let errors = body["errors"].as_array().unwrap();
        assert!(!errors.is_empty(), "{body}");
        assert!(
            errors.iter().all(|error| error["detail"].is_string()),
            "{body}"
        );
        if let [only] = errors.as_slice() {
            // The message names the field before what is wrong with it.
            let message = body["message"].as_str().unwrap();
            let detail = only["detail"].as_str().unwrap();
            let field = only["field"].as_str().unwrap_or_default();
            let is_same = message == detail || message == format!("{field}: {detail}");
            assert!(is_same, "{body}");
        }
        errors.clone()
    }

    /// Fails the test unless this is the simple success response.
    #[track_caller]
    pub(crate) fn assert_success(&self) {
        assert_eq!((self.status, self.json()), (200, simple_success()));
    }
}

/// Document 2's simple success response.
pub(crate) fn simple_success() -> Value {
    json!({"message": "success", "success": true, "data": [], "errors": []})
}
