//! Makes the list of sales to chase: each sale once, with its most urgent reason.

mod loaded;

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId};
use console::chase::{ChaseFilter, ChaseGroup, ChaseRow, LastChase, Snooze};
use console::hold::Contact;
use forecast::chase::{ChaseChain, Entry, Reason, list_entries_with, sort_entries};
use forecast::day::Day;
use listing_management::forecasts::{Assessment, Forecasts, Learned};
use storage::chase::SaleUnderWay;
use storage::recent_chains::Place;
use storage::{Read, StorageError};

use self::loaded::Loaded;
use super::addresses::to_address;
use super::contacts::{Firms, contacts};
use super::times::moment;
use crate::limits;

/// The sales to chase.
#[derive(Debug, Default)]
pub(crate) struct ChaseList {
    /// The most urgent first.
    pub rows: Vec<ChaseRow>,
    /// How many sales are snoozed.
    pub snoozed: u64,
    /// Whether there are more sales than the list looks at or shows.
    pub is_cut: bool,
}

/// Lists the sales of these branches that somebody should chase.
pub(crate) fn list_chases(
    read: &mut Read<'_>,
    known: &Forecasts,
    branches: &[BranchId],
    filter: &ChaseFilter,
    today: Day,
) -> Result<ChaseList, StorageError> {
    let wanted = branches.iter().copied();
    let wanted: Vec<BranchId> = wanted
        .filter(|branch| filter.branch.is_none_or(|only| only == *branch))
        .collect();
    let learned = known.learned(read)?;
    let loaded = Loaded::of_branches(read, known, &learned, &wanted, today)?;
    let mut list = ChaseList {
        is_cut: loaded.is_cut,
        ..ChaseList::default()
    };
    let mut rows = loaded.rows(&learned, today);
    let is_snoozed = |row: &ChaseRow| row.snoozed.is_some();
    list.snoozed = rows.iter().filter(|row| is_snoozed(row)).count() as u64;
    rows.retain(|row| filter.with_snoozed || !is_snoozed(row));
    list.is_cut |= rows.len() > limits::CHASE_ROWS_MAX;
    rows.truncate(limits::CHASE_ROWS_MAX);
    count_others(&mut rows);
    list.rows = rows;
    Ok(list)
}

/// The chains of these branches in which a step of one of their sales is late, by the last change of
/// these sales, the newest first.
pub(crate) fn list_late_chains(
    read: &mut Read<'_>,
    known: &Forecasts,
    branches: &[BranchId],
    today: Day,
) -> Result<Vec<(Place, ChainId)>, StorageError> {
    let learned = known.learned(read)?;
    let loaded = Loaded::of_branches(read, known, &learned, branches, today)?;
    let is_late = |reason| matches!(reason, Reason::Overdue { .. } | Reason::Slow { .. });
    let mut late = Vec::new();
    for (chain, own) in loaded.by_chain() {
        let Some(assessment) = loaded.assessments.get(&chain) else {
            continue;
        };
        let chased = ChaseChain {
            sales: &assessment.sales,
            open_ends: &[],
        };
        let entries = list_entries_with(&chased, None, &learned.tables, today);
        let mut entries = entries.iter().filter(|entry| is_late(entry.reason));
        let place = |sale: &&SaleUnderWay| Place {
            changed_at: sale.changed_at,
            listing: sale.listing,
        };
        if entries.any(|entry| own.iter().any(|sale| sale.listing == entry.listing)) {
            late.extend(own.iter().map(place).max().map(|place| (place, chain)));
        }
    }
    late.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
    Ok(late)
}

/// One group, or one for each organisation to ring, in the order of its most urgent sale. Sales
/// without a known organisation are together by the part that has to be rung.
pub(crate) fn group(rows: Vec<ChaseRow>, by_conveyancer: bool) -> Vec<ChaseGroup> {
    if !by_conveyancer {
        return vec![ChaseGroup {
            contact: None,
            rows,
        }];
    }
    let is_same = |one: &Contact, other: &Contact| {
        one.name == other.name && (one.party == other.party || !one.name.is_empty())
    };
    let mut groups: Vec<ChaseGroup> = Vec::new();
    for row in rows {
        let first = row.contacts.first().cloned();
        let found = groups
            .iter_mut()
            .find(|group| match (&group.contact, &first) {
                (Some(one), Some(other)) => is_same(one, other),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            });
        match found {
            Some(group) => group.rows.push(row),
            None => groups.push(ChaseGroup {
                contact: first,
                rows: vec![row],
            }),
        }
    }
    groups
}

