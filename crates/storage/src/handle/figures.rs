//! The state of an open store that needs no statement.

use super::{Engine, Storage};
use crate::Result;
use crate::figures::StoreFigures;

impl Storage {
    /// Fails if somebody removed or replaced a file of the store, so that writes are refused.
    pub fn check_files(&self) -> Result<()> {
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.check_files(),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Fails if a sync of an SQLite store failed. Its log then grows until every program that has the store
    /// open has ended.
    pub fn check_syncs(&self) -> Result<()> {
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.check_syncs(),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// The figures of this node's part of the store. [`crate::Read::database_figures`] has the others.
    pub fn figures(&self) -> StoreFigures {
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.figures(),
            Engine::Postgres(engine) => engine.figures(),
        }
    }
}
