//! Whom to ring, and about which sales today.

use chain::ends::End;
use chain::ids::ListingId;

use crate::bottleneck::{Bottleneck, Comparison, compare, find_bottleneck};
use crate::counts::Stratum;
use crate::day::Day;
use crate::outlook::{OpenStep, list_open_steps};
use crate::sale::Sale;
use crate::step::Step;
use crate::tables::Tables;

/// After so many working days without a milestone somebody should ask.
pub const QUIET_WORKING_DAYS: u32 = 10;
/// So many days before a proposed exchange open steps are urgent.
pub const NEAR_DAYS: u32 = 7;
/// A clock past this percentage of comparable sales is worth a look.
pub const LOOK_PERCENT: u8 = 75;
/// A clock past this percentage of comparable sales is worth a call.
pub const CHASE_PERCENT: u8 = 90;

/// Somebody who works on a sale, or the buyer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// The conveyancer of the seller.
    SellersConveyancer,
    /// The conveyancer of the buyer.
    BuyersConveyancer,
    /// The managing agent, reached through the seller's conveyancer.
    ManagingAgent,
    /// The local authority or search provider, reached through the buyer's conveyancer.
    SearchProvider,
    /// The buyer, or the buyer's mortgage broker.
    BuyerOrBroker,
    /// The lender.
    Lender,
    /// The selling agent.
    SellingAgent,
}

/// Why a sale is on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// An expected date has passed.
    Overdue {
        /// The step.
        open: OpenStep,
        /// The days since the expected date.
        days: u32,
    },
    /// A step takes longer than in most comparable sales.
    Slow {
        /// The step.
        open: OpenStep,
        /// The days past the limit.
        days: u32,
        /// The limit: so many percent of them were done by then, nine in ten or only three in four.
        percent: u8,
        /// The comparable sales.
        comparison: Comparison,
    },
    /// Exchange is proposed for one of the next days, and steps are open.
    ExchangeNear {
        /// The proposed date.
        proposed: Day,
        /// The first open step.
        open: OpenStep,
    },
    /// Nobody recorded anything for a while.
    Quiet {
        /// The date of the last milestone.
        since: Day,
        /// The working days since then.
        working_days: u32,
    },
    /// Nobody confirmed this end of the chain.
    EndOpen(End),
}

/// A chain with sales that somebody may chase.
#[derive(Debug, Clone, Copy)]
pub struct ChaseChain<'a> {
    /// Its sales, bottom to top.
    pub sales: &'a [Sale],
    /// The ends that nobody confirmed, with the listings at them.
    pub open_ends: &'a [(ListingId, End)],
}

/// One entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The listing.
    pub listing: ListingId,
    /// Whether the sale holds up its chain.
    pub is_bottleneck: bool,
    /// Whether the reason is the step by which the sale holds up its chain.
    pub is_holding_step: bool,
    /// Why it is on the list.
    pub reason: Reason,
}

impl Party {
    /// The party in words, in the middle of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::SellersConveyancer => "seller’s conveyancer",
            Self::BuyersConveyancer => "buyer’s conveyancer",
            Self::ManagingAgent => "managing agent, through the seller’s conveyancer",
            Self::SearchProvider => "search provider, through the buyer’s conveyancer",
            Self::BuyerOrBroker => "buyer or broker",
            Self::Lender => "lender",
            Self::SellingAgent => "selling agent",
        }
    }
}

/// Whom to ring about a step, in this order.
pub const fn whom_to_chase(step: Step) -> &'static [Party] {
    match step {
        Step::ContractSent | Step::EnquiriesClosed => &[Party::SellersConveyancer],
        Step::ManagementPack => &[Party::ManagingAgent],
        Step::ContractReceived | Step::SearchesOrdered | Step::EnquiriesOpened => {
            &[Party::BuyersConveyancer]
        }
        Step::AuthoritySearch | Step::EnvironmentalSearch | Step::WaterSearch => {
            &[Party::SearchProvider]
        }
        Step::MortgageApplied => &[Party::BuyerOrBroker],
        Step::Valuation | Step::MortgageOffered => &[Party::Lender],
        Step::Exchange => &[Party::SellersConveyancer, Party::BuyersConveyancer],
    }
}

impl Reason {
    /// Whom to ring, in this order. Nobody knows who has a silent sale in hand, so both conveyancers are
    /// asked.
    pub fn whom_to_chase(&self) -> &'static [Party] {
        match self {
            Self::EndOpen(_) => &[Party::SellingAgent],
            Self::Overdue { .. }
            | Self::Slow { .. }
            | Self::ExchangeNear { .. }
            | Self::Quiet { .. } => whom_to_chase(self.step().unwrap_or(Step::Exchange)),
        }
    }

    /// The step that the reason names.
    pub const fn step(&self) -> Option<Step> {
        match self {
            Self::Overdue { open, .. }
            | Self::Slow { open, .. }
            | Self::ExchangeNear { open, .. } => Some(open.step),
            Self::Quiet { .. } | Self::EndOpen(_) => None,
        }
    }

    /// The days past the limit of the reason, by which the list is sorted.
    pub const fn days_past(&self) -> u32 {
        match self {
            Self::Overdue { days, .. } | Self::Slow { days, .. } => *days,
            Self::Quiet { working_days, .. } => working_days.saturating_sub(QUIET_WORKING_DAYS),
            Self::ExchangeNear { .. } | Self::EndOpen(_) => 0,
        }
    }
}

