//! The rights of a caller: it acts for its branches and owns the listings that they hold (S-47).

use crate::ids::BranchId;
use crate::state::Chain;

/// Whether the caller owns the listings of `branch`, and so may read and write them.
pub fn is_own(callers: &[BranchId], branch: BranchId) -> bool {
    callers.contains(&branch)
}

/// Whether the caller may read a chain and check or uncheck its ends: it owns a listing in it.
pub fn may_use_chain(callers: &[BranchId], chain: &Chain) -> bool {
    let mut members = chain.members().iter();
    members.any(|member| is_own(callers, member.branch))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::{ChainId, ListingId, PropertyId};
    use crate::state::{Link, Member};

    const OWN: BranchId = BranchId(1);
    const ALSO_OWN: BranchId = BranchId(2);
    const OTHER: BranchId = BranchId(3);
    const THIRD: BranchId = BranchId(4);

    #[test]
    fn a_caller_owns_the_listings_of_its_branches() {
        assert!(is_own(&[OWN, ALSO_OWN], ALSO_OWN));
        assert!(!is_own(&[OWN, ALSO_OWN], OTHER));
        assert!(!is_own(&[], OWN));
    }

    #[test]
    fn a_caller_uses_a_chain_when_it_owns_one_listing() {
        let [buyer, seller] = [ListingId(1), ListingId(2)];
        let member = |listing: ListingId, branch| Member {
            listing,
            property: PropertyId(listing.0),
            branch,
            is_locked: false,
            top_checked: false,
            bottom_checked: false,
            checked_by: [None; 2],
        };
        let members = vec![member(buyer, OTHER), member(seller, OWN)];
        let chain = Chain::new(ChainId(Uuid::nil()), members, vec![Link { seller, buyer }]);
        let chain = chain.unwrap();
        assert!(may_use_chain(&[OWN], &chain));
        assert!(may_use_chain(&[THIRD, OTHER], &chain));
        assert!(!may_use_chain(&[THIRD], &chain));
        assert!(!may_use_chain(&[], &chain));
    }
}
