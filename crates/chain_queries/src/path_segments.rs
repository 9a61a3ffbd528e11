//! The routes of the chain query under the words that are accepted in the place of `standard` (S-64).

use std::sync::Arc;

use axum::Router;
use axum::routing::any;

use crate::ChainQueries;
use crate::routes::{addresses, chains};

/// The word of document 1, under which the router and the description have these calls.
pub const STANDARD: &str = "standard";

/// The same calls under each other word.
pub fn other_routes(words: &[String]) -> Router<Arc<ChainQueries>> {
    let others = words.iter().filter(|word| *word != STANDARD);
    others.fold(Router::new(), |routes, word| {
        routes
            .route(&format!("/api/v1/{word}/chains"), any(chains::query_chains))
            .route(
                &format!("/api/v1/{word}/addresses"),
                any(addresses::find_addresses),
            )
    })
}
