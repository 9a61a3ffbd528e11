//! Compares the schema of a store with the one that the migrations make.

use std::collections::{BTreeMap, BTreeSet};

use crate::Result;
use crate::row::Row;

/// A part of a schema, such as an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The table that it belongs to. Empty: none.
    table: String,
    /// How it is made.
    text: String,
}

/// The parts of a schema by their kinds and names.
pub(crate) type Definitions = BTreeMap<String, Definition>;

/// Reads a row with the kind and name, the table and the definition of a part. The definition may name the
/// `schema`.
pub(crate) fn read_definition(row: &Row<'_>, schema: &str) -> Result<(String, Definition)> {
    let text = row.text(2)?.replace(&format!("{schema}."), "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let definition = Definition {
        table: row.text(1)?,
        text: words.join(" "),
    };
    Ok((row.text(0)?, definition))
}

/// Says what is missing, what differs, and what more the tables of this program have. A database may have
/// other tables.
pub(crate) fn differences(found: &Definitions, expected: &Definitions) -> Vec<String> {
    let lacking = expected
        .iter()
        .filter_map(|(name, definition)| match found.get(name) {
            None => Some(format!(
                "the store has no {name}, which the migrations make"
            )),
            Some(found) if found != definition => Some(format!(
                "the {name} differs from the one that the migrations make"
            )),
            Some(_) => None,
        });
    let tables: BTreeSet<&str> = expected
        .values()
        .map(|definition| definition.table.as_str())
        .filter(|table| !table.is_empty())
        .collect();
    let more = found.iter().filter(|(name, definition)| {
        !expected.contains_key(*name) && tables.contains(definition.table.as_str())
    });
    let more = more.map(|(name, _)| format!("the store has a {name}, which no migration makes"));
    lacking.chain(more).collect()
}
