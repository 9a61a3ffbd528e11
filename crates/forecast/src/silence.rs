//! Why there is no forecast.

use chain::ids::ListingId;

use crate::step::Step;

/// Why a chain has no forecast, or why nobody can say which sale holds it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// A sale fell through (R1).
    FellThrough(ListingId),
    /// A sale has no buyer yet (R1).
    NoBuyer(ListingId),
    /// Nobody recorded the date of SSTC, so no clock of the sale has a beginning.
    NoDateOfSale(ListingId),
    /// All contracts are exchanged.
    Exchanged,
    /// Too few of these steps ended in comparable sales.
    FewSteps {
        /// The step.
        step: Step,
        /// How many ended in all sales.
        ended: u32,
    },
    /// Too few past forecasts have ended to know their error.
    FewForecasts {
        /// How many have ended.
        ended: u32,
    },
    /// Too few of the last forecasts were right.
    ManyMisses {
        /// How many in 100 of the last ones lay within their 80 % interval.
        covered_percent: u32,
    },
}

impl Silence {
    /// The reason as a word, for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FellThrough(_) => "fell_through",
            Self::NoBuyer(_) => "no_buyer",
            Self::NoDateOfSale(_) => "no_date_of_sale",
            Self::Exchanged => "exchanged",
            Self::FewSteps { .. } => "few_steps",
            Self::FewForecasts { .. } => "few_forecasts",
            Self::ManyMisses { .. } => "many_misses",
        }
    }

    /// All words of [`Silence::as_str`].
    pub const ALL: [&'static str; 7] = [
        "fell_through",
        "no_buyer",
        "no_date_of_sale",
        "exchanged",
        "few_steps",
        "few_forecasts",
        "many_misses",
    ];

    /// The listing that the reason names.
    pub const fn listing(self) -> Option<ListingId> {
        match self {
            Self::FellThrough(listing) | Self::NoBuyer(listing) | Self::NoDateOfSale(listing) => {
                Some(listing)
            }
            Self::Exchanged
            | Self::FewSteps { .. }
            | Self::FewForecasts { .. }
            | Self::ManyMisses { .. } => None,
        }
    }
}

impl std::fmt::Display for Silence {
    /// One sentence for people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FellThrough(listing) => write!(f, "The sale of listing {listing} fell through."),
            Self::NoBuyer(listing) => write!(f, "Listing {listing} has no buyer yet."),
            Self::NoDateOfSale(listing) => {
                write!(f, "Nobody recorded the date of SSTC of listing {listing}.")
            }
            Self::Exchanged => write!(f, "All contracts of the chain are exchanged."),
            Self::FewSteps { step, ended } => {
                let name = step.milestone().name;
                write!(f, "Only {ended} comparable sales reached {name}.")
            }
            Self::FewForecasts { ended } => {
                write!(
                    f,
                    "Only {ended} past forecasts have ended, so their error is unknown."
                )
            }
            Self::ManyMisses { covered_percent } => write!(
                f,
                "Only {covered_percent} of 100 recent forecasts lay within their 80 % interval."
            ),
        }
    }
}
