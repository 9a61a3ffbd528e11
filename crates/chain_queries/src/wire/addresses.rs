//! The answer of the address look-up.

use property_search::Suggestion;
use serde::Serialize;
use utoipa::ToSchema;

/// Suggested properties, the most likely first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddressSuggestions {
    /// Empty if no property matches.
    #[schema(max_items = 20)]
    pub data: Vec<AddressSuggestion>,
}

/// A suggested property.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddressSuggestion {
    /// Unique Property Reference Number (UPRN). Numbers from 900000000000 are placeholders
    /// for properties without a UPRN.
    #[schema(minimum = 1, maximum = 999_999_999_999_isize)]
    uprn: i64,
    display_address: String,
    /// How well the property matches, from 0 to 1 with two decimals, as in a chain query. A perfect
    /// match is 1.
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
