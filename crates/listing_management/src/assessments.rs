//! Loads the assessment of a listing's chain, and hides the facts that other branches do not share.

use std::sync::Arc;

use chain::ids::{BranchId, ListingId};
use chain::london::date_in_london;
use chain::permission;
use chain::state::Chain;
use forecast::bottleneck::{Comparison, compare};
use forecast::counts::Stratum;
use forecast::day::Day;
use forecast::outlook::OpenStep;
use forecast::sale::Sale;
use storage::{Read, StorageError};
use web::problem::Problem;

use super::ListingManagement;
use super::caller::BranchCaller;
use super::links::load_chain;
use super::listings::find_own_listing;
use crate::forecasts::{Assessment, Learned};

/// A chain as its caller may see it.
#[derive(Debug)]
pub struct Assessed {
    /// The listing that the caller asked for.
    pub listing: ListingId,
    /// The chain of the listing.
    pub chain: Chain,
    /// The day of the assessment.
    pub today: Day,
    /// The knowledge of past sales.
    pub learned: Arc<Learned>,
    /// The assessment of the chain.
    pub assessment: Arc<Assessment>,
    own: Vec<ListingId>,
}

/// A step as the caller may see it.
#[derive(Debug, Clone, Copy)]
pub struct SeenStep {
    /// The listing.
    pub listing: ListingId,
    /// The step.
    pub open: OpenStep,
    /// The step in comparable sales; `None` for too few of them.
    pub comparison: Option<Comparison>,
}

/// Loads today's assessment of the chain of one of the caller's listings.
pub(crate) async fn load_assessed(
    management: Arc<ListingManagement>,
    caller: BranchCaller,
    id: ListingId,
) -> Result<Assessed, Problem> {
    let today = date_in_london(management.clock.now_seconds()).unwrap_or_default();
    let shared = Arc::clone(&management);
    let assessing = management.storage.read(move |read| {
        let listing = find_own_listing(read, &caller, id)?;
        let chain = load_chain(read, listing.chain)?;
        let assessed = assess_chain(read, &shared, caller.branches(), chain, today.into())?;
        Ok(Assessed {
            listing: id,
            ..assessed
        })
    });
    assessing.await
}

/// Assesses a chain for somebody who works for these branches. Its listing is their lowest one.
pub fn assess_chain(
    read: &mut Read<'_>,
    management: &ListingManagement,
    branches: &[BranchId],
    chain: Chain,
    today: Day,
) -> Result<Assessed, StorageError> {
    let members = chain.members().iter();
    let own = members.filter(|member| permission::is_own(branches, member.branch));
    let own: Vec<ListingId> = own.map(|member| member.listing).collect();
    let learned = management.forecasts.learned(read)?;
    let assessment = management
        .forecasts
        .assess(read, &learned, chain.id(), today)?;
    let lowest = own.first().or(chain.listings().first());
    Ok(Assessed {
        listing: lowest.copied().unwrap_or(ListingId(0)),
        chain,
        today,
        learned,
        assessment,
        own,
    })
}

impl Assessed {
    /// A step of a sale as the caller may see it (S-47).
    pub fn see_step(&self, listing: ListingId, open: OpenStep) -> SeenStep {
        let open = if self.own.contains(&listing) {
            open
        } else {
            open.for_others()
        };
        let sale = self.find_sale(listing);
        let stratum = sale.map_or(Stratum::All, Stratum::of_sale);
        SeenStep {
            listing,
            open,
            comparison: compare(&open, stratum, &self.learned.tables).ok(),
        }
    }

    /// The open steps of the chain, bottom to top, as the caller may see them. Steps that look the same
    /// are one.
    pub fn list_steps(&self) -> Vec<SeenStep> {
        let mut seen: Vec<SeenStep> = Vec::new();
        for (sale, open) in self.assessment.list_open_steps(self.chain.listings()) {
            let step = self.see_step(sale.listing, open);
            let is_same =
                |one: &SeenStep| (one.listing, one.open.step) == (step.listing, step.open.step);
            if !seen.iter().any(is_same) {
                seen.push(step);
            }
        }
        seen
    }

    /// A sale of the chain.
    pub fn find_sale(&self, listing: ListingId) -> Option<&Sale> {
        self.assessment
            .sales
            .iter()
            .find(|sale| sale.listing == listing)
    }
}
