//! What the look-up of addresses answers.

use serde::Serialize;
use utoipa::ToSchema;

use crate::property_search::Suggestion;

/// Properties that may be meant, the most likely first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddressSuggestions {
    /// Empty if nothing fits.
    #[schema(max_items = 20)]
    pub data: Vec<AddressSuggestion>,
}

/// A property that may be meant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddressSuggestion {
    /// Unique Property Reference Number, as document 1 writes it. From
    /// 900000000000 on it is a placeholder, for a property that has none yet.
    #[schema(minimum = 1, maximum = 999_999_999_999_isize)]
    uprn: i64,
    display_address: String,
    /// How well it fits, from 0 to 1, where 1 is as good as it can be.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f64,
}

impl From<Suggestion> for AddressSuggestion {
    fn from(suggestion: Suggestion) -> Self {
        Self {
            uprn: suggestion.uprn.value(),
            display_address: suggestion.display_address,
            confidence: suggestion.confidence,
        }
    }
}
