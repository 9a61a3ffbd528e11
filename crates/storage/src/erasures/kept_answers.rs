//! Kept answers (S-52) that name an erased listing.

use super::Erasure;
use crate::engine::{EachRow, each_row};
use crate::{Read, Result, Write};

/// Client, path and key of a kept answer.
type Key = (String, String, String);

/// The kept answers of a part of the store that name a listing.
#[derive(Debug, Default)]
pub struct AnswerPage {
    /// Their keys.
    pub named: Vec<Key>,
    /// The last key of the part, to go on after. `None`: nothing is left.
    pub last: Option<Key>,
}

const DELETE: EachRow = each_row!(
    "delete from idempotency where (client_id, path, request_key) in \
     (select given.client, given.path, given.request from ",
    ["$1" client text, "$2" path text, "$3" request text],
    ")"
);

/// Looks through at most `limit` kept answers after a key. An answer counts if a number in its path or its body
/// is the listing's id or its UPRN, or if it has the address or the branch's reference. Then it goes, also if it
/// has the number by chance.
pub fn read_answers(
    read: &mut Read<'_>,
    erasure: &Erasure,
    after: &Key,
    limit: i64,
) -> Result<AnswerPage> {
    let sale = Names::find(read, erasure)?;
    let (client, path, key) = after;
    let found = read.query(
        "select client_id, path, request_key, body from idempotency \
         where (client_id, path, request_key) > ($1, $2, $3) \
         order by client_id, path, request_key limit $4",
        &[client.into(), path.into(), key.into(), limit.into()],
        |row| {
            let key = (row.text(0)?, row.text(1)?, row.text(2)?);
            let is_named = sale.are_in(&key.1) || sale.are_in(&row.text(3)?);
            Ok((key, is_named))
        },
    )?;
    let last = found.last().map(|(key, _)| key.clone());
    let named = found.into_iter().filter(|(_, is_named)| *is_named);
    Ok(AnswerPage {
        named: named.map(|(key, _)| key).collect(),
        last,
    })
}

/// Deletes kept answers.
pub fn delete_answers(write: &mut Write<'_>, answers: &[Key]) -> Result<()> {
    let cells: Vec<_> = answers
        .iter()
        .map(|(client, path, key)| [client.into(), path.into(), key.into()])
        .collect();
    write.execute_each(DELETE, &cells)
}

/// What names a sale in a text.
struct Names {
    numbers: Vec<String>,
    texts: Vec<String>,
}

impl Names {
    fn find(read: &mut Read<'_>, erasure: &Erasure) -> Result<Self> {
        let mut names = Self {
            numbers: vec![erasure.listing.to_string()],
            texts: Vec::new(),
        };
        let found = read.query_one(
            "select p.uprn, p.display_address, l.external_id from listing l \
             join property p on p.id = l.property_id where l.id = $1",
            &[erasure.listing.into()],
            |row| Ok((row.integer(0)?, row.text(1)?, row.optional_text(2)?)),
        )?;
        if let Some((uprn, address, reference)) = found {
            names.numbers.push(uprn.to_string());
            names.texts.push(address);
            names
                .texts
                .extend(reference.map(|text| format!("\"{text}\"")));
        }
        Ok(names)
    }

    fn are_in(&self, text: &str) -> bool {
        let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.any(|word| self.numbers.iter().any(|number| number == word))
            || self.texts.iter().any(|name| text.contains(name.as_str()))
    }
}
