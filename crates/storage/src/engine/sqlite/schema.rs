//! Creates and upgrades the schema.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::storage_error;
use super::{DIALECT, SqliteSession};
use crate::definitions::{Definitions, differences, read_definition};
use crate::{Opening, Result, migrations};

/// Runs the migrations that the store still needs, if `opening` allows it.
pub(super) fn migrate(connection: &mut Connection, path: &Path, opening: Opening) -> Result<()> {
    let target = path.display().to_string();
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(storage_error)?;
    let found = find_version(&transaction, &target)?;
    if found == 0 && has_tables(&transaction)? {
        return Err(migrations::foreign(&target));
    }
    for statements in migrations::allowed(&target, found, opening)? {
        transaction
            .execute_batch(&DIALECT.translate(statements))
            .map_err(storage_error)?;
    }
    transaction.commit().map_err(storage_error)
}

/// Names of SQLite's own tables and indexes begin with `sqlite_`.
const DEFINITIONS: &str = "select type || ' ' || name, tbl_name, sql from sqlite_schema \
     where name not like 'sqlite\\_%' escape '\\'";

impl SqliteSession<'_> {
    /// Compares the schema with that of a store made anew in memory.
    pub(crate) fn list_schema_differences(&mut self) -> Result<Vec<String>> {
        let mut version = 0;
        self.each(migrations::READ_VERSION, &[], |row| {
            version = row.integer(0)?;
            Ok(())
        })?;
        if version != migrations::SCHEMA_VERSION {
            return Ok(Vec::new());
        }
        let made = Connection::open_in_memory().map_err(storage_error)?;
        for statements in migrations::outstanding("a store in memory", 0)? {
            let made = made.execute_batch(&DIALECT.translate(statements));
            made.map_err(storage_error)?;
        }
        let expected = SqliteSession::new(&made).definitions()?;
        Ok(differences(&self.definitions()?, &expected))
    }

    fn definitions(&mut self) -> Result<Definitions> {
        let mut found = Definitions::new();
        self.each(DEFINITIONS, &[], |row| {
            let (name, definition) = read_definition(row, "main")?;
            found.insert(name, definition);
            Ok(())
        })?;
        Ok(found)
    }
}

/// Whether the file holds tables, which another program made if they have no version.
fn has_tables(transaction: &Transaction<'_>) -> Result<bool> {
    let sql = "select count(*) > 0 from sqlite_schema";
    let found = transaction.query_row(sql, [], |row| row.get(0));
    found.map_err(storage_error)
}

/// The schema version of the store; 0 if it has no tables, and the version of this program if it may use
/// a newer store.
fn find_version(transaction: &Transaction<'_>, target: &str) -> Result<i64> {
    // `table_exists` would use the schema that this connection read before it waited for another
    // connection that created the tables.
    let sql = "select count(*) > 0 from sqlite_schema where name = 'schema_version'";
    let exists: bool = transaction
        .query_row(sql, [], |row| row.get(0))
        .map_err(storage_error)?;
    if !exists {
        return Ok(0);
    }
    let read = |row: &rusqlite::Row<'_>| Ok(row.get(0));
    let version = transaction.query_row(migrations::READ_VERSION, [], read);
    let version = version.map_err(storage_error)?;
    let version: i64 = version.map_err(|_null_or_no_number| migrations::foreign(target))?;
    let known = migrations::SCHEMA_VERSION;
    if version <= known {
        return Ok(version);
    }
    let fences = transaction.query_row(migrations::COUNT_FENCES, [known], |row| row.get(0));
    let fences: i64 = fences.map_err(storage_error)?;
    Ok(if fences == 0 { known } else { version })
}
