//! The refusals of listing and chain management for its OpenAPI document, made by the functions
//! that the routes call.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use axum::body::Bytes;
use chain::ends::{End, EndRefusal};
use chain::ids::{ChainId, ListingId, PropertyId};
use chain::link::{LinkRefusal, Side};
use chain::state::Link;
use tokens::registry::Scope;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};
use uuid::Uuid;

use super::fields::Fields;
use super::links::{foreign_sides, unknown_side};
use super::listing_writes::{linked, reference_fixed, unknown_address, withdrawn};
use super::listings::unknown_include;
use super::page::Query;
use super::recording::{key_malformed, key_reused};
use super::refusal::Refusal;
use super::segments;
use crate::limits;
use crate::openapi::refusals;
use crate::problem::{FieldError, Problem};

/// The refusals of these causes, and those of every operation.
pub struct Refused<T>(PhantomData<T>);

/// A cause of refusals.
pub trait Cause {
    /// The refusals, one for each code or wording.
    fn problems() -> Vec<Problem>;
}

/// A request body of any content.
pub struct AnyBody;

/// A write that is recorded, with or without `Idempotency-Key`.
pub struct Recorded;

/// The members of a JSON body. `T` names a member that can be wrong.
pub struct Members<T>(PhantomData<T>);

/// A body with an example of a wrong member.
pub trait WrongMember {
    /// The name of the member, and the detail of its refusal.
    const WRONG: (&'static str, &'static str);
}

/// A query string.
pub struct QueryString;

/// `page` and `per_page`.
pub struct Pages;

/// `includes`.
pub struct Included;

/// A listing that must be the caller's.
pub struct OwnListing;

/// A chain in which the caller must have a listing.
pub struct OwnChain;

/// A milestone type.
pub struct KnownType;

/// A group and a branch, of a workflow.
pub struct KnownWorkflow;

/// A branch that must be the caller's, and a property.
pub struct OwnPlace;

/// An `external_id` that cannot be changed.
pub struct FixedReference;

/// A listing that must not be linked.
pub struct Unlinked;

/// Both sides of a link.
pub struct BothSides;

/// Adding a link.
pub struct Linking;

/// Breaking a link.
pub struct Unlinking;

/// Adding at an end that must be found first.
pub struct AtAnEnd;

/// Marking an end.
pub struct Marking;

const SELLER: ListingId = ListingId(812);
const BUYER: ListingId = ListingId(4);
const LINK: Link = Link {
    seller: SELLER,
    buyer: BUYER,
};

impl<T: Cause> IntoResponses for Refused<T> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let anywhere = [
            Problem::TokenMissing,
            Problem::TokenInvalid("The token has expired. Get a new token."),
            Problem::ScopeInsufficient(Scope::Listing.as_str()),
            Problem::RateLimited(1),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        let all = anywhere.into_iter().chain(T::problems());
        refusals::describe(all.map(|problem| problem.to_failure_refusal()))
    }
}

impl Cause for () {
    fn problems() -> Vec<Problem> {
        Vec::new()
    }
}

impl<A: Cause, B: Cause> Cause for (A, B) {
    fn problems() -> Vec<Problem> {
        let mut all = A::problems();
        all.extend(B::problems());
        all
    }
}

impl<A: Cause, B: Cause, C: Cause> Cause for (A, B, C) {
    fn problems() -> Vec<Problem> {
        <((A, B), C)>::problems()
    }
}

impl<A: Cause, B: Cause, C: Cause, D: Cause> Cause for (A, B, C, D) {
    fn problems() -> Vec<Problem> {
        <((A, B), (C, D))>::problems()
    }
}

impl Cause for AnyBody {
    fn problems() -> Vec<Problem> {
        vec![
            Problem::BodyMalformed("The body ended before it was complete.".to_owned()),
            Problem::BodyTooSlow,
            Problem::BodyTooLarge(limits::JSON_BODY_BYTES_MAX),
            key_malformed().into(),
        ]
    }
}

impl Cause for Recorded {
    fn problems() -> Vec<Problem> {
        let mut all = AnyBody::problems();
        all.push(key_reused().into());
        all.push(Problem::Unconfirmed(String::new()));
        all
    }
}

