//! Finds damage in the file of a store.

use rusqlite::Connection;

use super::SqliteSession;
use crate::Result;

/// Damages that a check of the whole store shows.
const DAMAGE_SHOWN_MAX: usize = 10;

impl SqliteSession<'_> {
    /// Lists the first damaged pages, and rows that refer to missing ones.
    pub(crate) fn list_damage(&mut self) -> Result<Vec<String>> {
        let mut damage = Vec::new();
        let checked = self.each("pragma integrity_check(10)", &[], |row| {
            let found = Some(row.text(0)?).filter(|text| text != "ok");
            damage.extend(found.map(|text| one_line(&text)));
            Ok(())
        });
        // Pages can be so damaged that the check itself ends early.
        damage.extend(checked.err().map(|error| error.to_string()));
        if !damage.is_empty() {
            return Ok(damage);
        }
        self.each("pragma foreign_key_check", &[], |row| {
            let (table, parent) = (row.text(0)?, row.text(2)?);
            if damage.len() >= DAMAGE_SHOWN_MAX {
                return Ok(());
            }
            damage.push(format!(
                "a row of the table {table} refers to a missing row of {parent}"
            ));
            Ok(())
        })?;
        Ok(damage)
    }
}

/// The first damage in a file.
pub(super) fn find_damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found = connection.query_row("pragma integrity_check(1)", [], |row| row.get(0));
    found.map(|found: String| Some(one_line(&found)).filter(|found| found != "ok"))
}

/// SQLite writes a headline above some findings.
fn one_line(found: &str) -> String {
    found.trim().replace('\n', " ")
}
