//! Links between listings of different branches (S-47).

use crate::ids::BranchId;
use crate::link::Side;
use crate::permission::is_own;

/// How a link to the listing of another branch comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignLinks {
    /// One of the two branches links.
    Immediate,
    /// One of them proposes the link, and the other one confirms it.
    Confirmed,
}

/// The caller owns the listings of these sides of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSides {
    /// Both sides.
    Both,
    /// This side alone.
    One(Side),
}

/// The effect of a request for a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRequest {
    /// It links the listings, or confirms a proposal.
    Links,
    /// It proposes the link in the name of this side.
    Proposes(Side),
}

/// The sides that belong to the caller's branches; `None` if neither does.
pub fn own_sides(callers: &[BranchId], seller: BranchId, buyer: BranchId) -> Option<OwnSides> {
    match (is_own(callers, seller), is_own(callers, buyer)) {
        (true, true) => Some(OwnSides::Both),
        (true, false) => Some(OwnSides::One(Side::Seller)),
        (false, true) => Some(OwnSides::One(Side::Buyer)),
        (false, false) => None,
    }
}

/// Decides about a request. `proposed` is the side that has proposed the link already.
pub fn decide(rule: ForeignLinks, own: OwnSides, proposed: Option<Side>) -> LinkRequest {
    match (rule, own) {
        (ForeignLinks::Immediate, _) | (ForeignLinks::Confirmed, OwnSides::Both) => {
            LinkRequest::Links
        }
        (ForeignLinks::Confirmed, OwnSides::One(own)) => match proposed {
            Some(proposed) if proposed != own => LinkRequest::Links,
            Some(_) | None => LinkRequest::Proposes(own),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_of_a_caller_are_those_of_its_branches() {
        let [own, other, third] = [1, 2, 3].map(BranchId);
        let one = |side| Some(OwnSides::One(side));
        for (callers, seller, buyer, expected) in [
            (vec![own, other], own, other, Some(OwnSides::Both)),
            (vec![own], own, own, Some(OwnSides::Both)),
            (vec![own], own, other, one(Side::Seller)),
            (vec![own], other, own, one(Side::Buyer)),
            (vec![own], other, third, None),
            (vec![], own, other, None),
        ] {
            let label = format!("{callers:?} {seller} {buyer}");
            assert_eq!(own_sides(&callers, seller, buyer), expected, "{label}");
        }
    }

    #[test]
    fn one_side_proposes_and_the_other_one_links() {
        use ForeignLinks::{Confirmed, Immediate};
        use LinkRequest::{Links, Proposes};
        use OwnSides::{Both, One};
        use Side::{Buyer, Seller};

        for (rule, own, proposed, expected) in [
            (Immediate, Both, None, Links),
            (Immediate, One(Seller), None, Links),
            (Immediate, One(Buyer), Some(Buyer), Links),
            (Confirmed, Both, None, Links),
            (Confirmed, Both, Some(Seller), Links),
            (Confirmed, One(Seller), None, Proposes(Seller)),
            (Confirmed, One(Buyer), None, Proposes(Buyer)),
            (Confirmed, One(Seller), Some(Buyer), Links),
            (Confirmed, One(Buyer), Some(Seller), Links),
            (Confirmed, One(Seller), Some(Seller), Proposes(Seller)),
            (Confirmed, One(Buyer), Some(Buyer), Proposes(Buyer)),
        ] {
            let label = format!("{rule:?} {own:?} {proposed:?}");
            assert_eq!(decide(rule, own, proposed), expected, "{label}");
        }
    }
}
