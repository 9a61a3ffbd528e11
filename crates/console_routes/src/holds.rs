//! Puts the bottleneck of a chain and its forecast into the words of pages.
//!
//! A viewer sees the steps of own sales in full, and of others only milestones with a label (S-47).

use chain::ids::ListingId;
use console::chains::HeldBy;
use console::forecast::{Forecast, Interval, StepMedian};
use console::hold::{Hold, HoldingSale, RunnerUp, Wait};
use forecast::bottleneck::{Bottleneck, Held};
use forecast::chase::whom_to_chase;
use forecast::day::Day;
use forecast::prediction::Spread;
use forecast::sale::Sale;
use forecast::silence::Silence;
use listing_management::assessments::Assessed;
use storage::state::{ChainState, ListingState};

use super::addresses::home_name;
use super::contacts::{Firms, contacts};

/// The bottleneck of a chain in words. `None` if the chain changed while it was read.
pub(crate) fn hold(state: &ChainState, assessed: &Assessed) -> Option<Hold> {
    Some(match &assessed.assessment.bottleneck {
        Ok(Bottleneck::Held(held)) => Hold::Sale(Box::new(holding_sale(state, assessed, held)?)),
        Ok(Bottleneck::Ready { proposed }) => Hold::Ready {
            waits: waits(assessed, *proposed),
        },
        Err(silence) => {
            if let Some(listing) = silence.listing() {
                find(state, listing)?;
            }
            Hold::Silent(*silence)
        }
    })
}

/// The same in short, for a list of chains.
pub(crate) fn held_by(state: &ChainState, assessed: &Assessed) -> HeldBy {
    let home = |listing| find(state, listing).map(home_name).unwrap_or_default();
    match hold(state, assessed) {
        Some(Hold::Sale(sale)) => HeldBy::Sale {
            home: home(sale.listing),
            step: sale.open.step.milestone(),
            days: sale.open.clock_days(assessed.today),
        },
        Some(Hold::Silent(Silence::FellThrough(listing) | Silence::NoBuyer(listing))) => {
            HeldBy::Broken {
                home: home(listing),
            }
        }
        Some(Hold::Ready { .. } | Hold::Silent(Silence::Exchanged)) => HeldBy::Nothing,
        Some(Hold::Silent(_)) | None => HeldBy::Unknown,
    }
}

/// When the chain may exchange, or why nobody can say.
pub(crate) fn forecast(assessed: &Assessed) -> Forecast {
    let learned = &assessed.learned;
    let silent = |reason| Forecast::Silent {
        reason,
        steps: medians(assessed),
    };
    match (assessed.assessment.spread, learned.silence) {
        (Err(silence), _) | (Ok(_), Some(silence)) => silent(Some(silence)),
        (Ok(spread), None) => {
            let found = interval(assessed, spread);
            found.map_or_else(|| silent(None), Forecast::Interval)
        }
    }
}

/// A share in 100. Larger numbers do not exist.
pub(crate) fn to_percent(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(100)
}

fn find(state: &ChainState, listing: ListingId) -> Option<&ListingState> {
    state.listings.iter().find(|one| one.listing == listing)
}

fn holding_sale(state: &ChainState, assessed: &Assessed, held: &Held) -> Option<HoldingSale> {
    let today = assessed.today;
    let seen = assessed.see_step(held.holder.listing, held.holder.open);
    let home = find(state, held.holder.listing)?;
    let is_awaited = seen.open.expected.is_some_and(|day| day >= today);
    let runner_up = held.runner_up.as_ref().map(|other| other.listing);
    let firms = Firms {
        selling_agent: &home.selling_agent,
        seller_conveyancer: &home.seller_conveyancer,
        buyer_conveyancer: &home.buyer_conveyancer,
    };
    Some(HoldingSale {
        listing: home.listing,
        open: seen.open,
        comparison: seen.comparison.filter(|_| !is_awaited),
        runner_up: runner_up
            .filter(|other| find(state, *other).is_some())
            .map(|listing| RunnerUp {
                listing,
                days_sooner: held.margin_days,
                is_shared: held.is_shared(),
            }),
        contacts: contacts(whom_to_chase(seen.open.step), firms),
    })
}

/// Lists what a chain still lacks before it exchanges, when all its sales are ready.
fn waits(assessed: &Assessed, proposed: Option<Day>) -> Vec<Wait> {
    let mut sales = assessed.assessment.sales.iter();
    let all_propose = sales.all(|sale| sale.proposed_exchange().is_some());
    let mut waits = vec![match proposed {
        Some(day) => Wait::Exchange(day.date()),
        None if all_propose => Wait::ProposalsDiffer,
        None => Wait::NoProposedExchange,
    }];
    let ends = [
        (assessed.chain.top_checked(), Wait::Top),
        (assessed.chain.bottom_checked(), Wait::Bottom),
    ];
    let open = ends.into_iter().filter(|(is_checked, _)| !is_checked);
    waits.extend(open.map(|(_, wait)| wait));
    waits
}

/// The interval with its record. `None` if half of such chains take more than a year.
fn interval(assessed: &Assessed, spread: Spread) -> Option<Interval> {
    let learned = &assessed.learned;
    let date = |days: u32| {
        let days = i32::try_from(days).ok()?;
        Some(assessed.today.plus(days).date())
    };
    let spread = spread.corrected(learned.correction);
    let median = spread.median()?;
    let most = spread.most();
    let rows = &learned.figures.rows;
    let like = rows.iter().find(|row| {
        let holds =
            |(from, to): (u32, Option<u32>)| from <= median && to.is_none_or(|to| median <= to);
        row.number > 0 && row.horizon.is_some_and(holds)
    });
    let record = like.or(rows.last())?;
    Some(Interval {
        early: date(most.from)?,
        median: date(median)?,
        late: most.to.and_then(date),
        past_forecasts: record.number,
        inside_percent: to_percent(record.covered_most_percent),
        one_in_fell_through: one_in_fell_through(assessed),
    })
}

/// Of the sales that came as far as the viewer's own, one in so many fell through.
fn one_in_fell_through(assessed: &Assessed) -> Option<u32> {
    let sale = assessed.find_sale(assessed.listing);
    let furthest = sale.and_then(Sale::furthest)?;
    let [fell, exchanged] = assessed.learned.tables.counts().ends_from(furthest);
    let all = fell.saturating_add(exchanged);
    // The nearest whole number.
    (fell > 0).then(|| all.saturating_add(fell / 2) / fell)
}

/// How long comparable sales take for the open steps, each step once.
fn medians(assessed: &Assessed) -> Vec<StepMedian> {
    let is_over = matches!(
        assessed.assessment.spread,
        Err(Silence::FellThrough(_) | Silence::NoBuyer(_) | Silence::Exchanged)
    );
    let mut medians: Vec<StepMedian> = Vec::new();
    for seen in assessed.list_steps().iter().filter(|_| !is_over) {
        let step = seen.open.step.milestone();
        let found = seen
            .comparison
            .and_then(|found| Some((found.half_days?, found.ended)));
        if let Some((days, sales)) = found
            && !medians.iter().any(|known| known.step.id == step.id)
        {
            medians.push(StepMedian { step, days, sales });
        }
    }
    medians
}
