//! The resource for a listing, with its attributes and relationships.

use serde::Serialize;
use storage::listings::StoredListing;
use utoipa::openapi::{Object, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use web::schema::one_of_texts;

use super::{Id, Related, RelatedMany, RelatedOne};

/// A listing. Its type names its relation to the requested listing.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Listing)]
pub struct ListingResource {
    /// A string if the request includes milestones, a number otherwise.
    // S-48
    pub id: Id,
    /// `listing`, `buyer`, `seller` or `chained_listing`.
    #[schema(schema_with = kind)]
    pub r#type: &'static str,
    /// The listing's attributes.
    pub attributes: ListingAttributes,
    /// The relationships that the request includes, if any exist.
    // S-49
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationships: Option<Relationships>,
}

/// Attributes of a listing.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ListingAttributes {
    #[schema(minimum = 1)]
    address_id: i64,
    #[schema(minimum = 1)]
    branch_id: i64,
    /// Price in pounds.
    #[schema(minimum = 0)]
    price: i64,
    /// Id of the listing's chain. It changes when links are added or removed.
    #[schema(format = "uuid")]
    chain_link_id: String,
    /// Whether the service refuses to change the listing's links and checks.
    is_locked: bool,
    full_address: String,
    address_street_name: String,
    address_area: String,
    address_postal_code: String,
    /// Unix seconds.
    created_at: i64,
    /// Unix seconds.
    updated_at: i64,
    #[schema(schema_with = own)]
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    own: Option<OwnAttributes>,
    #[schema(schema_with = more)]
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    more: Option<MoreAttributes>,
}

/// Attributes that only the requested listing has, never a list or an include.
// S-6, S-57
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct OwnAttributes {
    /// Whether the chain query shows this listing for its property.
    #[schema(required = false)]
    is_current: bool,
    /// Present and true if two or more listings of the property are under offer.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    contested: Option<bool>,
    #[schema(required = false, minimum = 1)]
    uprn: i64,
    /// The branch's own reference.
    #[schema(required = false)]
    external_id: Option<String>,
    /// `freehold`, `leasehold`, `commonhold`, `shareoffreehold`, or null if unknown.
    #[schema(required = false)]
    tenure: Option<String>,
    /// The ways in which the sale differs from a standard purchase.
    #[schema(required = false)]
    transaction_type: Vec<String>,
    #[schema(required = false, schema_with = parties)]
    parties: Parties,
}

/// The conveyancers of a sale.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Parties {
    /// Name of the organisation, or null if unknown.
    #[schema(required = true)]
    seller_conveyancer: Option<String>,
    /// Name of the organisation, or null if unknown.
    #[schema(required = true)]
    buyer_conveyancer: Option<String>,
}

/// Attributes that are present only if the request includes milestones.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct MoreAttributes {
    /// Always null, because withdrawn listings are not shown.
    #[schema(required = false)]
    deleted_at: Option<i64>,
    /// When a milestone was last recorded or withdrawn, in Unix seconds.
    #[schema(required = false)]
    status_changedate: i64,
    /// When the branch or the chain last changed the listing, in Unix seconds.
    #[schema(required = false)]
    date_last_received: i64,
    /// 1 if an import has confirmed the property's UPRN and address, 0 if they are an agent's own.
    #[schema(required = false, minimum = 0, maximum = 1)]
    verified_as_property: i64,
    /// Id of the organisation that the branch belongs to.
    branch_owner_id: Option<i64>,
    #[schema(required = false)]
    branch_name: String,
}

/// Relationships of a listing.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct Relationships {
    /// The listings that the listing's buyer sells.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer: Option<Related>,
    /// The listings that the listing's seller buys.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller: Option<Related>,
    /// The listing's chain.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_data: Option<RelatedOne>,
    /// All listings of the chain, from bottom to top.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chained_listings: Option<RelatedMany>,
    /// The listing's milestones.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestones: Option<RelatedMany>,
}

/// The types that a listing can have.
fn kind() -> Object {
    one_of_texts(["listing", "buyer", "seller", "chained_listing"])
        .description(Some("The relation to the requested listing."))
        .build()
}

/// The conveyancers. The attributes that contain them are not a schema of their own.
fn parties() -> RefOr<Schema> {
    Parties::schema()
}

/// The attributes of the requested listing.
fn own() -> RefOr<Schema> {
    OwnAttributes::schema()
}

/// The further attributes. An answer has all of them or none.
fn more() -> RefOr<Schema> {
    MoreAttributes::schema()
}

impl ListingResource {
    /// A listing without relationships and without milestones.
    pub fn plain(listing: &StoredListing) -> Self {
        Self::new(listing, "listing", false)
    }

    /// The requested listing, which belongs to one of the caller's branches.
    pub fn own(listing: &StoredListing, with_milestones: bool) -> Self {
        let filled = |text: &String| (!text.is_empty()).then(|| text.clone());
        let words = listing.transaction_type.split_whitespace();
        let mut resource = Self::new(listing, "listing", with_milestones);
        resource.attributes.own = Some(OwnAttributes {
            is_current: listing.standing.is_current,
            contested: listing.standing.is_contested.then_some(true),
            uprn: listing.uprn.value(),
            external_id: listing.external_id.clone(),
            tenure: filled(&listing.tenure),
            transaction_type: words.map(ToOwned::to_owned).collect(),
            parties: Parties {
                seller_conveyancer: filled(&listing.seller_conveyancer),
                buyer_conveyancer: filled(&listing.buyer_conveyancer),
            },
        });
        resource
    }

    /// A listing of the given type. With milestones, its id is a string and it has more attributes.
    pub fn new(listing: &StoredListing, kind: &'static str, with_milestones: bool) -> Self {
        let lines = &listing.address;
        let more = with_milestones.then(|| MoreAttributes {
            deleted_at: listing.deleted_at,
            status_changedate: listing.status_changed_at,
            date_last_received: listing.updated_at,
            verified_as_property: i64::from(listing.is_verified),
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
                own: None,
                more,
            },
            relationships: None,
        }
    }
}
