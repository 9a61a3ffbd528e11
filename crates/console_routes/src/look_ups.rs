//! The limits and the log of look-ups. Each search of a lender or conveyancer is one, each view of a chain
//! in any form, and each stream of its news.

use chain::ids::PropertyId;
use web::problem::Problem;

use super::Console;
use super::chain_pages::Viewing;
use super::session::SignedIn;

impl Console {
    /// Counts a reader's look-up against the limit of the participant (S-14), so that nobody collects
    /// chains.
    pub(crate) fn count_look_up(&self, signed_in: &SignedIn) -> Result<(), Problem> {
        if !signed_in.role().may_look_up() {
            return Ok(());
        }
        self.count(&format!("participant {}", signed_in.person().participant))
    }

    /// Counts a view of a chain, or a stream of its news.
    pub(crate) fn count_view(&self, viewing: &Viewing) -> Result<(), Problem> {
        match viewing {
            Viewing::Reader(reader, _uprn) => self.count_look_up(reader),
            Viewing::Progressor(_) | Viewing::Holder { .. } => Ok(()),
        }
    }

    /// Counts an opening of a share link. Each link has a limit of its own, so that its holders cannot
    /// use up the limit of others.
    pub fn count_opening(&self, share: i64) -> Result<(), Problem> {
        self.count(&format!("share {share}"))
    }

    fn count(&self, bucket: &str) -> Result<(), Problem> {
        let limits = self.queries.tokens.rate_limits.as_ref();
        match limits.and_then(|limits| limits.count(bucket).wait()) {
            Some(seconds) => Err(Problem::RateLimited(seconds)),
            None => Ok(()),
        }
    }

    /// Writes to the access log that a list told a reader of the sales of these properties.
    pub(crate) fn note_list(
        &self,
        reader: &SignedIn,
        properties: impl Iterator<Item = PropertyId>,
    ) {
        let (now, actor) = (self.clock.now_seconds(), reader.actor());
        for property in properties {
            self.queries.accesses.note_person(now, &actor, property);
        }
    }

    /// Writes to the access log that a reader saw the chain of a property.
    pub(crate) fn note_view(&self, viewing: &Viewing, asked_for: Option<PropertyId>) {
        if let (Viewing::Reader(reader, _uprn), Some(property)) = (viewing, asked_for) {
            let now = self.clock.now_seconds();
            let accesses = &self.queries.accesses;
            accesses.note_person(now, &reader.actor(), property);
        }
    }
}
