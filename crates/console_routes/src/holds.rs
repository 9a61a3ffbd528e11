//! Puts the bottleneck of a chain and its forecast into the words of pages.
//!
//! A viewer sees the steps of own sales in full, and of others only milestones with a label (S-47).

use chain::ids::{ListingId, Uprn};
use console::chains::HeldBy;
use console::forecast::{Forecast, Interval, StepMedian};
use console::hold::{Clock, Comparison, Hold, HoldingSale, RunnerUp, Wait};
use forecast::bottleneck::{Bottleneck, Held};
use forecast::chase::whom_to_chase;
use forecast::day::Day;
use forecast::durations;
use forecast::prediction::Spread;
use forecast::sale::Sale;
use forecast::silence::Silence;
use listing_management::assessments::Assessed;
use storage::state::{ChainState, ListingState};

use super::addresses::home_name;
use super::rings::{Firms, rings};

/// The bottleneck of a chain in words. `None` if the chain changed while it was read.
pub(crate) fn hold(state: &ChainState, assessed: &Assessed) -> Option<Hold> {
    let home = |listing| find(state, listing).map(|found| found.uprn);
    Some(match &assessed.assessment.bottleneck {
        Ok(Bottleneck::Held(held)) => Hold::Sale(Box::new(holding_sale(state, assessed, held)?)),
        Ok(Bottleneck::Ready { proposed }) => Hold::Nothing {
            waits: waits(assessed, *proposed),
        },
        Err(Silence::FellThrough(listing)) => Hold::Broken {
            home: home(*listing)?,
            on: assessed.find_sale(*listing)?.fell_through()?.date(),
        },
        Err(Silence::NoBuyer(listing)) => Hold::NoBuyer {
            home: home(*listing)?,
        },
        Err(Silence::NoDateOfSale(listing)) => Hold::NoDateOfSale {
            home: home(*listing)?,
        },
        Err(Silence::Exchanged) => Hold::Exchanged,
        Err(Silence::FewSteps { ended, .. } | Silence::FewForecasts { ended }) => Hold::Silent {
            comparable: *ended,
            needed: durations::ENDED_MIN,
        },
        // Misses of forecasts say nothing about steps.
        Err(Silence::ManyMisses { .. }) => return None,
    })
}

/// The same in short, for a list of chains.
pub(crate) fn held_by(state: &ChainState, assessed: &Assessed) -> HeldBy {
    let home = |uprn: Uprn| {
        let mut listings = state.listings.iter();
        let found = listings.find(|listing| listing.uprn == uprn);
        found.map(home_name).unwrap_or_default()
    };
    match hold(state, assessed) {
        Some(Hold::Sale(sale)) => HeldBy::Sale {
            home: home(sale.home),
            step: sale.step,
            days: sale.clock.map(|clock| clock.days),
        },
        Some(Hold::Broken { home: uprn, .. } | Hold::NoBuyer { home: uprn }) => {
            HeldBy::Broken { home: home(uprn) }
        }
        Some(Hold::Nothing { .. } | Hold::Exchanged) => HeldBy::Nothing,
        Some(Hold::NoDateOfSale { .. } | Hold::Silent { .. }) | None => HeldBy::Unknown,
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
    let clock = seen.open.since.zip(seen.open.after());
    let is_awaited = seen.open.expected.is_some_and(|day| day >= today);
    let comparison = seen.comparison.filter(|_| !is_awaited);
    let runner_up = held.runner_up.as_ref();
    let firms = Firms {
        selling_agent: &home.selling_agent,
        seller_conveyancer: &home.seller_conveyancer,
        buyer_conveyancer: &home.buyer_conveyancer,
    };
    Some(HoldingSale {
        home: home.uprn,
        step: seen.open.step.milestone(),
        clock: clock.map(|(since, after)| Clock {
            after,
            since: since.date(),
            days: today.days_since(since),
        }),
        expected: seen.open.expected.map(Day::date),
        comparison: comparison.and_then(|found| {
            Some(Comparison {
                sales: found.ended,
                nine_in_ten_days: found.most_days?,
            })
        }),
        runner_up: runner_up.and_then(|other| {
            Some(RunnerUp {
                home: find(state, other.listing)?.uprn,
                days_sooner: held.margin_days,
            })
        }),
        chase: rings(whom_to_chase(seen.open.step), firms),
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
