//! Properties of the rules, and tables of cases.

mod cases;
mod history;
mod made_up;
mod past_forecasts;

use chain::milestone::{CATALOGUE, MilestoneType};
use proptest::prelude::*;

use self::made_up::{ANY_TABLES, DrawnSale, draw_chain, today};
use crate::bottleneck::{Bottleneck, find_bottleneck};
use crate::chase::{ChaseChain, Reason, list_entries};
use crate::durations::DurationCounts;
use crate::outlook::OpenStep;
use crate::prediction::{Correction, exchange, predict};
use crate::sale::{Mark, Sale};
use crate::silence::Silence;

/// The types that somebody may record as completed: neither expected nor Fall Through.
fn completed() -> Vec<&'static MilestoneType> {
    let is_one = |one: &&MilestoneType| !one.is_expected() && one.key != "fall_through";
    CATALOGUE.iter().filter(is_one).collect()
}

fn mark_of(sale: &Sale, milestone: &MilestoneType) -> Mark {
    sale.mark_at(usize::try_from(milestone.sequence - 1).unwrap())
}

/// Whether a date of an explanation stands in the sale.
fn is_stored(sale: &Sale, open: &OpenStep) -> bool {
    let has = |day| {
        CATALOGUE
            .iter()
            .any(|one| mark_of(sale, one) == Mark::On(day))
    };
    let is_named = match (open.since, open.after()) {
        (Some(since), Some(after)) => mark_of(sale, after) == Mark::On(since),
        (since, after) => since.is_none() && after.is_none(),
    };
    open.since.is_none_or(has) && is_named && open.expected == sale.expected(open.step)
}

fn sale_of(sales: &[Sale], listing: chain::ids::ListingId) -> Option<&Sale> {
    sales.iter().find(|sale| sale.listing == listing)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn recording_a_completed_milestone_never_makes_the_forecast_later(
        table in 0..ANY_TABLES.len(),
        drawn in proptest::collection::vec(any::<DrawnSale>(), 1..5),
        which: prop::sample::Index,
        kind: prop::sample::Index,
        days_ago in 0..400_i32,
        percents: [u8; 5],
    ) {
        let tables = &ANY_TABLES[table];
        let sales = draw_chain(&drawn);
        let mut after = sales.clone();
        let sale = &mut after[which.index(sales.len())];
        let open: Vec<_> = completed().into_iter()
            .filter(|one| matches!(mark_of(sale, one), Mark::Absent | Mark::Undated))
            .collect();
        prop_assume!(!open.is_empty());
        sale.record(open[kind.index(open.len())], Some(today().plus(-days_ago).date()), false);
        let Ok(before) = exchange(&sales, tables, today()) else { return Ok(()) };
        let now = match exchange(&after, tables, today()) {
            Ok(now) => now,
            Err(silence) => {
                prop_assert_eq!(silence, Silence::Exchanged);
                return Ok(());
            }
        };
        for day in 0..365 {
            let (before, now) = (before.chance_by(day), now.chance_by(day));
            prop_assert!(now >= before, "day {}: {} < {}", day, now, before);
        }
        let correction = Correction(percents.map(u32::from));
        let before = predict(&sales, tables, today()).unwrap().corrected(correction);
        let now = predict(&after, tables, today()).unwrap().corrected(correction);
        prop_assert!(now.0.is_sorted() && before.0.is_sorted());
        for (now, before) in now.0.into_iter().zip(before.0) {
            prop_assert!(now <= before);
        }
    }

    #[test]
    fn the_bottleneck_is_a_sale_of_the_chain_and_names_stored_facts(
        table in 0..ANY_TABLES.len(),
        drawn in proptest::collection::vec(any::<DrawnSale>(), 1..5),
    ) {
        let tables = &ANY_TABLES[table];
        let sales = draw_chain(&drawn);
        match find_bottleneck(&sales, tables, today()) {
            Ok(Bottleneck::Held(held)) => {
                let runner_up = held.runner_up.as_ref();
                prop_assert_ne!(Some(held.holder.listing), runner_up.map(|one| one.listing));
                for holder in std::iter::once(&held.holder).chain(runner_up) {
                    let sale = sale_of(&sales, holder.listing).expect("a sale of the chain");
                    prop_assert!(is_stored(sale, &holder.open), "{:?}", holder);
                    prop_assert_eq!(sale.mark(holder.open.step), Mark::Absent);
                    let counts = tables.counts().steps(holder.open.step, holder.comparison.stratum);
                    prop_assert_eq!(counts.map(DurationCounts::ended), Some(holder.comparison.ended));
                }
            }
            Ok(Bottleneck::Ready { proposed }) => {
                prop_assert!(proposed.is_none_or(|day| sales[0].proposed_exchange() == Some(day)));
            }
            Err(silence) => {
                let is_known = |listing| sale_of(&sales, listing).is_some();
                prop_assert!(silence.listing().is_none_or(is_known));
            }
        }
    }

    #[test]
    fn what_to_chase_names_stored_facts(
        table in 0..ANY_TABLES.len(),
        drawn in proptest::collection::vec(any::<DrawnSale>(), 1..5),
    ) {
        let sales = draw_chain(&drawn);
        let chain = ChaseChain { sales: &sales, open_ends: &[] };
        let entries = list_entries(&chain, &ANY_TABLES[table], today());
        prop_assert!(entries.is_sorted_by_key(|entry| !entry.is_bottleneck));
        for entry in entries {
            let sale = sale_of(&sales, entry.listing).expect("a sale of the chain");
            match entry.reason {
                Reason::Overdue { open, days } => {
                    let expected = open.expected.expect("an expected date");
                    prop_assert_eq!(today().days_since(expected), days);
                    prop_assert_eq!(open.expected, sale.expected(open.step));
                }
                Reason::Slow { open, .. } => prop_assert!(is_stored(sale, &open)),
                Reason::ExchangeNear { proposed, open } => {
                    prop_assert_eq!(sale.proposed_exchange(), Some(proposed));
                    prop_assert!(is_stored(sale, &open));
                }
                Reason::Quiet { since, .. } => prop_assert_eq!(sale.latest(), Some(since)),
                Reason::EndOpen(_) => prop_assert!(false, "no end is open"),
            }
        }
    }
}
