//! One call about a token at a time: others wait for its result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use framework::known_tokens::{TokenDigest, Verdict};
use tokio::sync::OnceCell;

use crate::access_refusal::AccessRefusal;

/// The calls that are under way, by token.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<HashMap<TokenDigest, Arc<OnceCell<Verdict>>>>);

/// Removes a call that ended, also one whose caller went away.
struct Landing<'a> {
    flights: &'a Flights,
    token: TokenDigest,
    cell: Arc<OnceCell<Verdict>>,
}

impl Flights {
    /// Joins the call about a token, or makes it. A call that fails is made again by the next one who waits.
    pub(super) async fn join(
        &self,
        token: TokenDigest,
        asking: impl Future<Output = Result<Verdict, AccessRefusal>>,
    ) -> Result<Verdict, AccessRefusal> {
        let cell = {
            let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(flights.entry(token).or_default())
        };
        let landing = Landing {
            flights: self,
            token,
            cell,
        };
        let verdict = landing.cell.get_or_try_init(|| asking).await?;
        Ok(verdict.clone())
    }
}

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        let mut flights = self
            .flights
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // The map and this one hold the cell. As long as others wait for it, it stays, unless it has its result.
        let is_alone = Arc::strong_count(&self.cell) <= 2;
        let is_ours = flights
            .get(&self.token)
            .is_some_and(|cell| Arc::ptr_eq(cell, &self.cell));
        if is_ours && (is_alone || self.cell.initialized()) {
            flights.remove(&self.token);
        }
    }
}
