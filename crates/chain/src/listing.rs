//! The tenure and the transaction types of a sale.

/// The tenure of the property on sale. Document 1 shows an absent tenure as an empty string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tenure {
    /// `freehold`
    Freehold,
    /// `leasehold`
    Leasehold,
    /// `commonhold`
    Commonhold,
    /// `shareoffreehold`
    ShareOfFreehold,
}

/// A way in which a sale differs from a standard purchase. A listing has any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransactionType {
    /// `auction`
    Auction,
    /// `buy_to_let`
    BuyToLet,
    /// `freehold_enfranchisement`
    FreeholdEnfranchisement,
    /// `power_of_attorney`
    PowerOfAttorney,
    /// `probate`
    Probate,
    /// `repossession`
    Repossession,
    /// `shared_ownership`
    SharedOwnership,
}

impl Tenure {
    /// All tenures, in the order of document 1.
    pub const ALL: [Self; 4] = [
        Self::Freehold,
        Self::Leasehold,
        Self::Commonhold,
        Self::ShareOfFreehold,
    ];

    /// Document 1's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Freehold => "freehold",
            Self::Leasehold => "leasehold",
            Self::Commonhold => "commonhold",
            Self::ShareOfFreehold => "shareoffreehold",
        }
    }

    /// Reads document 1's spelling exactly; `None` for any other text, also an empty one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

impl TransactionType {
    /// All transaction types, in the order of document 1.
    pub const ALL: [Self; 7] = [
        Self::Auction,
        Self::BuyToLet,
        Self::FreeholdEnfranchisement,
        Self::PowerOfAttorney,
        Self::Probate,
        Self::Repossession,
        Self::SharedOwnership,
    ];

    /// Document 1's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auction => "auction",
            Self::BuyToLet => "buy_to_let",
            Self::FreeholdEnfranchisement => "freehold_enfranchisement",
            Self::PowerOfAttorney => "power_of_attorney",
            Self::Probate => "probate",
            Self::Repossession => "repossession",
            Self::SharedOwnership => "shared_ownership",
        }
    }

    /// Reads document 1's spelling exactly; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}
