//! The list of the kept versions of a chain.

use observe::clock;
use serde::Serialize;
use storage::sealed::VersionTime;
use utoipa::ToSchema;

use super::chains::shape::Pagination;

/// Versions of a chain, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainVersions {
    /// The versions of this page.
    pub data: Vec<ChainVersion>,
    pub(crate) pagination: Pagination,
}

/// A version of a chain.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainVersion {
    /// When it was recorded: the chain was so from then on, until the time of the next version.
    #[schema(format = DateTime)]
    #[serde(rename = "recordedAt")]
    pub recorded_at: String,
    /// Its number.
    #[schema(minimum = 1)]
    pub version: i64,
}

impl From<VersionTime> for ChainVersion {
    fn from(found: VersionTime) -> Self {
        Self {
            recorded_at: clock::to_rfc3339(found.recorded_at),
            version: found.version,
        }
    }
}
