//! The row types and the members of each.

use super::error::RowError;
use super::members::Members;

/// The values of the member `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowType {
    Property,
    Branch,
    Listing,
    Party,
    Link,
    Milestone,
    EndCheck,
}

impl RowType {
    pub(super) const ALL: [Self; 7] = [
        Self::Property,
        Self::Branch,
        Self::Listing,
        Self::Party,
        Self::Link,
        Self::Milestone,
        Self::EndCheck,
    ];

    /// Removes the type from a row and returns it.
    pub(super) fn take_from(members: &mut Members<'_>) -> Result<Self, RowError> {
        let name = members.take_type()?;
        Self::ALL
            .into_iter()
            .find(|row_type| row_type.name() == name)
            .ok_or_else(|| RowError::unknown_type(&name))
    }

    /// The word in the member `type`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Property => "property",
            Self::Branch => "branch",
            Self::Listing => "listing",
            Self::Party => "party",
            Self::Link => "link",
            Self::Milestone => "milestone",
            Self::EndCheck => "end_check",
        }
    }

    /// The members other than `type`.
    pub(super) const fn members(self) -> &'static [&'static str] {
        match self {
            Self::Property => &[
                "uprn",
                "line1",
                "line2",
                "line3",
                "line4",
                "post_town",
                "postcode",
                "display_address",
            ],
            Self::Branch => &["branch", "name", "participant"],
            Self::Listing => &[
                "branch",
                "listing",
                "uprn",
                "price",
                "tenure",
                "transaction_type",
                "seller_conveyancer",
                "buyer_conveyancer",
                "created_at",
            ],
            Self::Party => &["branch", "listing", "role", "name"],
            Self::Link => &["seller_branch", "seller", "buyer_branch", "buyer", "split"],
            Self::Milestone => &["branch", "listing", "key", "date"],
            Self::EndCheck => &["branch", "listing", "end"],
        }
    }
}
