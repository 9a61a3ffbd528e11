//! Refusals of listing and chain management, with status and code (S-40, S-41).

use std::borrow::Cow;

use chain::ends::EndRefusal;
use chain::ids::{ChainId, ListingId};
use chain::link::LinkRefusal;
use http::StatusCode;

const CHANGED_MEANWHILE: &str = "changed_meanwhile";

/// A refusal of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind, which gives the status.
    pub class: Class,
    /// The code, for programs.
    pub code: Cow<'static, str>,
    /// The field or side at fault, if there is exactly one.
    pub field: Option<Cow<'static, str>>,
    /// The explanation for people. It names the side at fault and its id.
    pub detail: String,
    /// Whether the same request may get another answer soon, so that no `Idempotency-Key` keeps this one.
    pub is_passing: bool,
}

/// The kinds of refusal of S-40.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The branch is not the caller's.
    Forbidden,
    /// The id does not exist.
    Unknown,
    /// The present state forbids the operation.
    Conflict,
    /// What the request goes on from is not there any more.
    Gone,
    /// A value is not valid.
    Invalid,
}

impl Class {
    /// The kind of refusal with this HTTP status.
    pub fn of_status(status: StatusCode) -> Option<Self> {
        let mut all = [
            Self::Forbidden,
            Self::Unknown,
            Self::Conflict,
            Self::Gone,
            Self::Invalid,
        ]
        .into_iter();
        all.find(|class| class.status() == status)
    }

    /// The HTTP status.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Unknown => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// The last part of a problem's `type`, and its `title`.
    pub fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Forbidden => ("forbidden", "Not the caller's branch"),
            Self::Unknown => ("unknown", "Unknown id"),
            Self::Conflict => ("conflict", "The present state forbids it"),
            Self::Gone => ("gone", "Not there any more"),
            Self::Invalid => ("value-invalid", "Value not valid"),
        }
    }
}

impl Refusal {
    fn new(class: Class, code: &'static str, detail: String) -> Self {
        Self {
            class,
            code: code.into(),
            field: None,
            detail,
            is_passing: false,
        }
    }

    /// Refuses an unknown or withdrawn listing.
    pub fn unknown_listing(listing: impl std::fmt::Display) -> Self {
        Self::unknown(
            "listing_unknown",
            format!("listing {listing} does not exist"),
        )
    }

    /// Refuses a chain that does not exist.
    pub fn unknown_chain(chain: impl std::fmt::Display) -> Self {
        let detail = format!(
            "chain {chain} does not exist; read the chain_link_id from one of your listings, \
             for it changes when links are added or broken"
        );
        Self::unknown("chain_unknown", detail)
    }

    /// Refuses another unknown id.
    pub fn unknown(code: &'static str, detail: String) -> Self {
        Self::new(Class::Unknown, code, detail)
    }

    /// Refuses a listing of another branch (S-47).
    pub fn foreign_listing(listing: ListingId) -> Self {
        Self::forbidden(format!(
            "listing {listing} does not belong to one of your branches"
        ))
    }

    /// Refuses a chain without a listing of the caller (S-47).
    pub fn foreign_chain(chain: ChainId) -> Self {
        Self::forbidden(format!(
            "no listing of chain {chain} belongs to one of your branches"
        ))
    }

    /// Refuses anything else that is not the caller's.
    pub fn forbidden(detail: String) -> Self {
        Self::new(Class::Forbidden, "not_your_branch", detail)
    }

    /// Refuses because of the present state.
    pub fn conflict(code: &'static str, detail: String) -> Self {
        Self::new(Class::Conflict, code, detail)
    }

    /// Refuses to go on from something that is not there any more.
    pub fn gone(code: &'static str, detail: String) -> Self {
        Self::new(Class::Gone, code, detail)
    }

    /// Refuses a form of an older state than the present one.
    pub fn changed_meanwhile() -> Self {
        let detail = "somebody else changed this since you opened the page; nothing was changed";
        Self::conflict(CHANGED_MEANWHILE, detail.to_owned()).passing()
    }

    /// Whether the form was of an older state than the present one.
    pub fn is_of_older_state(&self) -> bool {
        self.code == CHANGED_MEANWHILE
    }

    /// Refuses a wrong value.
    pub fn invalid(code: &'static str, field: &'static str, detail: String) -> Self {
        Self::new(Class::Invalid, code, detail).about(field)
    }

    /// Names the field at fault.
    #[must_use]
    pub fn about(mut self, field: &'static str) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says that the same request may get another answer soon.
    #[must_use]
    pub fn passing(mut self) -> Self {
        self.is_passing = true;
        self
    }
}

impl From<LinkRefusal> for Refusal {
    fn from(refusal: LinkRefusal) -> Self {
        let code = match &refusal {
            LinkRefusal::SameListing { .. } => "same_listing",
            LinkRefusal::BuyerHasSeller { .. } => "buyer_has_seller",
            LinkRefusal::SellerHasBuyer { .. } => "seller_has_buyer",
            LinkRefusal::SameChain { .. } | LinkRefusal::RingOfHomes { .. } => "same_chain",
            LinkRefusal::AlreadyLinked { .. } => "already_linked",
            LinkRefusal::Ring { .. } => "ring",
            LinkRefusal::TooLong { .. } => "chain_too_long",
            LinkRefusal::Locked { .. } => "listing_locked",
            LinkRefusal::SameProperty { .. } => "same_property",
            LinkRefusal::NotLinked { .. } => "not_linked",
            LinkRefusal::NotInChain { .. } => "listing_moved",
        };
        let conflict = Self::conflict(code, refusal.to_string());
        match refusal.side() {
            Some(side) => conflict.about(side.as_str()),
            None => conflict,
        }
    }
}

impl From<EndRefusal> for Refusal {
    fn from(refusal: EndRefusal) -> Self {
        let code = match &refusal {
            EndRefusal::Locked { .. } => "listing_locked",
            EndRefusal::SeveralEnds { .. } => "several_ends",
            EndRefusal::NotInChain { .. } => "listing_moved",
        };
        Self::conflict(code, refusal.to_string())
    }
}
