//! What was found by UPRN, as long as nobody has changed the store since.

use std::collections::HashMap;

use chain::ids::Uprn;
use rusqlite::Connection;

use super::{SqliteSession, failed};
use crate::Result;
use crate::address_search::Located;
use crate::session::{Read, Session};

/// UPRNs that one connection keeps at most, each with its address: 1 to 2 MB.
const KEPT_MAX: usize = 4096;
/// A number that is another one after each commit of another connection, of whatever process
/// (`data_version` in the documentation of SQLite). Connections with a `Recall` only read.
const DATA_VERSION: &str = "pragma data_version";

/// What one connection found, each with the version of the store that it was found in.
#[derive(Debug, Default)]
pub(super) struct Recall {
    found: HashMap<Uprn, (i64, Located)>,
}

impl SqliteSession<'_> {
    /// What `find` finds: asked again only when the store is another than when it was asked last,
    /// because the asking costs more than to see that.
    pub(crate) fn recall(
        &mut self,
        uprn: Uprn,
        find: impl FnOnce(&mut Read<'_>) -> Result<Located>,
    ) -> Result<Located> {
        let mut read = Read::new(Session::Sqlite(Self::new(self.connection)));
        match &mut self.recall {
            Some(recall) => recall.find(self.connection, uprn, || find(&mut read)),
            None => find(&mut read),
        }
    }
}

impl Recall {
    fn find(
        &mut self,
        connection: &Connection,
        uprn: Uprn,
        find: impl FnOnce() -> Result<Located>,
    ) -> Result<Located> {
        let prepared = connection.prepare_cached(DATA_VERSION);
        let mut statement = prepared.map_err(|error| failed(&error))?;
        let mut rows = statement.raw_query();
        let Some(row) = rows.next().map_err(|error| failed(&error))? else {
            return find();
        };
        let version = row.get(0).map_err(|error| failed(&error))?;
        if let Some((then, known)) = self.found.get(&uprn)
            && *then == version
        {
            return Ok(known.clone());
        }
        // As long as `rows` is not ended, all that is read is of one state of the store.
        let located = find()?;
        if self.found.len() >= KEPT_MAX {
            self.found.clear();
        }
        self.found.insert(uprn, (version, located.clone()));
        Ok(located)
    }
}
