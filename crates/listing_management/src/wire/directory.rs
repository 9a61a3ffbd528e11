//! Resources for addresses and branches, as the filters list them (S-52).

use serde::Serialize;
use storage::branch::BranchWithParticipant;
use storage::properties::StoredProperty;
use utoipa::ToSchema;
use web::list::Meta;

use crate::current_listing::CurrentListing;

/// A page of properties, and the current listing of the home that the address means.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddressPage {
    /// The entries of this page.
    pub data: Vec<AddressResource>,
    /// The position of this page among all pages.
    pub meta: Meta,
    /// The current listing of the one home that `full_address` means, for linking, if it is linked or
    /// Property Listed or SSTC is recorded. Otherwise null.
    #[schema(required = true)]
    pub current_listing: Option<CurrentListing>,
}

/// A property and its address.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Address)]
pub(crate) struct AddressResource {
    #[schema(minimum = 1)]
    id: i64,
    #[schema(pattern = "^address$")]
    r#type: &'static str,
    attributes: AddressAttributes,
}

/// Attributes of an address.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddressAttributes {
    address_id: i64,
    /// Unique Property Reference Number (UPRN). Numbers from 900000000000 are placeholders
    /// for properties without a UPRN.
    #[schema(minimum = 1, maximum = 999_999_999_999_isize)]
    uprn: i64,
    full_address: String,
    address_street_name: String,
    address_area: String,
    address_postal_code: String,
}

/// A branch of an estate agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Branch)]
pub(crate) struct BranchResource {
    #[schema(minimum = 1)]
    id: i64,
    #[schema(pattern = "^branch$")]
    r#type: &'static str,
    attributes: BranchAttributes,
}

/// Attributes of a branch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BranchAttributes {
    branch_id: i64,
    name: String,
    /// Name of the organisation that the branch belongs to.
    participant: String,
}

impl From<StoredProperty> for AddressResource {
    fn from(stored: StoredProperty) -> Self {
        let lines = stored.address;
        let parts = [&lines.line1, &lines.line2, &lines.line3, &lines.line4];
        let parts = parts.map(String::as_str);
        Self {
            id: stored.id.0,
            r#type: "address",
            attributes: AddressAttributes {
                address_id: stored.id.0,
                uprn: stored.uprn.value(),
                address_street_name: address::street_name(&parts).to_owned(),
                address_area: address::area(&parts, &lines.post_town).to_owned(),
                full_address: lines.display_address,
                address_postal_code: lines.postcode,
            },
        }
    }
}

impl From<BranchWithParticipant> for BranchResource {
    fn from(stored: BranchWithParticipant) -> Self {
        Self {
            id: stored.id.0,
            r#type: "branch",
            attributes: BranchAttributes {
                branch_id: stored.id.0,
                name: stored.name,
                participant: stored.participant,
            },
        }
    }
}