/// Lists the sales of a chain that somebody should chase: its bottleneck first, then by the days past the
/// limits. A chain in which a sale fell through or all are exchanged has nothing to chase.
pub fn list_entries(chain: &ChaseChain<'_>, tables: &Tables, today: Day) -> Vec<Entry> {
    let found = find_bottleneck(chain.sales, tables, today).ok();
    list_entries_with(chain, found.as_ref(), tables, today)
}

/// Like [`list_entries`]. The caller has found the bottleneck already.
pub fn list_entries_with(
    chain: &ChaseChain<'_>,
    bottleneck: Option<&Bottleneck>,
    tables: &Tables,
    today: Day,
) -> Vec<Entry> {
    let is_over = |sale: &Sale| sale.is_exchanged() || sale.fell_through().is_some();
    let holder = match bottleneck {
        Some(Bottleneck::Held(held)) => Some(&held.holder),
        Some(Bottleneck::Ready { .. }) | None => None,
    };
    let mut entries = Vec::new();
    for sale in chain.sales.iter().filter(|sale| !is_over(sale)) {
        let held = holder.filter(|holder| holder.listing == sale.listing);
        let entry = |reason: Reason| Entry {
            listing: sale.listing,
            is_bottleneck: held.is_some(),
            is_holding_step: held.is_some_and(|held| reason.step() == Some(held.open.step)),
            reason,
        };
        entries.extend(list_reasons(sale, tables, today).into_iter().map(entry));
        let ends = chain
            .open_ends
            .iter()
            .filter(|(listing, _)| *listing == sale.listing);
        let is_sold = sale.agreed().is_some();
        entries.extend(
            ends.filter(|_| is_sold)
                .map(|(_, end)| entry(Reason::EndOpen(*end))),
        );
    }
    sort_entries(&mut entries);
    entries
}

/// Sorts entries of any chains: bottlenecks first, then by the days past the limits.
pub fn sort_entries(entries: &mut [Entry]) {
    entries.sort_by_key(|entry| {
        let days = std::cmp::Reverse(entry.reason.days_past());
        (!entry.is_bottleneck, days, entry.listing)
    });
}

fn list_reasons(sale: &Sale, tables: &Tables, today: Day) -> Vec<Reason> {
    if sale.agreed().is_none() {
        return Vec::new();
    }
    let stratum = Stratum::of(sale, sale.is_cash());
    let open_steps = list_open_steps(sale);
    let mut reasons = Vec::new();
    for open in &open_steps {
        let overdue = open.overdue_days(today);
        reasons.extend(overdue.map(|days| Reason::Overdue { open: *open, days }));
        reasons.extend(find_slow(open, stratum, tables, today));
    }
    let is_near = |proposed: &Day| *proposed >= today && proposed.days_since(today) <= NEAR_DAYS;
    let proposed = sale.proposed_exchange();
    if let Some(proposed) = proposed.filter(is_near)
        && let Some(open) = open_steps.first()
    {
        reasons.push(Reason::ExchangeNear {
            proposed,
            open: *open,
        });
    }
    if let Some(days) = proposed
        .filter(|day| *day < today)
        .map(|day| today.days_since(day))
    {
        let open = OpenStep {
            step: Step::Exchange,
            since: None,
            expected: proposed,
        };
        reasons.push(Reason::Overdue { open, days });
    }
    if let Some(since) = sale.latest() {
        let working_days = today.working_days_since(since);
        if working_days >= QUIET_WORKING_DAYS {
            reasons.push(Reason::Quiet {
                since,
                working_days,
            });
        }
    }
    reasons
}

/// A step with a clock past three in four comparable sales, unless somebody expects it on a day still to
/// come.
fn find_slow(open: &OpenStep, stratum: Stratum, tables: &Tables, today: Day) -> Option<Reason> {
    if open.expected.is_some_and(|expected| expected >= today) {
        return None;
    }
    let clock = open.clock_days(today)?;
    let table = tables.comparable(stratum).step(open.step).ok()?;
    let (percent, days) = [CHASE_PERCENT, LOOK_PERCENT]
        .into_iter()
        .find_map(|percent| {
            let limit = table.days_by(f64::from(percent) / 100.0)?;
            let days = clock.checked_sub(limit).filter(|days| *days > 0)?;
            Some((percent, days))
        })?;
    Some(Reason::Slow {
        open: *open,
        days,
        percent,
        comparison: compare(open, stratum, tables).ok()?,
    })
}
