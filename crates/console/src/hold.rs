//! The box that names the sale which holds a chain up.

use chain::ids::ListingId;
use chain::milestone::MilestoneType;
use forecast::bottleneck::Comparison;
use forecast::chase::Party;
use forecast::outlook::OpenStep;
use forecast::silence::Silence;
use jiff::civil::Date;

use crate::words;

/// The reason why a chain has not exchanged, as the viewer may see it.
#[derive(Debug, Clone)]
pub enum Hold {
    /// One sale is most often the last to be ready.
    Sale(Box<HoldingSale>),
    /// Every sale is ready for exchange.
    Ready {
        /// The reasons why the chain has not exchanged yet.
        waits: Vec<Wait>,
    },
    /// No sale can be named.
    Silent(Silence),
}

/// The sale that holds a chain up, and the reason.
#[derive(Debug, Clone)]
pub struct HoldingSale {
    /// The sale.
    pub listing: ListingId,
    /// The step that is not done, with the dates that the viewer may see.
    pub open: OpenStep,
    /// How long comparable sales took for the step; `None`: an expected date decided.
    pub comparison: Option<Comparison>,
    /// The sale that would be the last one otherwise; `None` in a chain of one.
    pub runner_up: Option<RunnerUp>,
    /// Whom to ring, in this order.
    pub contacts: Vec<Contact>,
}

/// The sale that comes next.
#[derive(Debug, Clone, Copy)]
pub struct RunnerUp {
    /// The sale.
    pub listing: ListingId,
    /// How many days sooner it should be ready.
    pub days_sooner: u32,
    /// Whether it holds the chain up nearly as much.
    pub is_shared: bool,
}

/// Somebody to ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The part in the sale.
    pub party: Party,
    /// The organisation; empty if unknown.
    pub name: String,
}

/// A reason why a chain has not exchanged, although all its sales are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// No day for exchange is proposed in all sales.
    NoProposedExchange,
    /// The sales name different days for exchange.
    ProposalsDiffer,
    /// Exchange is proposed for this day in all sales.
    Exchange(Date),
    /// The top is not confirmed.
    Top,
    /// The bottom is not confirmed.
    Bottom,
}

impl Hold {
    /// Whether the chain waits because of this sale, alone or with another one.
    pub(crate) fn names(&self, listing: ListingId) -> bool {
        match self {
            Self::Sale(sale) => {
                let second = sale.runner_up.filter(|second| second.is_shared);
                sale.listing == listing || second.is_some_and(|second| second.listing == listing)
            }
            Self::Silent(Silence::FellThrough(at) | Silence::NoBuyer(at)) => *at == listing,
            Self::Silent(_) | Self::Ready { .. } => false,
        }
    }
}

impl HoldingSale {
    /// The clock of the step in words: the days, the milestone from which they count, and its date.
    pub(crate) fn clock(&self, today: Date) -> Option<(u32, &'static MilestoneType, Date)> {
        let days = self.open.clock_days(today.into())?;
        Some((days, self.open.after()?, self.open.since?.date()))
    }

    /// The comparable sales, and the days within which 9 in 10 of them did the step.
    pub(crate) fn nine_in_ten(&self) -> Option<(u32, u32)> {
        let found = self.comparison?;
        Some((found.ended, found.most_days?))
    }
}

impl Wait {
    pub(crate) fn words(self) -> String {
        match self {
            Self::NoProposedExchange => "No day for exchange is proposed in all sales.".to_owned(),
            Self::ProposalsDiffer => "The sales propose different days for exchange.".to_owned(),
            Self::Exchange(day) => {
                format!("All sales propose exchange on {}.", words::full_day(day))
            }
            Self::Top => "Nobody has confirmed the top.".to_owned(),
            Self::Bottom => "Nobody has confirmed the bottom.".to_owned(),
        }
    }
}

/// The lack that an open step means, such as `enquiries are not closed`.
pub(crate) fn lack(step: &MilestoneType) -> String {
    let known = LACKS.iter().find(|(key, _)| *key == step.key);
    let other = || format!("{} is not recorded", words::label(step));
    known.map_or_else(other, |(_, lack)| (*lack).to_owned())
}

const LACKS: [(&str, &str); 18] = [
    ("sstc", "the sale is not agreed"),
    ("contract_sent", "the contract is not sent"),
    ("contract_received", "the contract is not received"),
    ("management_pack", "the management pack is missing"),
    ("searches_ordered", "searches are not ordered"),
    (
        "la_search_delivered",
        "the local authority search is not delivered",
    ),
    (
        "environmental_search_delivered",
        "the environmental search is not delivered",
    ),
    (
        "water_search_delivered",
        "the water search is not delivered",
    ),
    ("funding_applied", "the mortgage is not applied for"),
    ("valuation_booked", "the valuation is not booked"),
    (
        "valuation_satisfactory",
        "the valuation is not satisfactory",
    ),
    ("mortgage_offered", "the mortgage is not offered"),
    ("enquiries_opened", "enquiries are not opened"),
    ("enquiries_closed", "enquiries are not closed"),
    ("proposed_exchange", "no day for exchange is proposed"),
    ("exchange", "contracts are not exchanged"),
    ("proposed_completion", "no day for completion is proposed"),
    ("completion", "the sale is not completed"),
];
