//! Resources for milestone types and groups, the catalogue of document 4.

use chain::milestone::{Group, MilestoneType};
use serde::Serialize;
use storage::milestones::StoredMilestone;
use utoipa::ToSchema;

use super::RelatedMany;
use super::milestone::MilestoneResource;

/// When the catalogue was last changed: 2026-01-01, in Unix seconds.
const CATALOGUE_MADE_AT: i64 = 1_767_225_600;

/// A type of milestone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneType)]
pub(crate) struct MilestoneTypeResource {
    #[schema(pattern = "^[0-9]+$")]
    id: String,
    #[schema(pattern = "^milestone_type$")]
    r#type: &'static str,
    attributes: MilestoneTypeAttributes,
    /// Present only in a workflow.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    relationships: Option<MilestoneTypeRelationships>,
}

/// Attributes of a milestone type.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MilestoneTypeAttributes {
    /// Unix seconds.
    created_at: i64,
    /// Unix seconds.
    updated_at: i64,
    /// Always null.
    #[schema(required)]
    deleted_at: Option<i64>,
    name: &'static str,
    /// The key that paths use.
    key: &'static str,
    /// Position in the catalogue, counted from 1.
    #[schema(minimum = 1)]
    sequence: i64,
    /// Whether the chain query shows milestones of this type.
    is_default_workflow: bool,
    /// Whether only listing and chain management shows milestones of this type.
    is_checklist_enabled: bool,
}

/// The milestones that a listing recorded for a type.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MilestoneTypeRelationships {
    milestones: RelatedMany,
}

/// A group of milestone types.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneGroup)]
pub(crate) struct MilestoneGroupResource {
    #[schema(pattern = "^[0-9]+$")]
    id: String,
    #[schema(pattern = "^milestone_group$")]
    r#type: &'static str,
    attributes: MilestoneGroupAttributes,
}

/// Attributes of a milestone group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MilestoneGroupAttributes {
    /// The key that paths use.
    key: &'static str,
    name: &'static str,
    /// Position among the groups, counted from 1.
    #[schema(minimum = 1)]
    sequence: i64,
}

/// The milestone types of one group, with the milestones that one listing recorded.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Workflow {
    /// The milestone types of the group.
    data: Vec<MilestoneTypeResource>,
    /// The milestones that the listing recorded.
    included: Vec<MilestoneResource>,
}

impl From<&MilestoneType> for MilestoneTypeResource {
    fn from(kind: &MilestoneType) -> Self {
        Self {
            id: kind.id.to_string(),
            r#type: "milestone_type",
            attributes: MilestoneTypeAttributes {
                created_at: CATALOGUE_MADE_AT,
                updated_at: CATALOGUE_MADE_AT,
                deleted_at: None,
                name: kind.name,
                key: kind.key,
                sequence: kind.sequence,
                is_default_workflow: kind.is_default_workflow(),
                is_checklist_enabled: kind.is_checklist_enabled(),
            },
            relationships: None,
        }
    }
}

impl From<Group> for MilestoneGroupResource {
    fn from(group: Group) -> Self {
        Self {
            id: group.id().to_string(),
            r#type: "milestone_group",
            attributes: MilestoneGroupAttributes {
                key: group.key(),
                name: match group {
                    Group::Sstc => "Sold Subject To Contract",
                    Group::Searches => "Searches",
                    Group::Funding => "Funding",
                    Group::Enquiries => "Enquiries",
                    Group::Exchange => "Exchange",
                    Group::Completion => "Completion",
                },
                sequence: group.id(),
            },
        }
    }
}

impl Workflow {
    /// Joins the types of `group` with the recorded milestones of a listing.
    pub(crate) fn new(group: Group, milestones: &[StoredMilestone]) -> Self {
        let mut included = Vec::new();
        let data = group.milestone_types().map(|kind| {
            let recorded = milestones.iter().find(|one| one.kind.id == kind.id);
            let recorded = recorded.map(MilestoneResource::from);
            let names = recorded.iter().map(MilestoneResource::identifier).collect();
            included.extend(recorded);
            let milestones = RelatedMany { data: names };
            MilestoneTypeResource {
                relationships: Some(MilestoneTypeRelationships { milestones }),
                ..MilestoneTypeResource::from(kind)
            }
        });
        let data = data.collect();
        Self { data, included }
    }
}
