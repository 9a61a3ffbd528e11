//! Describes the refusals of listing and chain management in OpenAPI. The functions that the routes
//! call make these refusals.

use std::collections::BTreeMap;

use chain::ends::{End, EndRefusal};
use chain::ids::{BranchId, ChainId, ListingId, PropertyId};
use chain::link::{LinkRefusal, Side};
use chain::state::Link;
use tokens::framework::NOT_ACTIVE;
use tokens::registry::Scope;
use utoipa::openapi::{RefOr, Response};
use uuid::Uuid;
use web::described::{any_body, query_string};
use web::problem::{FieldError, Problem};
use web::refusal::Refusal;
use web::refusals;
use web::segments;

use super::change_cursor::Fault;
use super::includes::unknown_include;
use super::links::{foreign_sides, unknown_side};
use super::listing_writes::{linked, property_fixed, reference_fixed, withdrawn};
use super::proposals::too_many;
use super::quotas::{TOLD_LISTINGS_PER_DAY, day_used_up, sealed_used_up, told_used_up};
use super::request_key::{key_malformed, key_reused};
use super::sold_property::{address_differs, address_taken, unknown_address};

const SELLER: ListingId = ListingId(812);
const BUYER: ListingId = ListingId(4);
const LINK: Link = Link {
    seller: SELLER,
    buyer: BUYER,
};

/// Describes the refusals of an operation: these, and the refusals of every operation.
pub(crate) fn describe(refusals: Vec<Vec<Problem>>) -> BTreeMap<String, RefOr<Response>> {
    let anywhere = [
        Problem::TokenMissing,
        Problem::TokenInvalid("The token has expired. Get a new token."),
        Problem::ScopeInsufficient(Scope::Listing.as_str()),
        Problem::OrganisationRefused(NOT_ACTIVE),
        Problem::RateLimited(1),
        Problem::Internal(String::new()),
        Problem::Unavailable(1, String::new()),
    ];
    let all = anywhere.into_iter().chain(query_string());
    let all = all.chain(refusals.into_iter().flatten());
    refusals::describe(all.map(|problem| problem.to_failure_refusal()))
}

/// Refusals of a body of any content beside an `Idempotency-Key`.
pub(crate) fn keyed_body() -> Vec<Problem> {
    let mut all = any_body();
    all.push(key_malformed().into());
    all
}

/// Refusals of a branch that has used its quota up.
pub(crate) fn quotas() -> Vec<Problem> {
    vec![day_used_up(BranchId(7), 20_000, "listings")]
}

/// Refusals of a branch that was told too many current listings.
pub(crate) fn told_quota() -> Vec<Problem> {
    vec![told_used_up(BranchId(7), TOLD_LISTINGS_PER_DAY)]
}

/// Refusals of every write, with or without `Idempotency-Key`.
pub(crate) fn any_write() -> Vec<Problem> {
    let mut all = keyed_body();
    all.push(key_reused().into());
    all.push(Problem::Unconfirmed(String::new()));
    all.push(sealed_used_up(600));
    all
}

/// Refusals of `includes`.
pub(crate) fn includes() -> Vec<Problem> {
    vec![unknown_include("chain").into()]
}

/// Refusals of a listing that must be the caller's.
pub(crate) fn own_listing() -> Vec<Problem> {
    vec![
        Refusal::unknown_listing(SELLER).into(),
        Refusal::foreign_listing(SELLER).into(),
    ]
}

/// Refusals of a chain in which the caller must have a listing.
pub(crate) fn own_chain() -> Vec<Problem> {
    let chain = ChainId(Uuid::from_u128(0x7c1f_86f4_5a4e_4c0e_9d0b_6f1f_4c5a_2d10));
    vec![
        Refusal::unknown_chain(chain).into(),
        Refusal::foreign_chain(chain).into(),
    ]
}

/// Refusals of a read of changes.
pub(crate) fn changes() -> Vec<Problem> {
    let missing = FieldError::new("branch_id", "is missing".to_owned());
    vec![
        Problem::ValuesInvalid(vec![missing]),
        segments::unknown_branch("7").about("branch_id").into(),
        Refusal::forbidden("branch 7 is not one of yours".to_owned()).into(),
        Refusal::from(Fault::TooOld).into(),
    ]
}

/// Refusals of a milestone type.
pub(crate) fn milestone_type() -> Vec<Problem> {
    vec![segments::unknown_type("offer").into()]
}

/// Refusals of a milestone group and a branch.
pub(crate) fn workflow() -> Vec<Problem> {
    vec![
        segments::unknown_group("sale").into(),
        segments::unknown_branch("7").into(),
    ]
}

/// Refusals of a new listing's branch, which must be the caller's, and of its property.
pub(crate) fn branch_and_property() -> Vec<Problem> {
    vec![
        segments::unknown_branch("7").about("branch_id").into(),
        unknown_address(PropertyId(31)).into(),
        Refusal::forbidden("branch 7 is not one of yours".to_owned()).into(),
        withdrawn(SELLER).into(),
        property_fixed(SELLER).into(),
        address_differs(100_012_345_678_u64, "12 Mill Lane, Leeds, LS1 4AP").into(),
        address_taken(100_012_345_678_u64, "12 Mill Lane, Leeds, LS1 4AP").into(),
    ]
}

/// Refusals of an `external_id` that cannot be changed.
pub(crate) fn fixed_reference() -> Vec<Problem> {
    vec![reference_fixed().into()]
}

/// Refusals of a listing that must not be linked.
pub(crate) fn unlinked() -> Vec<Problem> {
    vec![linked(SELLER).into()]
}

/// Refusals of the two listings of a link.
pub(crate) fn both_sides() -> Vec<Problem> {
    vec![
        unknown_side(Side::Seller, SELLER).into(),
        foreign_sides(SELLER, BUYER).into(),
    ]
}

/// Refusals of adding a link.
pub(crate) fn linking() -> Vec<Problem> {
    let length = chain::state::MAX_LISTINGS + 1;
    let refusals = [
        LinkRefusal::SameListing { listing: SELLER },
        LinkRefusal::BuyerHasSeller { buyer: BUYER },
        LinkRefusal::SellerHasBuyer { seller: SELLER },
        LinkRefusal::SameChain { link: LINK },
        LinkRefusal::TooLong { link: LINK, length },
        locked(),
        LinkRefusal::SameProperty { link: LINK },
        LinkRefusal::RingOfHomes { link: LINK },
    ];
    let mut all: Vec<Problem> = refusals.map(Problem::from).into();
    all.push(too_many(BranchId(7)).into());
    all
}

/// Refusals of breaking a link.
pub(crate) fn unlinking() -> Vec<Problem> {
    [LinkRefusal::NotLinked { link: LINK }, locked()]
        .map(Problem::from)
        .into()
}

/// Refusals of adding a listing at an end that must be found first.
pub(crate) fn adding_at_an_end() -> Vec<Problem> {
    let several = EndRefusal::SeveralEnds {
        end: End::Top,
        listings: vec![SELLER, BUYER],
    };
    let mut all = linking();
    all.push(several.into());
    all.push(unknown_side(Side::Seller, SELLER).into());
    all
}

/// Refusals of marking an end.
pub(crate) fn marking() -> Vec<Problem> {
    let locked = EndRefusal::Locked {
        end: End::Top,
        listing: SELLER,
    };
    vec![locked.into()]
}

fn locked() -> LinkRefusal {
    LinkRefusal::Locked {
        side: Side::Seller,
        listing: SELLER,
    }
}
