//! Refusals of the service: problem documents (RFC 9457) and OAuth errors (RFC 6749).

use std::fmt;

use serde::Deserialize;

use crate::printable;
use crate::wire::ValueExplanation;

/// The most entries of `errors` that are kept from one problem document.
const ERRORS_LIMIT: usize = 100;
/// The kind of the refusal of a query without a match.
pub const NOT_FOUND: &str = "not-found";
/// The kind of the refusal of evidence that the log does not have yet.
pub const NOT_LOGGED: &str = "not-logged";
/// The beginning of the `type` of every problem.
const PROBLEM_TYPE: &str = "urn:onward:problem:";
/// Advice after an error of the service itself.
const SERVICE_ADVICE: &str = "try again later; if the error stays, inform the service's operator";

/// A refusal by the service. All its texts are safe for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The HTTP status of the answer.
    pub status: u16,
    /// The kind of problem for programs: the last part of its `type`, such as `not-found`, or the
    /// `code` of a refusal of listing and chain management. Empty if the service did not name it.
    pub kind: String,
    /// The kind of problem, in a few words.
    pub title: String,
    /// The fault of this request, or empty if the service did not name it.
    pub detail: String,
    /// The service's id of the request, to quote to the service's operator.
    pub request_id: Option<String>,
    /// The wrong values that a 422 names.
    pub errors: Vec<Fault>,
    /// One entry for each value of a query that asked for it (S-58).
    pub explanation: Vec<ValueExplanation>,
}

/// One wrong value that a 422 names.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The field, such as `value[3]`.
    pub pointer: String,
    /// The fault of that field.
    pub detail: String,
}

/// A refusal by the token endpoint (RFC 6749, section 5.2). Its texts are safe for a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRefusal {
    /// The HTTP status of the answer.
    pub status: u16,
    /// The error code, such as `invalid_client`, or empty if the body has none.
    pub error: String,
    /// The service's explanation, or empty if the body has none.
    pub error_description: String,
}

impl Problem {
    /// Reads the refusal with this `status` and `body`. The status of the answer counts, even if
    /// the body names another. If the body is not a problem document, the title is the standard
    /// name of the status.
    pub(crate) fn parse(status: u16, body: &[u8]) -> Self {
        let document: ProblemDocument = serde_json::from_slice(body).unwrap_or_default();
        let code = document.errors.first().map(|error| error.code.as_str());
        let kind = match document.r#type.strip_prefix(PROBLEM_TYPE) {
            Some(kind) => kind,
            None => code.unwrap_or_default(),
        };
        let kind = printable(kind);
        let errors = document.errors.into_iter().take(ERRORS_LIMIT);
        Self {
            status,
            kind,
            title: document
                .title
                .map_or_else(|| standard_title(status), |title| printable(&title)),
            detail: printable(&document.detail.or(document.message).unwrap_or_default()),
            request_id: document.request_id.map(|id| printable(&id)),
            errors: errors.map(Fault::from).collect(),
            explanation: document.explanation,
        }
    }

    /// Advice for the sender of a query, by the table "Errors" of document 1.
    pub(crate) fn query_advice(&self) -> &'static str {
        match self.status {
            401 => "request a new token, with the client certificate that the query uses",
            403 => {
                "ask the directory's operator to assign the scope `transaction-status` to this \
                 client"
            }
            409 if self.kind == NOT_LOGGED => "the log is late: ask again in some minutes",
            404 if self.kind == NOT_FOUND => "check the address or UPRN, or query another one",
            _ => self.general_advice(),
        }
    }

    /// Advice for the caller of webhook management.
    pub(crate) fn webhook_advice(&self) -> &'static str {
        match self.status {
            401 => "check the API key: it may be revoked, or belong to another service",
            409 => {
                "subscribe first: an active subscription of this API key must hear the event, and \
                 its watch, if it has one, must have the property"
            }
            _ => self.general_advice(),
        }
    }

    fn general_advice(&self) -> &'static str {
        match self.status {
            413 | 422 => "correct the values named above and send the request again",
            300..=399 => "this client follows no redirects: correct the address of the service",
            500..=599 => SERVICE_ADVICE,
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
        // The detail of Onward's refusals names the faults already.
        let is_new = |fault: &&Fault| !self.detail.contains(&fault.detail);
        for fault in self.errors.iter().filter(is_new) {
            write!(formatter, "\n  {}: {}", fault.pointer, fault.detail)?;
        }
        let values = self.explanation.iter().take(ERRORS_LIMIT);
        for miss in values.filter_map(ValueExplanation::describe_miss) {
            write!(formatter, "\n  {miss}")?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " (request {request_id})")?;
        }
        Ok(())
    }
}

impl TokenRefusal {
    /// Reads the refusal with this `status` and `body`. Both texts are empty if the body is not an
    /// OAuth error.
    pub(crate) fn parse(status: u16, body: &[u8]) -> Self {
        let document: TokenErrorDocument = serde_json::from_slice(body).unwrap_or_default();
        Self {
            status,
            error: printable(&document.error),
            error_description: printable(&document.error_description),
        }
    }

    pub(crate) fn advice(&self) -> &'static str {
        match self.error.as_str() {
            "invalid_client" => {
                "check the client id, the assertion key and its algorithm, and that this \
                 computer's clock is right"
            }
            "invalid_scope" => "ask the directory's operator to assign the scope to this client",
            "invalid_grant" => "present the client certificate that is registered",
            "unauthorized_client" => "ask the directory's operator to enable this client",
            _ if self.status == 429 => "request tokens less often: one token serves many queries",
            _ if self.status >= 500 => SERVICE_ADVICE,
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
    r#type: String,
    title: Option<String>,
    detail: Option<String>,
    /// The text of a refusal of listing and chain management (S-40).
    message: Option<String>,
    request_id: Option<String>,
    errors: Vec<FaultDocument>,
    explanation: Vec<ValueExplanation>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FaultDocument {
    code: String,
    #[serde(alias = "field")]
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
