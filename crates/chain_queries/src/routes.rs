//! The operations of document 1 and the evidence of its answers, by their paths.

pub mod addresses;
pub mod chains;
pub mod evidence;

use std::sync::Arc;

use axum::Router;
use axum::routing::any;
use utoipa_axum::router::OpenApiRouter;
use web::any_method;

use crate::ChainQueries;

/// The word of document 1 in the paths of these operations.
pub const STANDARD: &str = "standard";

/// The routes of the chain query and the look-up. `words` are accepted in the place of `standard` (S-64).
pub fn routes(queries: &Arc<ChainQueries>, words: &[String]) -> OpenApiRouter {
    OpenApiRouter::default()
        .routes(any_method!(chains::query_chains))
        .routes(any_method!(chains::versions::list_chain_versions))
        .routes(any_method!(chains::versions::find_chain_version))
        .routes(any_method!(addresses::find_addresses))
        .routes(any_method!(evidence::make_evidence))
        .merge(other_routes(words).into())
        .with_state(Arc::clone(queries))
}

/// The same operations under each other word.
fn other_routes(words: &[String]) -> Router<Arc<ChainQueries>> {
    let others = words.iter().filter(|word| *word != STANDARD);
    others.fold(Router::new(), |routes, word| {
        routes
            .route(&format!("/api/v1/{word}/chains"), any(chains::query_chains))
            .route(
                &format!("/api/v1/{word}/chains/{{chainId}}/versions"),
                any(chains::versions::list_chain_versions),
            )
            .route(
                &format!("/api/v1/{word}/chains/{{chainId}}/versions/{{version}}"),
                any(chains::versions::find_chain_version),
            )
            .route(
                &format!("/api/v1/{word}/addresses"),
                any(addresses::find_addresses),
            )
    })
}
