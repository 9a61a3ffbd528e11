//! The participant directory as it is published, rendered anew when a participant has changed.

use std::sync::{Arc, PoisonError, RwLock};

use storage::{Storage, StorageError, participants, registry};

use crate::conditional::Published;
use crate::config::Config;
use crate::wire::directory::Organisation;

/// The directory at the revision that this node last saw.
#[derive(Debug)]
pub(crate) struct Directory {
    storage: Storage,
    config: Arc<Config>,
    current: RwLock<Option<(i64, Published)>>,
}

impl Directory {
    /// The directory of this store, not read yet.
    pub(crate) fn new(storage: Storage, config: Arc<Config>) -> Self {
        Self {
            storage,
            config,
            current: RwLock::default(),
        }
    }

    /// The directory as it stands in the store now: one small read when
    /// nothing changed.
    pub(crate) async fn published(&self) -> Result<Published, StorageError> {
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
        let (revision, participants) = self
            .storage
            .read(|read| {
                let revision = registry::find_directory_revision(read)?;
                Ok::<_, StorageError>((revision, participants::list_participants(read)?))
            })
            .await?;
        let organisations: Vec<_> = participants
            .into_iter()
            .map(|participant| Organisation::of(participant, &self.config))
            .collect();
        let body = serde_json::to_vec(&organisations)
            .map_err(|error| StorageError::Corrupt(error.to_string()))?;
        let published = Published::new(body, "application/json");
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_none_or(|current| current.0 < revision) {
            *current = Some((revision, published.clone()));
        }
        Ok(published)
    }
}
