//! The box that names the sale which holds a chain up.

use chain::ids::Uprn;
use chain::milestone::MilestoneType;
use forecast::bottleneck::SHARED_BELOW_DAYS;
use jiff::civil::Date;

use crate::words;

/// The reason why a chain has not exchanged.
#[derive(Debug, Clone)]
pub enum Hold {
    /// One sale is most often the last to be ready.
    Sale(Box<HoldingSale>),
    /// A sale fell through.
    Broken {
        /// The home of the sale that fell through.
        home: Uprn,
        /// The day of Fall Through.
        on: Date,
    },
    /// A home has no buyer yet: SSTC is not recorded.
    NoBuyer {
        /// The home without a buyer.
        home: Uprn,
    },
    /// Nobody recorded the day of SSTC in a sale under way, so its clock has no beginning.
    NoDateOfSale {
        /// The home.
        home: Uprn,
    },
    /// Every sale is ready for exchange.
    Nothing {
        /// The reasons why the chain has not exchanged yet.
        waits: Vec<Wait>,
    },
    /// Every sale has exchanged or completed.
    Exchanged,
    /// There are too few comparable sales to name one.
    Silent {
        /// The number of comparable sales with an ended step.
        comparable: u32,
        /// The number that the rule demands.
        needed: u32,
    },
}

/// The sale that holds a chain up, and the reason.
#[derive(Debug, Clone)]
pub struct HoldingSale {
    /// The home.
    pub home: Uprn,
    /// The step that is not done.
    pub step: &'static MilestoneType,
    /// How long the step has waited; `None`: the step before has no date that the viewer may see.
    pub clock: Option<Clock>,
    /// The expected or proposed day of the step, if one is recorded.
    pub expected: Option<Date>,
    /// How long comparable sales took for the step; `None`: an expected date decided.
    pub comparison: Option<Comparison>,
    /// The sale that would be the last one otherwise; `None` in a chain of one.
    pub runner_up: Option<RunnerUp>,
    /// Whom to chase, in this order.
    pub chase: Vec<Ring>,
}

/// How long a step has waited.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The step before.
    pub after: &'static MilestoneType,
    /// The day on which the step before was done.
    pub since: Date,
    /// Days from then to today.
    pub days: u32,
}

/// How long comparable sales took for the same step.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The number of comparable sales.
    pub sales: u32,
    /// Nine of ten had done the step within so many days.
    pub nine_in_ten_days: u32,
}

/// The sale that comes next.
#[derive(Debug, Clone, Copy)]
pub struct RunnerUp {
    /// The home.
    pub home: Uprn,
    /// How many days sooner it should be ready. Below `SHARED_BELOW_DAYS` the box says that both share the place.
    pub days_sooner: u32,
}

/// Somebody to ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// The part in the sale.
    pub who: Who,
    /// The organisation; empty if unknown.
    pub name: String,
}

/// A part in a sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The seller's conveyancer.
    SellerConveyancer,
    /// The buyer's conveyancer.
    BuyerConveyancer,
    /// The managing agent, through the seller's conveyancer.
    ManagingAgent,
    /// The local authority or search provider, through the buyer's conveyancer.
    SearchProvider,
    /// The buyer or the buyer's broker.
    BuyerOrBroker,
    /// The lender.
    Lender,
    /// The selling agent.
    Agent,
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

impl RunnerUp {
    /// Whether both sales hold up the chain.
    pub(crate) fn shares(&self) -> bool {
        self.days_sooner < SHARED_BELOW_DAYS
    }
}

impl Who {
    /// The part in words, in the middle of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::SellerConveyancer => "seller’s conveyancer",
            Self::BuyerConveyancer => "buyer’s conveyancer",
            Self::ManagingAgent => "managing agent, through the seller’s conveyancer",
            Self::SearchProvider => "search provider, through the buyer’s conveyancer",
            Self::BuyerOrBroker => "buyer or broker",
            Self::Lender => "lender",
            Self::Agent => "selling agent",
        }
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