impl<T: WrongMember> Cause for Members<T> {
    fn problems() -> Vec<Problem> {
        let (name, detail) = T::WRONG;
        let wrong = FieldError {
            pointer: name.to_owned(),
            detail: detail.to_owned(),
        };
        let mut all = vec![
            Problem::MediaTypeUnsupported("application/json"),
            Problem::ValuesInvalid(vec![wrong]),
        ];
        all.extend(Fields::parse(&Bytes::from_static(b"{")).err());
        all
    }
}

impl Cause for QueryString {
    fn problems() -> Vec<Problem> {
        let too_many = "a&".repeat(limits::FORM_FIELDS_MAX + 1);
        Query::parse(Some(&too_many)).err().into_iter().collect()
    }
}

impl Cause for Pages {
    fn problems() -> Vec<Problem> {
        let mut errors = Vec::new();
        if let Ok(query) = Query::parse(Some("per_page=0")) {
            query.page(&mut errors);
        }
        let mut all = QueryString::problems();
        all.push(Problem::ValuesInvalid(errors));
        all
    }
}

impl Cause for Included {
    fn problems() -> Vec<Problem> {
        let mut all = QueryString::problems();
        all.push(unknown_include("chain").into());
        all
    }
}

impl Cause for OwnListing {
    fn problems() -> Vec<Problem> {
        vec![
            Refusal::unknown_listing(SELLER).into(),
            Refusal::foreign_listing(SELLER).into(),
        ]
    }
}

impl Cause for OwnChain {
    fn problems() -> Vec<Problem> {
        let chain = ChainId(Uuid::from_u128(0x7c1f_86f4_5a4e_4c0e_9d0b_6f1f_4c5a_2d10));
        vec![
            Refusal::unknown_chain(chain).into(),
            Refusal::foreign_chain(chain).into(),
        ]
    }
}

impl Cause for KnownType {
    fn problems() -> Vec<Problem> {
        vec![segments::unknown_type("offer").into()]
    }
}

impl Cause for KnownWorkflow {
    fn problems() -> Vec<Problem> {
        vec![
            segments::unknown_group("sale").into(),
            segments::unknown_branch("7").into(),
        ]
    }
}

impl Cause for OwnPlace {
    fn problems() -> Vec<Problem> {
        vec![
            segments::unknown_branch("7").about("branch_id").into(),
            unknown_address(PropertyId(31)).into(),
            Refusal::forbidden("branch 7 is not one of yours".to_owned()).into(),
            withdrawn(SELLER).into(),
        ]
    }
}

impl Cause for FixedReference {
    fn problems() -> Vec<Problem> {
        vec![reference_fixed().into()]
    }
}

impl Cause for Unlinked {
    fn problems() -> Vec<Problem> {
        vec![linked(SELLER).into()]
    }
}

impl Cause for BothSides {
    fn problems() -> Vec<Problem> {
        vec![
            unknown_side(Side::Seller, SELLER).into(),
            foreign_sides(SELLER, BUYER).into(),
        ]
    }
}

impl Cause for Linking {
    fn problems() -> Vec<Problem> {
        let length = chain::state::MAX_LISTINGS + 1;
        let refusals = [
            LinkRefusal::SameListing { listing: SELLER },
            LinkRefusal::BuyerHasSeller { buyer: BUYER },
            LinkRefusal::SellerHasBuyer { seller: SELLER },
            LinkRefusal::SameChain { link: LINK },
            LinkRefusal::TooLong { link: LINK, length },
            locked(),
        ];
        refusals.map(Problem::from).into()
    }
}

impl Cause for Unlinking {
    fn problems() -> Vec<Problem> {
        [LinkRefusal::NotLinked { link: LINK }, locked()]
            .map(Problem::from)
            .into()
    }
}

impl Cause for AtAnEnd {
    fn problems() -> Vec<Problem> {
        let several = EndRefusal::SeveralEnds {
            end: End::Top,
            listings: vec![SELLER, BUYER],
        };
        let mut all = Linking::problems();
        all.push(several.into());
        all.push(unknown_side(Side::Seller, SELLER).into());
        all
    }
}

impl Cause for Marking {
    fn problems() -> Vec<Problem> {
        let locked = EndRefusal::Locked {
            end: End::Top,
            listing: SELLER,
        };
        vec![locked.into()]
    }
}

fn locked() -> LinkRefusal {
    LinkRefusal::Locked {
        side: Side::Seller,
        listing: SELLER,
    }
}
