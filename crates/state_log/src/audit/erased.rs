//! A sale that a sealed version lacks must have been erased, and one that was erased must be gone (S-61).

use storage::erasures::{self, Erasure};
use storage::state_log::{self, WaitingState};

use super::Audit;
use crate::fault::Fault;

impl Audit<'_> {
    pub(super) fn read_erasures(&mut self) -> Result<(), Fault> {
        self.report.erasures = self.log.storage.read_blocking(erasures::list_erasures)?;
        Ok(())
    }

    /// Compares the places that a version lacks with the erasures.
    pub(super) fn compare_erased(&mut self, state: &WaitingState) -> Result<(), Fault> {
        let Some((_document, listings)) = &state.sealed else {
            return Ok(());
        };
        let name = || format!("version {} of chain {}", state.version, state.chain);
        for place in state.erased.keys() {
            let listing = listings.get(*place).copied();
            let mut is_recorded = self.find(listing).is_some();
            if !is_recorded {
                // It may have begun since.
                self.read_erasures()?;
                is_recorded = self.find(listing).is_some();
            }
            if !is_recorded {
                let text = format!(
                    "{} lacks a sale, and nothing records that it was erased",
                    name()
                );
                self.report.add_fault(text);
            }
        }
        for listing in state.shown_listings() {
            let found = self.find(Some(listing));
            if found.is_some_and(|erasure| erasure.finished_at.is_some()) {
                let text = format!("{} still shows listing {listing}, which was erased", name());
                self.report.add_fault(text);
            }
        }
        self.report.redacted += u64::from(!state.erased.is_empty());
        Ok(())
    }

    /// Nobody may be able to open the commitments of an erased listing.
    pub(super) fn compare_erasures(&mut self) -> Result<(), Fault> {
        let finished = self.report.erasures.iter();
        let finished = finished.filter(|erasure| erasure.finished_at.is_some());
        let listings: Vec<i64> = finished.map(|erasure| erasure.listing).collect();
        let storage = &self.log.storage;
        let kept = storage.read_blocking(move |read| state_log::find_secrets(read, &listings))?;
        let mut kept: Vec<_> = kept.into_keys().collect();
        kept.sort_unstable();
        for listing in kept {
            let text = format!("the secret of listing {listing} is in the store, which was erased");
            self.report.add_fault(text);
        }
        Ok(())
    }

    fn find(&self, listing: Option<i64>) -> Option<&Erasure> {
        let erasures = &self.report.erasures;
        let found = erasures.binary_search_by_key(&listing?, |erasure| erasure.listing);
        found.ok().and_then(|at| erasures.get(at))
    }
}
