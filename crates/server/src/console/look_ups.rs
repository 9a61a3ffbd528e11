//! The limits and the log of look-ups. Each search of a lender or conveyancer is one, and each view of a
//! chain.

use chain::ids::PropertyId;

use super::Console;
use super::session::SignedIn;
use crate::problem::Problem;

impl Console {
    /// Counts a reader's look-up against the limit of the participant (S-14), so that nobody collects
    /// chains.
    pub(crate) fn count_look_up(&self, signed_in: &SignedIn) -> Result<(), Problem> {
        if !signed_in.role().may_look_up() {
            return Ok(());
        }
        self.count(&format!("participant {}", signed_in.person().participant))
    }

    /// Counts an opening of a share link. Each link has a limit of its own, so that its holders cannot
    /// use up the limit of others.
    pub(crate) fn count_opening(&self, share: i64) -> Result<(), Problem> {
        self.count(&format!("share {share}"))
    }

    fn count(&self, bucket: &str) -> Result<(), Problem> {
        let limits = self.queries.tokens.rate_limits.as_ref();
        match limits.and_then(|limits| limits.count(bucket).wait()) {
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
