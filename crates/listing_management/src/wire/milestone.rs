//! The resource for a recorded milestone.

use chain::london::midnight_in_london;
use chain::milestone::Origin;
use serde::Serialize;
use storage::milestones::StoredMilestone;
use utoipa::ToSchema;
use utoipa::openapi::Object;
use web::schema::integer;

use super::{Id, Identifier};

/// A recorded milestone.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Milestone)]
pub(crate) struct MilestoneResource {
    /// Always a string.
    #[schema(pattern = "^[0-9]+$")]
    pub id: String,
    #[schema(pattern = "^milestone$")]
    r#type: &'static str,
    attributes: MilestoneAttributes,
}

/// Attributes of a milestone.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct MilestoneAttributes {
    /// Unix seconds.
    created_at: i64,
    /// Unix seconds.
    updated_at: i64,
    /// Always null, because withdrawn milestones are not shown.
    #[schema(required)]
    deleted_at: Option<i64>,
    /// The exact time of completion in Unix seconds, or midnight in London if only the date is
    /// known. Null only after enquiries were reopened.
    // S-11
    #[schema(required)]
    completed_at: Option<i64>,
    #[schema(minimum = 1)]
    milestone_type_id: i64,
    /// Name of the milestone type.
    milestone_type: &'static str,
    #[schema(minimum = 1)]
    address_id: i64,
    /// Always false.
    is_derived: bool,
    /// Whether the milestone is left out of the sale's progress.
    excluded: bool,
    #[schema(schema_with = origin)]
    origin: i64,
}

/// The schema of `origin`, the code for who recorded a milestone (S-51).
fn origin() -> Object {
    let last = Origin::ALL.map(Origin::code).into_iter().max();
    integer(0, last.unwrap_or_default().unsigned_abs())
        .description(Some(
            "Who recorded it: 0 unknown, 1 an agent, 2 a conveyancer, 3 a lender, 4 an import, \
             5 derived, 6 the operator.",
        ))
        .build()
}

impl From<&StoredMilestone> for MilestoneResource {
    fn from(stored: &StoredMilestone) -> Self {
        let midnight = || stored.date.map(midnight_in_london);
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
    /// The identifier that relationships use.
    pub(crate) fn identifier(&self) -> Identifier {
        Identifier {
            r#type: "milestone",
            id: Id::Text(self.id.clone()),
        }
    }
}
