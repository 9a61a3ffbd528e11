//! The published participant directory, rendered again when a participant changed.

use std::sync::{Arc, PoisonError, RwLock};

use storage::{Storage, StorageError, participants, registry};
use web::conditional::Published;
use web::urls::ServiceUrls;

use crate::wire::organisation::Organisation;

/// The directory, cached at the revision that this node last read.
#[derive(Debug)]
pub struct Directory {
    storage: Storage,
    urls: Arc<ServiceUrls>,
    current: RwLock<Option<(i64, Published)>>,
}

impl Directory {
    /// Makes an empty cache for the directory of this store.
    pub fn new(storage: Storage, urls: Arc<ServiceUrls>) -> Self {
        Self {
            storage,
            urls,
            current: RwLock::default(),
        }
    }

    /// The current directory. Costs one small read if nothing changed.
    pub async fn published(&self) -> Result<Published, StorageError> {
        let revision = self
            .storage
            .lookup(registry::find_directory_revision)
            .await?;
        if let Some((known, published)) =
            &*self.current.read().unwrap_or_else(PoisonError::into_inner)
            && *known == revision
        {
            return Ok(published.clone());
        }
        let (revision, published) = self.render().await?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_none_or(|current| current.0 < revision) {
            *current = Some((revision, published.clone()));
        }
        Ok(published)
    }

    /// The directory of the store, and its revision.
    async fn render(&self) -> Result<(i64, Published), StorageError> {
        let (revision, participants) = self
            .storage
            .read(|read| {
                let revision = registry::find_directory_revision(read)?;
                Ok::<_, StorageError>((revision, participants::list_own_participants(read)?))
            })
            .await?;
        let organisations: Vec<_> = participants
            .into_iter()
            .map(|participant| Organisation::of(participant, &self.urls))
            .collect();
        let body = serde_json::to_vec(&organisations)
            .map_err(|error| StorageError::Corrupt(error.to_string()))?;
        Ok((revision, Published::new(body, "application/json")))
    }
}
