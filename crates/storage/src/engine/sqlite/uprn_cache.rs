//! A cache of lookups by UPRN. An entry counts until somebody changes the store.

use std::collections::HashMap;

use chain::ids::Uprn;
use rusqlite::Connection;

use super::{SqliteSession, storage_error};
use crate::Result;
use crate::address_search::Located;
use crate::session::{Read, Session};

/// UPRNs that one connection keeps. With their addresses they take 1 to 2 MB.
const LENGTH_MAX: usize = 4096;
/// Reads a number that changes after each commit of another connection in any process. SQLite
/// documents it under `data_version`. Connections with a cache only read.
const DATA_VERSION: &str = "pragma data_version";

/// The lookups of one connection, each with the data version that it saw.
#[derive(Debug, Default)]
pub(super) struct UprnCache {
    found: HashMap<Uprn, (i64, Located)>,
}

impl SqliteSession<'_> {
    /// Answers from the cache, or runs `find` if the store has changed since the last lookup.
    /// Reading the data version costs less than `find`.
    pub(crate) fn find_cached(
        &mut self,
        uprn: Uprn,
        find: impl FnOnce(&mut Read<'_>) -> Result<Located>,
    ) -> Result<Located> {
        let mut read = Read::new(Session::Sqlite(Self::new(self.connection)));
        match &mut self.uprn_cache {
            Some(cache) => cache.find(self.connection, uprn, || find(&mut read)),
            None => find(&mut read),
        }
    }
}

impl UprnCache {
    fn find(
        &mut self,
        connection: &Connection,
        uprn: Uprn,
        find: impl FnOnce() -> Result<Located>,
    ) -> Result<Located> {
        let prepared = connection.prepare_cached(DATA_VERSION);
        let mut statement = prepared.map_err(storage_error)?;
        let mut rows = statement.raw_query();
        let Some(row) = rows.next().map_err(storage_error)? else {
            return find();
        };
        let version = row.get(0).map_err(storage_error)?;
        if let Some((cached_version, located)) = self.found.get(&uprn)
            && *cached_version == version
        {
            return Ok(located.clone());
        }
        // While `rows` is open, all statements of this connection see the same snapshot.
        let located = find()?;
        if self.found.len() >= LENGTH_MAX {
            self.found.clear();
        }
        self.found.insert(uprn, (version, located.clone()));
        Ok(located)
    }
}
