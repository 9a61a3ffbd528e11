//! The nodes that use the store, and the key-encryption keys that each of them has.
//!
//! The rows are among the counters: `node:`, the name of the node, `:` and the fingerprint of a key, with
//! the time at which the node said so.

use std::collections::BTreeMap;

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
        let name = format!("node:{node}:{fingerprint}");
        write.execute(
            "insert into counter (name, value) values ($1, $2) \
             on conflict (name) do update set value = excluded.value",
            &[(&name).into(), now.into()],
        )?;
    }
    write.execute(
        "delete from counter where name like 'node:%' and value < $1",
        &[(now - KEPT_SECONDS).into()],
    )?;
    Ok(())
}

/// Forgets a node that stops.
pub fn forget(write: &mut Write<'_>, node: &str) -> Result<()> {
    let names = format!("node:{node}:%");
    write.execute("delete from counter where name like $1", &[(&names).into()])?;
    Ok(())
}

/// The nodes that ran at this Unix time or later, and lack the key with this fingerprint.
pub fn list_lacking(read: &mut Read<'_>, fingerprint: &str, since: i64) -> Result<Vec<String>> {
    let names = read.query(
        "select name from counter where name like 'node:%' and value >= $1",
        &[since.into()],
        |row| row.text(0),
    )?;
    let mut nodes = BTreeMap::<String, bool>::new();
    for name in &names {
        let mut parts = name.split(':').skip(1);
        if let (Some(node), Some(found)) = (parts.next(), parts.next()) {
            *nodes.entry(node.to_owned()).or_default() |= found == fingerprint;
        }
    }
    let lacking = nodes.into_iter().filter(|(_node, has_it)| !has_it);
    Ok(lacking.map(|(node, _has_it)| node).collect())
}
