//! The nodes that use the store, and the key-encryption keys that each of them has.

use crate::{Read, Result, Write};

/// How long a row without a new announcement stays, in seconds.
const KEPT_SECONDS: i64 = 3600;

/// Notes that a node runs at this Unix time, and has the keys with these fingerprints.
pub fn announce(
    write: &mut Write<'_>,
    node: &str,
    fingerprints: &[String],
    now: i64,
) -> Result<()> {
    for fingerprint in fingerprints {
        write.execute(
            "insert into node_key (node, fingerprint, announced_at) values ($1, $2, $3) \
             on conflict (node, fingerprint) do update set announced_at = excluded.announced_at",
            &[node.into(), fingerprint.into(), now.into()],
        )?;
    }
    write.execute(
        "delete from node_key where announced_at < $1",
        &[(now - KEPT_SECONDS).into()],
    )?;
    Ok(())
}

/// Forgets a node that stops.
pub fn forget(write: &mut Write<'_>, node: &str) -> Result<()> {
    write.execute("delete from node_key where node = $1", &[node.into()])?;
    Ok(())
}

/// How many nodes ran at this Unix time or later.
pub fn count_running(read: &mut Read<'_>, since: i64) -> Result<i64> {
    read.query_exactly_one(
        "select count(distinct node) from node_key where announced_at >= $1",
        &[since.into()],
        |row| row.integer(0),
    )
}

/// How many nodes ran at this Unix time or later, and lack the key with this fingerprint.
pub fn count_lacking(read: &mut Read<'_>, fingerprint: &str, since: i64) -> Result<i64> {
    read.query_exactly_one(
        "select count(distinct n.node) from node_key n where n.announced_at >= $1 and not exists \
         (select 1 from node_key k where k.node = n.node and k.fingerprint = $2)",
        &[since.into(), fingerprint.into()],
        |row| row.integer(0),
    )
}
