//! Whom a progressor rings about an open step, with the names of the organisations.

use console::hold::Contact;
use forecast::chase::Party;

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

/// The same parties with names. A party that acts behind a firm is reached through the firm.
pub(crate) fn contacts(parties: &[Party], firms: Firms<'_>) -> Vec<Contact> {
    let contact = |party: &Party| Contact {
        party: *party,
        name: match party {
            Party::SellersConveyancer | Party::ManagingAgent => firms.seller_conveyancer,
            Party::BuyersConveyancer | Party::SearchProvider => firms.buyer_conveyancer,
            Party::SellingAgent => firms.selling_agent,
            Party::BuyerOrBroker | Party::Lender => "",
        }
        .to_owned(),
    };
    parties.iter().map(contact).collect()
}
