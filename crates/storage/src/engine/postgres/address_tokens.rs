//! The GIN index of address tokens.

use super::PostgresSession;
use crate::engine::{EachRow, each_row};
use crate::row::{Row, Value};
use crate::{Result, StorageError};

/// `fastupdate` is off, because each search would read its list of pending entries.
pub(super) const TABLE: &str = "create table address_token (rowid bigint primary key, \
     tokens integer[] not null); \
     create index address_token_tokens on address_token \
     using gin (tokens) with (fastupdate = off)";

/// `materialized` keeps the planner from walking all properties in the order of their ids.
macro_rules! find {
    ($condition:literal, $limit:literal) => {
        concat!(
            "with fitting as materialized (select rowid from address_token where ",
            $condition,
            ") select p.id, p.uprn, p.line1, p.line2, p.line3, p.line4, p.post_town, \
             p.postcode, p.display_address, p.verified \
             from (select rowid from fitting order by rowid limit ",
            $limit,
            ") f join property p on p.id = f.rowid order by p.id"
        )
    };
}

/// One statement for each number of groups.
const FIND: [&str; 8] = [
    find!("tokens && $1", "$2"),
    find!("tokens && $1 and tokens && $2", "$3"),
    find!("tokens && $1 and tokens && $2 and tokens && $3", "$4"),
    find!(
        "tokens && $1 and tokens && $2 and tokens && $3 and tokens && $4",
        "$5"
    ),
    find!(
        "tokens && $1 and tokens && $2 and tokens && $3 and tokens && $4 and tokens && $5",
        "$6"
    ),
    find!(
        "tokens && $1 and tokens && $2 and tokens && $3 and tokens && $4 and tokens && $5 and tokens && $6",
        "$7"
    ),
    find!(
        "tokens && $1 and tokens && $2 and tokens && $3 and tokens && $4 and tokens && $5 and tokens && $6 and tokens && $7",
        "$8"
    ),
    find!(
        "tokens && $1 and tokens && $2 and tokens && $3 and tokens && $4 and tokens && $5 and tokens && $6 and tokens && $7 and tokens && $8",
        "$9"
    ),
];

/// No type of parameter holds a list of lists.
const INSERT: EachRow = each_row!(
    "insert into address_token (rowid, tokens) \
     select given.id, cast(given.tokens as integer[]) from ",
    ["$1" id bigint, "$2" tokens text],
    ""
);

impl PostgresSession {
    /// Visits the properties that have a token of each group, in the order of their ids.
    pub(crate) fn each_by_tokens(
        &mut self,
        groups: &[&[i32]],
        limit: i64,
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let statement = groups.len().checked_sub(1).and_then(|last| FIND.get(last));
        let statement = statement.ok_or_else(|| {
            StorageError::Corrupt(format!("{} groups of address tokens", groups.len()))
        })?;
        let mut parameters: Vec<_> = groups.iter().map(|group| Value::Tokens(group)).collect();
        parameters.push(Value::Integer(limit));
        self.each(statement, &parameters, visit)
    }

    pub(crate) fn insert_tokens(&mut self, rows: &[(i64, Vec<i32>)]) -> Result<()> {
        let texts: Vec<_> = rows.iter().map(|(_id, tokens)| literal(tokens)).collect();
        let cells = rows.iter().zip(&texts);
        let cells: Vec<_> = cells
            .flat_map(|((id, _tokens), text)| [(*id).into(), text.into()])
            .collect();
        self.execute_each(INSERT, &cells, 2)
    }
}

/// The text of an array.
fn literal(tokens: &[i32]) -> String {
    let words: Vec<_> = tokens.iter().map(ToString::to_string).collect();
    format!("{{{}}}", words.join(","))
}
