//! The framework that somebody else runs: its members, and its clients that are blocked (S-71 to S-73).

use std::collections::BTreeMap;

use crate::clients::StoredClient;
use crate::row::Row;
use crate::{Read, Result, Write, registry};

/// The status of a member that takes part.
pub const ACTIVE: &str = "Active";

/// The set of lanes of framework clients whose organisation is an active member, or is not.
macro_rules! lanes_of_members {
    ($exists:literal) => {
        concat!(
            "select s.id from subscription s join api_key k on k.id = s.api_key_id \
             join client c on c.id = k.client_id join participant p on p.id = c.participant_id \
             where c.of_framework = 1 and ",
            $exists,
            " (select 1 from framework_organisation o \
             where o.organisation_id = p.organisation_id and o.status = 'Active')"
        )
    };
}

/// A member of the framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The id of the organisation, a UUID.
    pub organisation_id: String,
    /// Its name.
    pub name: String,
    /// Its status in the framework's directory.
    pub status: String,
}

/// The state of the directory, and the status of one organisation in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// When the last answer was adopted, in Unix seconds; 0: never.
    pub adopted_at: i64,
    /// The organisation's status. `None`: no adopted answer lists it.
    pub status: Option<String>,
}

/// The state of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryState {
    /// The address that the members are from.
    pub source: String,
    /// When a node last began to read it, in Unix seconds.
    pub tried_at: i64,
    /// When an answer was last adopted, in Unix seconds; 0: never.
    pub adopted_at: i64,
    /// Members that the last answer did not list and that stay.
    pub kept_though_missing: i64,
}

/// The changes of an adopted answer.
#[derive(Debug, Clone)]
pub struct AdoptedAnswer {
    /// Organisations that are new or have changed.
    pub changed: Vec<Member>,
    /// The ids of organisations that are no members any more.
    pub gone: Vec<String>,
    /// Members that the answer did not list and that stay.
    pub kept_though_missing: i64,
}

/// The state of an organisation in the directory of this address. An organisation that the operator of this service
/// disabled is no active member.
pub fn find_membership(
    read: &mut Read<'_>,
    source: &str,
    organisation_id: &str,
) -> Result<Membership> {
    let found = read.query_one(
        "select d.adopted_at, case when p.status = 'Withdrawn' then p.status else o.status end \
         from framework_directory d \
         left join framework_organisation o on o.organisation_id = $1 \
         left join participant p on p.organisation_id = $2 where d.source = $3",
        &[
            organisation_id.into(),
            organisation_id.into(),
            source.into(),
        ],
        |row| {
            Ok(Membership {
                adopted_at: row.integer(0)?,
                status: row.optional_text(1)?,
            })
        },
    )?;
    Ok(found.unwrap_or(Membership {
        adopted_at: 0,
        status: None,
    }))
}

/// The state of the directory.
pub fn find_directory(read: &mut Read<'_>) -> Result<Option<DirectoryState>> {
    read.query_one(
        "select source, tried_at, adopted_at, kept_though_missing from framework_directory",
        &[],
        |row| {
            Ok(DirectoryState {
                source: row.text(0)?,
                tried_at: row.integer(1)?,
                adopted_at: row.integer(2)?,
                kept_though_missing: row.integer(3)?,
            })
        },
    )
}

/// Claims the reading of the directory for this node, if it is due: `pause` seconds after the last adopted answer,
/// or `retry` seconds after the last try without one. Members from another address are forgotten.
pub fn begin_reading(
    write: &mut Write<'_>,
    source: &str,
    now: i64,
    (pause, retry): (i64, i64),
) -> Result<bool> {
    let moved = write.execute(
        "update framework_directory set source = $1, tried_at = 0, adopted_at = 0, \
         kept_though_missing = 0 where source <> $2",
        &[source.into(), source.into()],
    )?;
    if moved > 0 {
        write.execute("delete from framework_organisation", &[])?;
        hold_lanes(write)?;
        registry::raise_revision_for_token(write)?;
    }
    let claimed = write.execute(
        "update framework_directory set tried_at = $1 where tried_at > $2 \
         or tried_at <= $3 or (adopted_at < tried_at and tried_at <= $4)",
        &[
            now.into(),
            now.into(),
            (now - pause).into(),
            (now - retry).into(),
        ],
    )?;
    Ok(claimed > 0)
}

/// All members by their ids.
pub fn list_members(read: &mut Read<'_>) -> Result<BTreeMap<String, Member>> {
    let members = read.query(
        "select organisation_id, name, status from framework_organisation",
        &[],
        read_member,
    )?;
    let by_id = members.into_iter();
    Ok(by_id
        .map(|member| (member.organisation_id.clone(), member))
        .collect())
}

