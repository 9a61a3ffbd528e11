//! A world whose server has stopped, for real processes to serve.

use server::config::Config;
use storage::Storage;

use super::{Database, World};

/// What is left of a world: its store, its folder and its settings.
pub(crate) struct ClosedWorld {
    pub(crate) config: Config,
    pub(crate) directory: tempfile::TempDir,
    database: Option<Database>,
}

impl World {
    /// Stops everything that serves or reads the store.
    pub(crate) async fn close(self) -> ClosedWorld {
        self.server.stop().await;
        for node in self.other_nodes {
            node.stop().await;
        }
        drop(self.storage);
        ClosedWorld {
            config: self.config,
            directory: self.directory,
            database: self.database,
        }
    }
}

impl ClosedWorld {
    /// Opens the store beside whoever serves it.
    pub(crate) async fn open_store(&self) -> Storage {
        let config = self.config.clone();
        let opening = tokio::task::spawn_blocking(move || {
            server::foundation::open_storage(&config, storage::Opening::Upgrade)
        });
        opening.await.unwrap().unwrap()
    }

    /// Removes what is left.
    pub(crate) async fn end(self) {
        if let Some(database) = self.database {
            database.remove().await;
        }
    }
}
