//! Document 1's signed answer about one chain, as a browser checks it.

use axum::body::Bytes;
use chain_queries::answer::BodyKey;
use chain_queries::wire::chains::{self, Page};
use serde::Deserialize;
use signing::keyring::Purpose;
use storage::address_search::CurrentListing;
use web::problem::Problem;

use super::Console;

/// The rows of a page of answers, as a query without `rows` has them (S-2).
const ROWS: u64 = 15;

/// A signed answer about one chain.
#[derive(Debug, Clone)]
pub struct ChainAnswer {
    /// The complete envelope of document 1.
    pub body: Bytes,
    /// The version of the chain that it shows.
    pub version: i64,
    /// `kid`
    pub kid: String,
    /// `signedAt`, RFC 3339.
    pub signed_at: String,
}

#[derive(Deserialize)]
struct Envelope {
    provenance: Provenance,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Provenance {
    kid: String,
    signed_at: String,
}

impl Console {
    /// Signs the chain of a current listing, as a query by its UPRN does. `None` if the listing was
    /// withdrawn meanwhile.
    pub async fn sign_chain(
        &self,
        current: &CurrentListing,
    ) -> Result<Option<ChainAnswer>, Problem> {
        let queries = &self.queries;
        let snapshot = queries.tokens.registry.snapshot().await?;
        let key = snapshot.keyring.current(Purpose::Provenance);
        let now = self.clock.now_seconds();
        let asked_for = &current.display_address;
        let found = queries
            .answers
            .find_document(&self.storage, current)
            .await?;
        let Some(document) = found else {
            return Ok(None);
        };
        let wanted = BodyKey::new(document.chain, document.version, asked_for, ROWS);
        let version = document.version;
        let body = if let Some(body) = queries.answers.find_body(&wanted, key, now) {
            body
        } else {
            let page = Page {
                number: 1,
                rows: ROWS,
                total: 1,
            };
            let data = chains::render_data([(&*document, asked_for.as_str())], &page)
                .map_err(|error| Problem::Internal(error.to_string()))?;
            let signed = queries.answers.sign(data, key, now).await?;
            queries.answers.keep_body(wanted, key, &signed);
            signed.body
        };
        let envelope: Envelope =
            serde_json::from_slice(&body).map_err(|error| Problem::Internal(error.to_string()))?;
        Ok(Some(ChainAnswer {
            body,
            version,
            kid: envelope.provenance.kid,
            signed_at: envelope.provenance.signed_at,
        }))
    }
}