/// Adopts an answer that a node began to read at `tried_at`. `false`: another node began to read since, and nothing
/// is changed.
pub fn adopt(write: &mut Write<'_>, answer: &AdoptedAnswer, tried_at: i64) -> Result<bool> {
    let adopted = write.execute(
        "update framework_directory set adopted_at = $1, kept_though_missing = $2 \
         where tried_at = $3",
        &[
            tried_at.into(),
            answer.kept_though_missing.into(),
            tried_at.into(),
        ],
    )?;
    if adopted == 0 {
        return Ok(false);
    }
    for member in &answer.changed {
        write.execute(
            "insert into framework_organisation (organisation_id, name, status) values ($1, $2, $3) \
             on conflict (organisation_id) do update set name = excluded.name, status = excluded.status",
            &[
                (&member.organisation_id).into(),
                (&member.name).into(),
                (&member.status).into(),
            ],
        )?;
    }
    for id in &answer.gone {
        write.execute(
            "delete from framework_organisation where organisation_id = $1",
            &[id.into()],
        )?;
    }
    if !answer.changed.is_empty() || !answer.gone.is_empty() {
        hold_lanes(write)?;
        // Requests under way prove the membership again.
        registry::raise_revision_for_token(write)?;
    }
    Ok(true)
}

/// Lets the events of clients wait whose organisations are no active members, and sends those of the others.
fn hold_lanes(write: &mut Write<'_>) -> Result<()> {
    write.execute(
        concat!(
            "update lane set held = 1 where held = 0 and subscription_id in (",
            lanes_of_members!("not exists"),
            ")"
        ),
        &[],
    )?;
    write.execute(
        concat!(
            "update lane set held = 0 where held = 1 and subscription_id in (",
            lanes_of_members!("exists"),
            ")"
        ),
        &[],
    )?;
    Ok(())
}

/// Blocks a client of the framework that has no row.
pub fn block_client(write: &mut Write<'_>, client: &str, now: i64) -> Result<()> {
    write.execute(
        "insert into framework_block (client_id, blocked_at) values ($1, $2) \
         on conflict (client_id) do nothing",
        &[client.into(), now.into()],
    )?;
    registry::raise_revision_for_token(write)?;
    Ok(())
}

/// Ends the block of a client. `false` if there is none.
pub fn unblock_client(write: &mut Write<'_>, client: &str) -> Result<bool> {
    let ended = write.execute(
        "delete from framework_block where client_id = $1",
        &[client.into()],
    )?;
    registry::raise_revision_for_token(write)?;
    Ok(ended > 0)
}

/// Whether a client is blocked.
pub fn is_blocked(read: &mut Read<'_>, client: &str) -> Result<bool> {
    read.exists(
        "select 1 from framework_block where client_id = $1",
        &[client.into()],
    )
}

/// The blocked clients.
pub fn list_blocked(read: &mut Read<'_>) -> Result<Vec<String>> {
    read.query(
        "select client_id from framework_block order by client_id",
        &[],
        |row| row.text(0),
    )
}

/// Whether the adopted answers list an organisation, with any status.
pub fn is_member(read: &mut Read<'_>, organisation_id: &str) -> Result<bool> {
    read.exists(
        "select 1 from framework_organisation where organisation_id = $1",
        &[organisation_id.into()],
    )
}

/// Makes an organisation of the framework the owner of a client and of its account. The participant of a client that
/// gets its tokens here takes the organisation's id, unless another participant has it.
pub fn give_client(
    write: &mut Write<'_>,
    client: &StoredClient,
    organisation_id: &str,
    now: i64,
) -> Result<()> {
    let is_known = write.exists(
        "select 1 from participant where organisation_id = $1",
        &[organisation_id.into()],
    )?;
    if !is_known && !client.of_framework {
        write.execute(
            "update participant set organisation_id = $1 \
             where id = (select participant_id from client where id = $2)",
            &[organisation_id.into(), (&client.id).into()],
        )?;
        return registry::raise_directory_revision(write);
    }
    let participant = ensure_member(write, organisation_id, now)?;
    for sql in [
        "update client set participant_id = $1 where id = $2",
        "update api_key set participant_id = $1 where client_id = $2",
    ] {
        write.execute(sql, &[participant.into(), (&client.id).into()])?;
    }
    registry::raise_revision(write)
}

/// The participant of a member. It is found by the id of its organisation, never by its name; a name that another
/// participant has gets the id appended. Returns the id of the participant.
pub fn ensure_member(write: &mut Write<'_>, organisation_id: &str, now: i64) -> Result<i64> {
    let found = write.query_one(
        "select id from participant where organisation_id = $1",
        &[organisation_id.into()],
        |row| row.integer(0),
    )?;
    if let Some(id) = found {
        return Ok(id);
    }
    let member = write.query_one(
        "select organisation_id, name, status from framework_organisation where organisation_id = $1",
        &[organisation_id.into()],
        read_member,
    )?;
    let name = member.map(|member| member.name).unwrap_or_default();
    let name = name.trim();
    let is_taken = name.is_empty()
        || write.exists("select 1 from participant where name = $1", &[name.into()])?;
    let name = if is_taken {
        format!("{name} ({organisation_id})")
    } else {
        name.to_owned()
    };
    registry::raise_directory_revision(write)?;
    write.insert(
        "insert into participant (organisation_id, name, status, created_at) \
         values ($1, $2, 'Active', $3) returning id",
        &[organisation_id.into(), name.trim().into(), now.into()],
    )
}

fn read_member(row: &Row<'_>) -> Result<Member> {
    Ok(Member {
        organisation_id: row.text(0)?,
        name: row.text(1)?,
        status: row.text(2)?,
    })
}
