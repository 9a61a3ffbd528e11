//! The resource for one entry of a listing's history.

use serde::Serialize;
use serde_json::Value;
use storage::history::HistoryEntry;
use utoipa::ToSchema;
use web::problem::Problem;

/// One change of a listing, with its author and time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistoryEntry)]
pub struct HistoryResource {
    #[schema(pattern = "^[0-9]+$")]
    id: String,
    #[schema(pattern = "^history_entry$")]
    r#type: &'static str,
    attributes: HistoryAttributes,
}

/// Attributes of a history entry.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryAttributes {
    /// The kind of change, for example `link.added`.
    #[schema(pattern = "^[a-z]+[.][a-z]+$")]
    action: String,
    /// Unix seconds.
    at: i64,
    /// Name of the author's organisation, or `operator`.
    by: String,
    /// The listing's chain after the change.
    #[schema(format = "uuid")]
    chain_link_id: String,
    /// The listing, in the history of a chain and in changes.
    #[schema(nullable = false, minimum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<i64>,
    #[schema(schema_with = crate::history::describe_details)]
    detail: Value,
}

impl HistoryResource {
    /// The entry in the history of a chain, with its listing.
    pub fn of_chain(entry: HistoryEntry) -> Result<Self, Problem> {
        let listing = entry.listing.0;
        let mut resource = Self::try_from(entry)?;
        resource.attributes.listing_id = Some(listing);
        // The operator told the reason to the branches of the broken link. Whoever links later reads this too.
        if resource.attributes.action == "link.broken"
            && let Some(detail) = resource.attributes.detail.as_object_mut()
        {
            detail.remove("reason");
        }
        Ok(resource)
    }

    /// The entry among the changes of a branch, with its listing (S-93).
    pub(crate) fn of_changes(entry: HistoryEntry) -> Result<Self, Problem> {
        let mut resource = Self::of_chain(entry)?;
        let is_end = resource.attributes.action.starts_with("end.");
        if let (false, Some(detail)) = (is_end, resource.attributes.detail.as_object_mut()) {
            detail.retain(|member, _value| !LEFT_OUT.contains(&member.as_str()));
        }
        Ok(resource)
    }
}

/// The members of details that changes leave out: a price, names that an agent typed, and free text.
const LEFT_OUT: [&str; 4] = ["price", "seller_conveyancer", "buyer_conveyancer", "reason"];

impl TryFrom<HistoryEntry> for HistoryResource {
    type Error = Problem;

    fn try_from(entry: HistoryEntry) -> Result<Self, Problem> {
        let detail = serde_json::from_str(&entry.detail).map_err(|error| {
            Problem::Internal(format!("history entry {} is no JSON: {error}", entry.id))
        })?;
        Ok(Self {
            id: entry.id.to_string(),
            r#type: "history_entry",
            attributes: HistoryAttributes {
                action: entry.action,
                at: entry.at,
                by: entry.participant.unwrap_or(entry.actor),
                chain_link_id: entry.chain.to_string(),
                listing_id: None,
                detail,
            },
        })
    }
}
