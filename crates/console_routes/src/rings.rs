//! Whom a progressor rings about an open step, with the names of the organisations.

use console::hold::{Ring, Who};
use forecast::chase::{Chased, Party};

/// The organisations that work on a sale. Unknown names are empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Firms<'a> {
    /// The branch's name.
    pub selling_agent: &'a str,
    /// The firm of the seller.
    pub seller_conveyancer: &'a str,
    /// The firm of the buyer.
    pub buyer_conveyancer: &'a str,
}

/// The parts in a sale that somebody has to ring, in this order.
pub(crate) fn parts(chased: Chased) -> Vec<Who> {
    match (chased.party, chased.behind) {
        (Party::SellersConveyancer, None) => vec![Who::SellerConveyancer],
        (Party::SellersConveyancer, Some(_)) => vec![Who::ManagingAgent],
        (Party::BuyersConveyancer, None) => vec![Who::BuyerConveyancer],
        (Party::BuyersConveyancer, Some(_)) => vec![Who::SearchProvider],
        (Party::BothConveyancers, _) => vec![Who::SellerConveyancer, Who::BuyerConveyancer],
        (Party::BuyerOrBroker, _) => vec![Who::BuyerOrBroker],
        (Party::Lender, _) => vec![Who::Lender],
        (Party::AgentAtTheEnd, _) => vec![Who::Agent],
    }
}

/// The same with names. Whoever acts behind a firm is reached through the firm.
pub(crate) fn rings(chased: Chased, firms: Firms<'_>) -> Vec<Ring> {
    let ring = |who| Ring {
        who,
        name: match who {
            Who::SellerConveyancer | Who::ManagingAgent => firms.seller_conveyancer,
            Who::BuyerConveyancer | Who::SearchProvider => firms.buyer_conveyancer,
            Who::Agent => firms.selling_agent,
            Who::BuyerOrBroker | Who::Lender => "",
        }
        .to_owned(),
    };
    parts(chased).into_iter().map(ring).collect()
}
