//! Refusals of the service: problem documents (RFC 9457) and OAuth errors (RFC 6749).

use std::fmt;

use serde::Deserialize;

use crate::printable;

/// How many entries of `errors` are kept from one problem document.
const ERRORS_LIMIT: usize = 100;

/// A refusal, whatever form its body had. All texts are made safe for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// HTTP status of the answer.
    pub status: u16,
    /// Short, the same for all problems of its kind.
    pub title: String,
    /// What is wrong this time; empty when the service did not say.
    pub detail: String,
    /// The service's id of the request, for a question to its operator.
    pub request_id: Option<String>,
    /// The single faults of a 422.
    pub errors: Vec<Fault>,
}

/// One fault of a 422.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The field, such as `value[3]`.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

/// A refusal of the token endpoint (RFC 6749, section 5.2), made safe for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRefusal {
    /// HTTP status of the answer.
    pub status: u16,
    /// The error code, such as `invalid_client`; empty when the body held none.
    pub error: String,
    /// The service's explanation; empty when there was none.
    pub error_description: String,
}

impl Problem {
    /// The refusal with this `status` and `body`. A body that is not a problem document leaves
    /// `title` as the standard name of the status and `detail` empty. The status of the answer
    /// counts, not the one that the body repeats.
    pub fn parse(status: u16, body: &[u8]) -> Self {
        let document: ProblemDocument = serde_json::from_slice(body).unwrap_or_default();
        let errors = document.errors.into_iter().take(ERRORS_LIMIT);
        Self {
            status,
            title: document
                .title
                .map_or_else(|| standard_title(status), |title| printable(&title)),
            detail: printable(&document.detail.unwrap_or_default()),
            request_id: document.request_id.map(|id| printable(&id)),
            errors: errors.map(Fault::from).collect(),
        }
    }

    /// What the caller can do about it, by the table "Errors" of document 1.
    pub fn advice(&self) -> &'static str {
        match self.status {
            401 => "obtain a new token, with the certificate that is presented on the query",
            403 => {
                "have the scope `transaction-status` assigned to this client by the directory's \
                 operator"
            }
            404 => "check the address or UPRN, or query another one",
            413 | 422 => "correct the values named above and ask again",
            300..=399 => "redirects are not followed: correct the address of the service",
            500..=599 => "try again later; if it stays, tell the operator of the service",
            _ => "check the address of the service and the request",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.status, self.title)?;
        if !self.detail.is_empty() {
            write!(formatter, ": {}", self.detail)?;
        }
        for fault in &self.errors {
            write!(formatter, "\n  {}: {}", fault.pointer, fault.detail)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " (request {request_id})")?;
        }
        Ok(())
    }
}

impl TokenRefusal {
    /// The refusal with this `status` and `body`; both texts are empty when the body is not an
    /// OAuth error.
    pub fn parse(status: u16, body: &[u8]) -> Self {
        let document: TokenErrorDocument = serde_json::from_slice(body).unwrap_or_default();
        Self {
            status,
            error: printable(&document.error),
            error_description: printable(&document.error_description),
        }
    }

    /// What the caller can do about it.
    pub fn advice(&self) -> &'static str {
        match self.error.as_str() {
            "invalid_client" => {
                "check the client id, the assertion key and its algorithm, and that this \
                 computer's clock is right"
            }
            "invalid_scope" => "have the scope assigned to this client by the directory's operator",
            "invalid_grant" => "present the client certificate that is registered",
            "unauthorized_client" => "have the client enabled by the directory's operator",
            _ if self.status == 429 => "space token requests out; a token serves many queries",
            _ => "check the address of the token endpoint",
        }
    }
}

impl fmt::Display for TokenRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.status, standard_title(self.status))?;
        if !self.error.is_empty() {
            write!(formatter, ", {}", self.error)?;
        }
        if !self.error_description.is_empty() {
            write!(formatter, ": {}", self.error_description)?;
        }
        Ok(())
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProblemDocument {
    title: Option<String>,
    detail: Option<String>,
    request_id: Option<String>,
    errors: Vec<FaultDocument>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FaultDocument {
    pointer: String,
    detail: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenErrorDocument {
    error: String,
    error_description: String,
}

impl From<FaultDocument> for Fault {
    fn from(document: FaultDocument) -> Self {
        Self {
            pointer: printable(&document.pointer),
            detail: printable(&document.detail),
        }
    }
}

fn standard_title(status: u16) -> String {
    reqwest::StatusCode::from_u16(status)
        .ok()
        .and_then(|code| code.canonical_reason())
        .unwrap_or("refused")
        .to_owned()
}

#[cfg(test)]
mod tests;
