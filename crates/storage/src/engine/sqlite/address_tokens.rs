//! The tokens of addresses in a full-text index.

use super::SqliteSession;
use crate::Result;
use crate::row::{Row, Value};

/// Without the positions, which nobody asks for, the index is half the size.
pub(super) const TABLE: &str = "create virtual table address_token using \
     fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii')";

/// A `cross join`, because the tokens must be looked up first.
const FIND: &str = "select p.id, p.uprn, p.line1, p.line2, p.line3, p.line4, \
     p.post_town, p.postcode, p.display_address from address_token t cross join property p \
     where t.address_token match $1 and p.id = t.rowid order by t.rowid limit $2";

impl SqliteSession<'_> {
    /// Visits the properties that have a token of each group, the lowest ids
    /// first.
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
}

/// What the index keeps for one property.
pub(super) fn document(tokens: &[i32]) -> String {
    join(tokens, " ")
}

/// Each token is a word that begins with a small letter, so that none is an
/// operator.
fn join(tokens: &[i32], between: &str) -> String {
    let words: Vec<_> = tokens.iter().map(|token| format!("t{token:x}")).collect();
    words.join(between)
}
