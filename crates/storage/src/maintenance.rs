//! Keeps the statistics of the store up to date, and shows whether it can be used.

use uuid::Uuid;

use crate::{Read, Result, StorageError, Write, assertion, migrations};

/// Refreshes the statistics that the query planner uses. Worth it after an import.
pub fn refresh_statistics(write: &mut Write<'_>) -> Result<()> {
    write.execute("analyze", &[])?;
    Ok(())
}

/// Writes and removes a row, as a request for a token writes one. Fails if requests would fail.
pub fn probe(write: &mut Write<'_>) -> Result<()> {
    let probe = Uuid::new_v4().to_string();
    if !assertion::insert_used_assertion(write, &probe, &probe, 0)? {
        return Err(StorageError::Unavailable(
            "a row is not stored, and nothing says why".to_owned(),
        ));
    }
    write.execute(
        "delete from used_assertion where client_id = $1",
        &[(&probe).into()],
    )?;
    let known = migrations::SCHEMA_VERSION;
    if write.query_integer(migrations::COUNT_FENCES, &[known.into()])? > 0 {
        return Err(StorageError::Fenced);
    }
    if let Some(table) = write.find_forbidden_table()? {
        let text = format!("the role may not read or write the table {table}");
        return Err(StorageError::Unavailable(text));
    }
    Ok(())
}

/// Reads the whole store and lists damage: pages and rows that the engine finds wrong, and rows that
/// contradict each other.
pub fn find_damage(read: &mut Read<'_>) -> Result<Vec<String>> {
    let mut damage = read.list_damage()?;
    for (contradiction, sql) in CONTRADICTIONS {
        let count = read.query_integer(sql, &[])?;
        if count > 0 {
            damage.push(format!("{count} {contradiction}"));
        }
    }
    Ok(damage)
}

/// Says how the schema of an SQLite store differs from the one that the migrations make.
pub(crate) fn list_schema_differences(read: &mut Read<'_>) -> Result<Vec<String>> {
    read.list_schema_differences()
}

/// Contradictions, and statements that count them.
const CONTRADICTIONS: [(&str, &str); 4] = [
    (
        "milestones belong to no listing",
        "select count(*) from milestone m where not exists \
         (select 1 from listing l where l.id = m.listing_id)",
    ),
    (
        "properties have a current listing that is deleted or belongs to another property",
        "select count(*) from property p left join listing l on l.id = p.current_listing_id \
         where p.current_listing_id is not null \
         and (l.id is null or l.property_id <> p.id or l.deleted_at is not null)",
    ),
    (
        "properties have listings and none is current",
        "select count(*) from property p where p.current_listing_id is null and exists \
         (select 1 from listing l where l.property_id = p.id and l.deleted_at is null)",
    ),
    (
        "links join listings that are deleted or in different chains",
        "select count(*) from link k left join listing s on s.id = k.seller_listing_id \
         left join listing b on b.id = k.buyer_listing_id where s.id is null or b.id is null \
         or s.deleted_at is not null or b.deleted_at is not null or s.chain_id <> b.chain_id",
    ),
];
