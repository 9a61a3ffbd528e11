//! The operations below `{base_url}/api/v1/standard`, by their paths.

pub mod addresses;
pub mod chains;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use web::any_method;

use crate::{ChainQueries, path_segments};

/// The routes of the chain query and the look-up, below each of the words `path_segments` too.
pub fn routes(queries: &Arc<ChainQueries>, path_segments: &[String]) -> OpenApiRouter {
    let other_words = path_segments::other_routes(path_segments);
    OpenApiRouter::default()
        .routes(any_method!(chains::query_chains))
        .routes(any_method!(addresses::find_addresses))
        .merge(other_words.into())
        .with_state(Arc::clone(queries))
}
