//! The participant directory as it is published, rendered anew when a participant has changed.

use std::sync::{PoisonError, RwLock};

use storage::{Storage, StorageError, participants, registry};

use crate::config::Config;
use crate::published::Published;
use crate::wire::directory::Organisation;

/// The directory at the revision that this node last saw.
#[derive(Debug, Default)]
pub struct Directory(RwLock<Option<(i64, Published)>>);

impl Directory {
    /// The directory as it stands in the store now: one small read when
    /// nothing changed.
    pub async fn published(
        &self,
        storage: &Storage,
        config: &Config,
    ) -> Result<Published, StorageError> {
        let revision = storage.lookup(registry::find_directory_revision).await?;
        if let Some((known, published)) = &*self.0.read().unwrap_or_else(PoisonError::into_inner)
            && *known == revision
        {
            return Ok(published.clone());
        }
        let (revision, participants) = storage
            .read(|read| {
                let revision = registry::find_directory_revision(read)?;
                Ok::<_, StorageError>((revision, participants::list_participants(read)?))
            })
            .await?;
        let organisations: Vec<_> = participants
            .into_iter()
            .map(|participant| Organisation::of(participant, config))
            .collect();
        let body = serde_json::to_vec(&organisations)
            .map_err(|error| StorageError::Corrupt(error.to_string()))?;
        let published = Published::new(body, "application/json");
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_none_or(|current| current.0 < revision) {
            *current = Some((revision, published.clone()));
        }
        Ok(published)
    }
}
