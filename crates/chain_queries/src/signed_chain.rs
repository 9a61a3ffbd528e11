//! The signed answer about one chain and its evidence, for pages that show it.

use std::sync::Arc;

pub use evidence::MEDIA_TYPE as PACK_MEDIA_TYPE;
use evidence::pack::Answer;
use signing::keyring::Purpose;
use state_log::packs::NoPack;
use storage::address_search::CurrentListing;
use web::problem::Problem;

use crate::ChainQueries;
use crate::answer::{BodyKey, Signed};
use crate::limits::{PACK_ATTEMPTS_MAX, PACK_PAUSE, ROWS_DEFAULT};
use crate::routes::evidence::refuse;
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
        let key = snapshot.keyring.current(Purpose::Provenance)?;
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
    /// The evidence pack of the chain of a current listing (S-62). Waits some seconds for the log. `None` if the
    /// listing was withdrawn meanwhile.
    pub async fn prove_chain(&self, current: &CurrentListing) -> Result<Option<Vec<u8>>, Problem> {
        let Some(signed) = self.sign_chain(current).await? else {
            return Ok(None);
        };
        let answer = Answer::from_body(&signed.answer.body)
            .map_err(|error| Problem::Internal(error.to_string()))?;
        let mut attempt = 1;
        loop {
            let place = self.turns.make_pack().await;
            let made = self.state_log.make_pack(answer.clone(), i64::MAX).await;
            drop(place);
            match made {
                Err(NoPack::NotLogged) if attempt < PACK_ATTEMPTS_MAX => {
                    attempt += 1;
                    tokio::time::sleep(PACK_PAUSE).await;
                }
                made => return made.map(Some).map_err(refuse),
            }
        }
    }
}
