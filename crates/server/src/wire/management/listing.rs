//! The listing resource.

use serde::Serialize;
use storage::listings::StoredListing;
use utoipa::openapi::{Object, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::{Id, Related};
use crate::openapi::schema::one_of_texts;

/// A listing; its type says what it is to the listing that was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Listing)]
pub(crate) struct ListingResource {
    /// A text where milestones are among the includes.
    // S-48
    pub id: Id,
    /// `listing`, `buyer`, `seller` or `chained_listing`.
    #[schema(schema_with = kind)]
    pub r#type: &'static str,
    /// What is known of it.
    pub attributes: ListingAttributes,
    /// Only what was asked for and exists.
    // S-49
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationships: Option<Relationships>,
}

/// Attributes of a listing.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ListingAttributes {
    #[schema(minimum = 1)]
    address_id: i64,
    #[schema(minimum = 1)]
    branch_id: i64,
    /// In pounds.
    #[schema(minimum = 0)]
    price: i64,
    /// The chain that it is in. It changes when links are added or broken.
    #[schema(format = "uuid")]
    chain_link_id: String,
    /// Whether links and checks of it are refused.
    is_locked: bool,
    full_address: String,
    address_street_name: String,
    address_area: String,
    address_postal_code: String,
    /// Unix seconds.
    created_at: i64,
    /// Unix seconds.
    updated_at: i64,
    #[schema(schema_with = more)]
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    more: Option<MoreAttributes>,
}

/// Attributes that show where milestones are among the includes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct MoreAttributes {
    /// Unix seconds; null, because a withdrawn listing is not shown.
    #[schema(required = false)]
    deleted_at: Option<i64>,
    /// When its newest milestone was recorded or withdrawn, Unix seconds.
    #[schema(required = false)]
    status_changedate: i64,
    /// When its branch or its chain last said something of it, Unix seconds.
    #[schema(required = false)]
    date_last_received: i64,
    /// 1 where the property has its real UPRN, 0 for a placeholder.
    // S-12
    #[schema(required = false, minimum = 0, maximum = 1)]
    verified_as_property: i64,
    /// The organisation that the branch belongs to.
    branch_owner_id: Option<i64>,
    #[schema(required = false)]
    branch_name: String,
}

/// Relationships of a listing.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(crate) struct Relationships {
    /// Who buys it.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer: Option<Related>,
    /// What its seller buys.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller: Option<Related>,
    /// Its chain.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_data: Option<Related>,
    /// The whole chain, bottom to top.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chained_listings: Option<Related>,
    /// Its milestones.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestones: Option<Related>,
}

/// The types that a listing can have.
fn kind() -> Object {
    one_of_texts(["listing", "buyer", "seller", "chained_listing"])
        .description(Some("What it is to the listing that was asked for."))
        .build()
}

/// They may all be missing, and are all there where one is.
fn more() -> RefOr<Schema> {
    MoreAttributes::schema()
}

impl ListingResource {
    /// A listing on its own.
    pub(crate) fn plain(listing: &StoredListing) -> Self {
        Self::new(listing, "listing", false)
    }

    /// A listing in a document with or without milestones.
    pub(crate) fn new(listing: &StoredListing, kind: &'static str, with_milestones: bool) -> Self {
        let lines = &listing.address;
        let is_placeholder = listing.uprn.is_placeholder();
        let more = with_milestones.then(|| MoreAttributes {
            deleted_at: listing.deleted_at,
            status_changedate: listing.status_changed_at,
            date_last_received: listing.updated_at,
            verified_as_property: i64::from(!is_placeholder),
            branch_owner_id: Some(listing.participant_id),
            branch_name: listing.branch_name.clone(),
        });
        let parts = [&lines.line1, &lines.line2, &lines.line3, &lines.line4];
        let parts = parts.map(String::as_str);
        Self {
            id: Id::of_listing(listing.id, with_milestones),
            r#type: kind,
            attributes: ListingAttributes {
                address_id: listing.property.0,
                branch_id: listing.branch.0,
                price: listing.price,
                chain_link_id: listing.chain.to_string(),
                is_locked: listing.is_locked,
                full_address: lines.display_address.clone(),
                address_street_name: address::street_name(&parts).to_owned(),
                address_area: address::area(&parts, &lines.post_town).to_owned(),
                address_postal_code: lines.postcode.clone(),
                created_at: listing.created_at,
                updated_at: listing.updated_at,
                more,
            },
            relationships: None,
        }
    }
}