impl Loaded {
    fn rows(&self, learned: &Learned, today: Day) -> Vec<ChaseRow> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places = HashMap::new();
        for (chain, own) in self.by_chain() {
            let Some(assessment) = self.assessments.get(&chain) else {
                continue;
            };
            entries.extend(list_own_entries(&own, assessment, learned, today));
            let own = own.into_iter();
            places.extend(own.map(|sale| (sale.listing, (sale, assessment))));
        }
        let entries = choose_entries(entries);
        let row = |entry: &Entry| {
            let (sale, assessment) = places.get(&entry.listing)?;
            Self::row(entry, sale, assessment, today)
        };
        entries.iter().filter_map(row).collect()
    }

    fn row(
        entry: &Entry,
        sale: &SaleUnderWay,
        assessment: &Assessment,
        today: Day,
    ) -> Option<ChaseRow> {
        let mut sales = assessment.sales.iter();
        let facts = sales.find(|one| one.listing == sale.listing)?;
        let address = to_address(&sale.address);
        let firms = Firms {
            selling_agent: &sale.selling_agent,
            seller_conveyancer: &sale.seller_conveyancer,
            buyer_conveyancer: &sale.buyer_conveyancer,
        };
        Some(ChaseRow {
            listing: sale.listing,
            home: address.name(),
            place: address.place(),
            chain: sale.chain,
            chain_length: assessment.sales.len(),
            holds_chain: entry.is_bottleneck,
            holds_by_other_step: entry.is_bottleneck && !entry.is_holding_step,
            reason: entry.reason,
            agreed: facts.agreed()?.date(),
            contacts: contacts(entry.reason.whom_to_chase(), firms),
            other_late: 0,
            chased: sale.chased.as_ref().map(|chased| LastChase {
                at: moment(chased.at),
                by: chased.person.clone(),
            }),
            snoozed: sale
                .snoozed
                .as_ref()
                .filter(|snoozed| snoozed.until > today.date())
                .map(|snoozed| Snooze {
                    until: snoozed.until,
                    reason: snoozed.reason.clone(),
                    by: snoozed.person.clone(),
                }),
        })
    }
}

/// The entries of the viewer's own sales in a chain.
fn list_own_entries(
    own: &[&SaleUnderWay],
    assessment: &Assessment,
    learned: &Learned,
    today: Day,
) -> Vec<Entry> {
    let open_ends: Vec<(ListingId, End)> = own
        .iter()
        .flat_map(|sale| {
            let ends = [
                (sale.is_open_top, End::Top),
                (sale.is_open_bottom, End::Bottom),
            ];
            let open = ends.into_iter().filter(|(is_open, _)| *is_open);
            open.map(|(_, end)| (sale.listing, end))
        })
        .collect();
    let chain = ChaseChain {
        sales: &assessment.sales,
        open_ends: &open_ends,
    };
    // A sale that is in no chain holds up nothing but itself.
    let is_chain = assessment.sales.len() > 1;
    let bottleneck = assessment.bottleneck.as_ref().ok().filter(|_| is_chain);
    let mut entries = list_entries_with(&chain, bottleneck, &learned.tables, today);
    entries.retain(|entry| own.iter().any(|sale| sale.listing == entry.listing));
    entries
}

/// One entry for each sale, the most urgent sale first. The entry of a sale is its most telling one:
/// the step that the page of the chain names, then any other step, then silence or an open end.
fn choose_entries(mut entries: Vec<Entry>) -> Vec<Entry> {
    sort_entries(&mut entries);
    let mut places: HashMap<ListingId, usize> = HashMap::new();
    let mut chosen: Vec<Entry> = Vec::new();
    for entry in entries {
        match places.entry(entry.listing) {
            Vacant(place) => {
                place.insert(chosen.len());
                chosen.push(entry);
            }
            Occupied(place) => {
                if let Some(known) = chosen.get_mut(*place.get())
                    && how_telling(&entry) > how_telling(known)
                {
                    *known = entry;
                }
            }
        }
    }
    chosen
}

fn how_telling(entry: &Entry) -> u8 {
    u8::from(entry.is_holding_step) + u8::from(entry.reason.step().is_some())
}

/// Counts for each row how many other sales wait for the same organisation.
fn count_others(rows: &mut [ChaseRow]) {
    let name = |row: &ChaseRow| {
        row.contacts
            .first()
            .map_or_else(String::new, |contact| contact.name.clone())
    };
    let mut counts: HashMap<String, u32> = HashMap::new();
    for row in rows.iter() {
        *counts.entry(name(row)).or_default() += 1;
    }
    for row in rows {
        let name = name(row);
        let count = counts.get(&name).filter(|_| !name.is_empty());
        row.other_late = count.map_or(0, |count| count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use chain::ends::End;
    use chain::ids::ListingId;
    use forecast::chase::{Entry, Reason};
    use forecast::outlook::OpenStep;
    use forecast::step::Step;

    use super::choose_entries;

    fn overdue(step: Step, days: u32, is_holding_step: bool) -> Entry {
        let open = OpenStep {
            step,
            since: None,
            expected: None,
        };
        entry(Reason::Overdue { open, days }, is_holding_step)
    }

    fn entry(reason: Reason, is_holding_step: bool) -> Entry {
        Entry {
            listing: ListingId(1),
            is_bottleneck: true,
            is_holding_step,
            reason,
        }
    }

    #[test]
    fn the_step_that_holds_up_the_chain_stands_for_its_sale() {
        let holding = overdue(Step::EnquiriesClosed, 2, true);
        let other = overdue(Step::MortgageOffered, 40, false);
        let open_end = entry(Reason::EndOpen(End::Top), false);
        assert_eq!(choose_entries(vec![other, holding, open_end]), [holding]);
        assert_eq!(choose_entries(vec![open_end, other]), [other]);
        assert_eq!(choose_entries(vec![open_end]), [open_end]);
    }
}
