//! The milestone resource.

use serde::Serialize;
use storage::milestones::StoredMilestone;

use super::{Id, Identifier};
use crate::clock;

/// A recorded milestone.
#[derive(Debug, Clone, Serialize)]
pub struct MilestoneResource {
    /// Always a text.
    pub id: String,
    r#type: &'static str,
    attributes: MilestoneAttributes,
}

/// Attributes of a milestone.
#[derive(Debug, Clone, Serialize)]
pub struct MilestoneAttributes {
    created_at: i64,
    updated_at: i64,
    deleted_at: Option<i64>,
    /// Unix seconds: the exact moment, or midnight in London; null only after
    /// enquiries were reopened (S-11).
    completed_at: Option<i64>,
    milestone_type_id: i64,
    milestone_type: &'static str,
    address_id: i64,
    is_derived: bool,
    excluded: bool,
    origin: i64,
}

impl From<&StoredMilestone> for MilestoneResource {
    fn from(stored: &StoredMilestone) -> Self {
        let midnight = || stored.date.map(clock::midnight_in_london);
        Self {
            id: stored.id.to_string(),
            r#type: "milestone",
            attributes: MilestoneAttributes {
                created_at: stored.created_at,
                updated_at: stored.updated_at,
                deleted_at: stored.deleted_at,
                completed_at: stored.completed_at.or_else(midnight),
                milestone_type_id: stored.kind.id,
                milestone_type: stored.kind.name,
                address_id: stored.property.0,
                is_derived: false,
                excluded: stored.excluded,
                origin: stored.origin.code(),
            },
        }
    }
}

impl MilestoneResource {
    /// Its name in a relationship.
    pub fn identifier(&self) -> Identifier {
        Identifier {
            r#type: "milestone",
            id: Id::Text(self.id.clone()),
        }
    }
}
