//! The log of the properties that each client was shown.

use chain::ids::{PropertyId, Uprn};

use crate::row::{Row, Value};
use crate::{Read, Result, Write};

/// Accesses in one statement.
const BATCH_LENGTH: usize = 8;

/// Inserts accesses. Rows without a time fill up the batch.
const INSERT: &str = "insert into access (accessed_at, client_id, property_id) \
     select v.column1, v.column2, v.column3 from (values \
     (cast($1 as bigint), cast($2 as text), cast($3 as bigint)), ($4, $5, $6), ($7, $8, $9), \
     ($10, $11, $12), ($13, $14, $15), ($16, $17, $18), ($19, $20, $21), ($22, $23, $24)) as v \
     where v.column1 is not null";

/// A client was shown the chain of a property.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// Unix seconds.
    pub accessed_at: i64,
    /// The client.
    pub client: String,
    /// The property that it asked for, or [`NO_PROPERTY`].
    pub property: PropertyId,
}

/// Stands for the property of an answer that showed none.
pub const NO_PROPERTY: PropertyId = PropertyId(0);

/// A stored access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAccess {
    /// Its id; later ones are larger.
    pub id: i64,
    /// The access.
    pub access: Access,
    /// The property's UPRN. `None`: the property is gone, or the answer showed none.
    pub uprn: Option<Uprn>,
}

/// The accesses to list.
#[derive(Debug, Clone)]
pub struct AccessFilter {
    /// After this id.
    pub after: i64,
    /// From this time on, in Unix seconds.
    pub since: i64,
    /// Before this time, in Unix seconds.
    pub until: i64,
    /// Of this client alone; empty: of all.
    pub client: String,
    /// To the property with this UPRN alone; 0: to all.
    pub uprn: i64,
}

/// Stores accesses.
pub fn insert_accesses(write: &mut Write<'_>, accesses: &[Access]) -> Result<()> {
    for batch in accesses.chunks(BATCH_LENGTH) {
        let mut parameters: Vec<Value<'_>> = batch.iter().flat_map(in_row).collect();
        parameters.resize(BATCH_LENGTH * 3, Value::Null);
        write.execute(INSERT, &parameters)?;
    }
    Ok(())
}

fn in_row(access: &Access) -> [Value<'_>; 3] {
    [
        access.accessed_at.into(),
        (&access.client).into(),
        access.property.into(),
    ]
}

/// Lists accesses, the oldest first.
pub fn list_accesses(
    read: &mut Read<'_>,
    filter: &AccessFilter,
    limit: i64,
) -> Result<Vec<StoredAccess>> {
    read.query(
        "select a.id, a.accessed_at, a.client_id, a.property_id, p.uprn from access a \
         left join property p on p.id = a.property_id \
         where a.id > $1 and a.accessed_at >= $2 and a.accessed_at < $3 \
         and ($4 = '' or a.client_id = $4) \
         and (cast($5 as bigint) = 0 or p.uprn = cast($5 as bigint)) order by a.id limit $6",
        &[
            filter.after.into(),
            filter.since.into(),
            filter.until.into(),
            (&filter.client).into(),
            filter.uprn.into(),
            limit.into(),
        ],
        read_access,
    )
}

fn read_access(row: &Row<'_>) -> Result<StoredAccess> {
    Ok(StoredAccess {
        id: row.integer(0)?,
        access: Access {
            accessed_at: row.integer(1)?,
            client: row.text(2)?,
            property: PropertyId(row.integer(3)?),
        },
        uprn: row.optional_integer(4)?.and_then(Uprn::new),
    })
}

/// The chain of a property that a person looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookUp {
    /// Its id; later ones are larger.
    pub id: i64,
    /// Unix seconds.
    pub at: i64,
    /// The person's name.
    pub person: String,
    /// The property's address in one line; empty: the property is gone.
    pub address: String,
    /// The property's UPRN. `None`: the property is gone.
    pub uprn: Option<Uprn>,
}

/// Lists the newest look-ups before an id of all people of a person's participant.
pub fn list_look_ups_of_colleagues(
    read: &mut Read<'_>,
    person: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<LookUp>> {
    read.query(
        "select a.id, a.accessed_at, c.name, p.display_address, p.uprn \
         from person me join person c on c.participant_id = me.participant_id \
         join access a on a.client_id = 'person:' || cast(c.id as text) \
         left join property p on p.id = a.property_id \
         where me.id = $1 and a.id < $2 order by a.id desc limit $3",
        &[person.into(), before.into(), limit.into()],
        |row| {
            Ok(LookUp {
                id: row.integer(0)?,
                at: row.integer(1)?,
                person: row.text(2)?,
                address: row.optional_text(3)?.unwrap_or_default(),
                uprn: row.optional_integer(4)?.and_then(Uprn::new),
            })
        },
    )
}
