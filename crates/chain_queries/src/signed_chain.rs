//! The signed answer about one chain, for pages that show it.

use std::sync::Arc;

use signing::keyring::Purpose;
use storage::address_search::CurrentListing;
use web::problem::Problem;

use crate::ChainQueries;
use crate::answer::{BodyKey, Signed};
use crate::limits::ROWS_DEFAULT;
use crate::wire::chains::{self, Page};

/// A signed answer about one chain.
#[derive(Debug, Clone)]
pub struct SignedChain {
    /// The answer of document 1.
    pub answer: Arc<Signed>,
    /// The version of the chain that it shows.
    pub version: i64,
}

impl ChainQueries {
    /// Signs the chain of a current listing, as a query by its UPRN does. Both share one cache. `None` if
    /// the listing was withdrawn meanwhile.
    pub async fn sign_chain(
        &self,
        current: &CurrentListing,
    ) -> Result<Option<SignedChain>, Problem> {
        let snapshot = self.tokens.registry.snapshot().await?;
        let key = snapshot.keyring.current(Purpose::Provenance);
        let now = self.clock.now_seconds();
        let asked_for = &current.display_address;
        let found = self.answers.find_document(&self.storage, current).await?;
        let Some(document) = found else {
            return Ok(None);
        };
        let version = document.version;
        let wanted = BodyKey::new(document.chain, version, asked_for, ROWS_DEFAULT, None);
        if let Some(answer) = self.answers.find_signed(&wanted, key, now) {
            return Ok(Some(SignedChain { answer, version }));
        }
        let page = Page {
            number: 1,
            rows: ROWS_DEFAULT,
            total: 1,
        };
        let data = chains::render_data([(&*document, asked_for.as_str())], &page, None)
            .map_err(|error| Problem::Internal(error.to_string()))?;
        let answer = self.answers.sign(data, key, now).await?;
        self.answers.keep(wanted, &answer);
        Ok(Some(SignedChain { answer, version }))
    }
}
