//! Look-ups of lenders and conveyancers: each search, and each view of a chain, is one.

use chain::ids::PropertyId;

use super::Console;
use super::session::SignedIn;
use crate::problem::Problem;

impl Console {
    /// Counts a reader's look-up against the limit of the participant (S-14), so that nobody collects
    /// chains.
    pub(crate) fn count_look_up(&self, signed_in: &SignedIn) -> Result<(), Problem> {
        let limits = self.queries.tokens.rate_limits.as_ref();
        let Some(limits) = limits.filter(|_limits| signed_in.role().may_look_up()) else {
            return Ok(());
        };
        let bucket = format!("participant {}", signed_in.person().participant);
        match limits.count(&bucket).wait() {
            Some(seconds) => Err(Problem::RateLimited(seconds)),
            None => Ok(()),
        }
    }

    /// Writes to the access log that a reader saw the chain of a property.
    pub(crate) fn note_look_up(&self, signed_in: &SignedIn, property: PropertyId) {
        let now = self.clock.now_seconds();
        let accesses = &self.queries.accesses;
        accesses.note_person(now, &signed_in.actor(), property);
    }
}
