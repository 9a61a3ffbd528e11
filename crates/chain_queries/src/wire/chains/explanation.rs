//! Why each value of a chain query led to a chain or to none (S-58).

use axum::body::Bytes;
use serde::Serialize;
use utoipa::ToSchema;

/// The result for one value that was asked for. It is not signed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ValueExplanation {
    /// The value exactly as sent.
    pub value: String,
    /// The UPRN of the property that the value means. `null` unless the reason is `matched`.
    pub uprn: Option<i64>,
    /// How well the property fits, from 0 to 1 with two decimals: 1 for a UPRN, 0.5 for a postcode
    /// alone. `null` unless the reason is `matched`.
    #[schema(minimum = 0, maximum = 1)]
    pub confidence: Option<f64>,
    /// Why the value led to a chain, or to none.
    pub reason: Reason,
}

/// Why a value led to a chain, or to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The answer has the chain of the property, on this page or on another one.
    Matched,
    /// No known property fits.
    Unknown,
    /// Several properties fit equally well.
    Ambiguous,
    /// The value says too little to be certain of one property: it lacks the postcode, the town or
    /// the number.
    Incomplete,
    /// The property is known, and has no current listing; of a postcode alone, no property has one.
    NotListed,
}

impl Reason {
    /// The reason for a value without a current listing.
    pub(crate) fn of_unmatched(is_known: bool) -> Self {
        if is_known {
            Self::NotListed
        } else {
            Self::Unknown
        }
    }
}

/// Adds the members `explanation` and `ignoredFields` to an answer, beside `data` and `provenance`.
pub fn add_to(
    answer: &Bytes,
    explanation: &[ValueExplanation],
    ignored_fields: &[String],
) -> Result<Bytes, serde_json::Error> {
    let mut body = answer.to_vec();
    // The closing brace of the answer.
    body.pop();
    body.extend_from_slice(b",\"explanation\":");
    serde_json::to_writer(&mut body, explanation)?;
    body.extend_from_slice(b",\"ignoredFields\":");
    serde_json::to_writer(&mut body, ignored_fields)?;
    body.push(b'}');
    Ok(body.into())
}
