//! Who may: a caller acts for its branches, and a listing is its own if one of them holds it (S-47).

use crate::ids::BranchId;
use crate::state::Chain;

/// Whether a listing of `branch` is the caller's: then the caller may read and write it.
pub fn is_own(callers: &[BranchId], branch: BranchId) -> bool {
    callers.contains(&branch)
}

/// Whether the caller may read a chain, and check or uncheck its ends: it has a listing in it.
pub fn may_use_chain(callers: &[BranchId], chain: &Chain) -> bool {
    let mut members = chain.members().iter();
    members.any(|member| is_own(callers, member.branch))
}

/// Whether the caller may create or break a link: at least one of the two listings is its own.
pub fn may_link(callers: &[BranchId], seller: BranchId, buyer: BranchId) -> bool {
    is_own(callers, seller) || is_own(callers, buyer)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::{ChainId, ListingId};
    use crate::state::{Link, Member};

    const MINE: BranchId = BranchId(1);
    const ALSO_MINE: BranchId = BranchId(2);
    const OTHER: BranchId = BranchId(3);
    const STRANGER: BranchId = BranchId(4);

    fn member(id: i64, branch: BranchId) -> Member {
        Member {
            listing: ListingId(id),
            branch,
            is_locked: false,
            top_checked: false,
            bottom_checked: false,
        }
    }

    #[test]
    fn a_listing_is_its_branchs_alone() {
        assert!(is_own(&[MINE, ALSO_MINE], ALSO_MINE));
        assert!(!is_own(&[MINE, ALSO_MINE], OTHER));
        assert!(!is_own(&[], MINE));
    }

    #[test]
    fn one_side_is_enough_to_link() {
        assert!(may_link(&[MINE], MINE, OTHER));
        assert!(may_link(&[MINE], OTHER, MINE));
        assert!(!may_link(&[MINE], OTHER, STRANGER));
        assert!(!may_link(&[], OTHER, STRANGER));
    }

    #[test]
    fn one_listing_is_enough_to_use_its_chain() {
        let link = Link {
            seller: ListingId(2),
            buyer: ListingId(1),
        };
        let members = vec![member(1, OTHER), member(2, MINE)];
        let chain = Chain::new(ChainId(Uuid::nil()), members, vec![link]).unwrap();
        assert!(may_use_chain(&[MINE], &chain));
        assert!(may_use_chain(&[STRANGER, OTHER], &chain));
        assert!(!may_use_chain(&[STRANGER], &chain));
        assert!(!may_use_chain(&[], &chain));
    }
}
