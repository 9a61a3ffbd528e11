//! The tenure and the transaction types of a sale.

use crate::words;

words! {
    /// The tenure of the property on sale, in the order and words of document 1, which shows an absent tenure
    /// as an empty string.
    pub enum Tenure {
        Freehold = "freehold",
        Leasehold = "leasehold",
        Commonhold = "commonhold",
        ShareOfFreehold = "shareoffreehold",
    }
}

words! {
    /// A way in which a sale differs from a standard purchase, in the order and words of document 1. A listing
    /// has any number of them.
    pub enum TransactionType {
        Auction = "auction",
        BuyToLet = "buy_to_let",
        FreeholdEnfranchisement = "freehold_enfranchisement",
        PowerOfAttorney = "power_of_attorney",
        Probate = "probate",
        Repossession = "repossession",
        SharedOwnership = "shared_ownership",
    }
}
