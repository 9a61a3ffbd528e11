//! The full-text index of address tokens.

use super::SqliteSession;
use crate::Result;
use crate::row::{Row, Value};

/// `detail=none` leaves out token positions, which no query needs. This halves the index.
pub(super) const TABLE: &str = "create virtual table address_token using \
     fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii')";

/// A `cross join` makes SQLite look up the tokens first.
const FIND: &str = "select p.id, p.uprn, p.line1, p.line2, p.line3, p.line4, \
     p.post_town, p.postcode, p.display_address, p.verified from address_token t cross join property p \
     where t.address_token match $1 and p.id = t.rowid order by t.rowid limit $2";

const INSERT: &str = "insert into address_token (rowid, tokens) values ($1, $2)";

impl SqliteSession<'_> {
    /// Visits the properties that have a token of each group, in the order of their ids.
    pub(crate) fn each_by_tokens(
        &mut self,
        groups: &[&[i32]],
        limit: i64,
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let groups: Vec<_> = groups
            .iter()
            .map(|group| format!("({})", join(group, " OR ")))
            .collect();
        let pattern = groups.join(" AND ");
        let parameters = [Value::Text(&pattern), Value::Integer(limit)];
        self.each(FIND, &parameters, visit)
    }

    pub(crate) fn insert_tokens(&mut self, rows: &[(i64, Vec<i32>)]) -> Result<()> {
        for (id, tokens) in rows {
            self.execute(INSERT, &[(*id).into(), Value::Tokens(tokens)])?;
        }
        Ok(())
    }
}

/// The text that the index holds for one property.
pub(super) fn document(tokens: &[i32]) -> String {
    join(tokens, " ")
}

/// Each token becomes a word with a small first letter, so that none reads as an operator.
fn join(tokens: &[i32], separator: &str) -> String {
    let words: Vec<_> = tokens.iter().map(|token| format!("t{token:x}")).collect();
    words.join(separator)
}
