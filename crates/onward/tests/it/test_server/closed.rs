//! A test server whose node has stopped, so that real processes serve its store.

use server::config::Config;
use storage::Storage;

use super::{Database, TestServer};

/// What is left of a test server: its store, its folder and its settings.
pub(crate) struct ClosedTestServer {
    pub(crate) config: Config,
    pub(crate) directory: tempfile::TempDir,
    database: Option<Database>,
}

impl TestServer {
    /// Stops everything that serves or reads the store.
    pub(crate) async fn close(self) -> ClosedTestServer {
        self.node.stop().await;
        for node in self.other_nodes {
            node.stop().await;
        }
        drop(self.storage);
        ClosedTestServer {
            config: self.config,
            directory: self.directory,
            database: self.database,
        }
    }
}

impl ClosedTestServer {
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
