//! What an audit reads: every log, every sealed version and every logged change of a key.

use chain::ids::ChainId;

use super::waiting::{WaitingKey, WaitingState, key_columns, read_change, read_state};
use super::{StoredLog, log_columns, read_log};
use crate::engine::{EachRow, each_row};
use crate::sealing::{self, Seal, SealedVersion};
use crate::{Read, Result, StorageError};

/// A sealed version, and its place in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedState {
    /// The version.
    pub state: WaitingState,
    /// The number of the log and the index. Log 0 is none. `None`: the version waits for the log.
    pub place: Option<(i64, i64)>,
}

/// The present version of a chain, sealed once more, and what was sealed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The version as it is sealed now.
    pub version: SealedVersion,
    /// The form and the digest that the store keeps. `None`: the version waits for the sealer.
    pub kept: Option<(i64, Vec<u8>)>,
}

/// A page of chains that were sealed once more.
#[derive(Debug, Default)]
pub struct RenderedPage {
    /// The chains.
    pub chains: Vec<Rendered>,
    /// The last chain of the page, to go on after. `None`: the page is empty.
    pub last: Option<ChainId>,
    /// The last chain of the page that cannot be rendered.
    pub damage: Option<StorageError>,
}

const KEPT: EachRow = each_row!(
    "select s.chain_id, s.version, s.form, s.digest from ",
    ["$1" which text, "$2" number bigint],
    " join sealed s on s.chain_id = given.which and s.version = given.number"
);

/// Sentences about chains, and the statements that find these chains.
const MISSING: [(&str, &str); 3] = [
    (
        "a version between its first and its last one is not sealed",
        "select chain_id from sealed group by chain_id \
         having count(*) <> max(version) - min(version) + 1 limit $1",
    ),
    (
        "its present version is neither sealed nor waits for the sealer",
        "select c.id from chain c left join sealed s on s.chain_id = c.id and s.version = c.version \
         left join unsealed u on u.chain_id = c.id where s.chain_id is null and u.chain_id is null limit $1",
    ),
    (
        "a later version than its present one is sealed",
        "select c.id from chain c join sealed s on s.chain_id = c.id and s.version > c.version limit $1",
    ),
];

/// All logs, the oldest first.
pub fn list_logs(read: &mut Read<'_>) -> Result<Vec<StoredLog>> {
    read.query(
        concat!("select ", log_columns!(), " from state_log order by number"),
        &[],
        read_log,
    )
}

/// How many logged versions were removed after their retention (S-63), by the numbers of the logs.
pub fn list_gone(read: &mut Read<'_>) -> Result<Vec<(i64, u64)>> {
    read.query(
        "select number, value from state_log join counter on name = 'states_gone_' || number",
        &[],
        |row| Ok((row.integer(0)?, row.integer(1)?.unsigned_abs())),
    )
}

/// At most `limit` sealed versions after a chain and version, in this order, that were recorded at `since` or
/// later.
pub fn read_audited(
    read: &mut Read<'_>,
    after: &(String, i64),
    since: i64,
    limit: i64,
) -> Result<Vec<AuditedState>> {
    let (chain, version) = after;
    read.query(
        "select chain_id, version, recorded_at, form, digest, document, listings, erased, log_number, \
         log_index from sealed where (chain_id, version) > ($1, $2) and recorded_at >= $3 \
         order by chain_id, version limit $4",
        &[chain.into(), (*version).into(), since.into(), limit.into()],
        |row| {
            let place = row.optional_integer(8)?.zip(row.optional_integer(9)?);
            let state = read_state(row)?;
            Ok(AuditedState { state, place })
        },
    )
}

/// All changes of keys that are in a log, with the number of the log and the index.
pub fn list_logged_keys(read: &mut Read<'_>) -> Result<Vec<(WaitingKey, i64, i64)>> {
    read.query(
        concat!(
            "select ",
            key_columns!(),
            ", c.log_number, c.log_index from key_change c join signing_key s on s.kid = c.kid \
             where c.log_number > 0 order by c.id"
        ),
        &[],
        |row| Ok((read_change(row)?, row.integer(10)?, row.integer(11)?)),
    )
}

/// Chains whose versions have a gap: a sentence and the chain's id, at most `limit` of each kind.
pub fn list_gaps(read: &mut Read<'_>, limit: i64) -> Result<Vec<(&'static str, String)>> {
    let mut gaps = Vec::new();
    for (sentence, sql) in MISSING {
        let chains = read.query(sql, &[limit.into()], |row| row.text(0))?;
        gaps.extend(chains.into_iter().map(|chain| (sentence, chain)));
    }
    Ok(gaps)
}

/// Seals the present versions of at most `limit` chains after one once more, and compares nothing.
pub fn render_again(
    read: &mut Read<'_>,
    seal: Seal,
    after: Option<ChainId>,
    limit: i64,
) -> Result<RenderedPage> {
    let after = after.map(|chain| chain.to_string()).unwrap_or_default();
    let chains: Vec<ChainId> = read.query(
        "select id from chain where id > $1 order by id limit $2",
        &[(&after).into(), limit.into()],
        |row| row.parsed(0),
    )?;
    let (versions, damage) = sealing::render_present(read, seal, &chains)?;
    let keys: Vec<_> = versions.iter().map(|one| one.chain.to_string()).collect();
    let rows = keys.iter().zip(&versions);
    let rows: Vec<_> = rows
        .map(|(key, one)| [key.into(), one.version.into()])
        .collect();
    let kept = read.query_each(KEPT, &rows, |row| {
        Ok((row.text(0)?, (row.integer(2)?, row.bytes(3)?)))
    })?;
    let mut kept: std::collections::HashMap<_, _> = kept.into_iter().collect();
    let rendered = keys.iter().zip(versions);
    Ok(RenderedPage {
        chains: rendered
            .map(|(key, version)| Rendered {
                version,
                kept: kept.remove(key),
            })
            .collect(),
        last: chains.last().copied(),
        damage,
    })
}
