//! People who use the console, their invitations and their accounts at OpenID providers.

use chain::ids::BranchId;

use crate::participants::ACTIVE;
use crate::row::Row;
use crate::{Read, Result, Write};

/// The beginning of the actor of a person: the person's id follows.
pub const PERSON_ACTOR: &str = "person:";

/// A query for [`read_person`], up to its condition.
macro_rules! select_person {
    () => {
        "select p.id, p.name, o.name, p.role, p.created_at, p.disabled_at, o.status \
         from person p join participant o on o.id = p.participant_id "
    };
}

/// A person to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewPerson<'a> {
    /// The person's participant.
    pub participant_id: i64,
    /// The person's name.
    pub name: &'a str,
    /// The word of the role.
    pub role: &'a str,
    /// The branches that the person works for.
    pub branches: &'a [BranchId],
}

/// A stored person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPerson {
    /// The person's id.
    pub id: i64,
    /// The person's name.
    pub name: String,
    /// The name of the person's participant.
    pub participant: String,
    /// The word of the role.
    pub role: String,
    /// The branches that the person works for, by id.
    pub branches: Vec<BranchId>,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds; `None` while the person may sign in.
    pub disabled_at: Option<i64>,
    /// Whether the participant takes part. Nobody of a withdrawn participant may sign in.
    pub has_participant: bool,
}

/// An account at an OpenID provider.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The claim `iss`.
    pub issuer: &'a str,
    /// The claim `sub`.
    pub subject: &'a str,
}

/// A stored invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    /// The invited person.
    pub person: i64,
    /// Unix seconds.
    pub expires_at: i64,
    /// Unix seconds; `None` until somebody has used it.
    pub used_at: Option<i64>,
}

/// Inserts a person with the branches. Returns the person's id.
pub fn insert_person(write: &mut Write<'_>, person: &NewPerson<'_>, now: i64) -> Result<i64> {
    let id = write.insert(
        "insert into person (participant_id, name, role, created_at) values ($1, $2, $3, $4) \
         returning id",
        &[
            person.participant_id.into(),
            person.name.into(),
            person.role.into(),
            now.into(),
        ],
    )?;
    for branch in person.branches {
        write.execute(
            "insert into person_branch (person_id, branch_id) values ($1, $2)",
            &[id.into(), (*branch).into()],
        )?;
    }
    Ok(id)
}

/// Finds a person, even one who was disabled.
pub fn find_person(read: &mut Read<'_>, id: i64) -> Result<Option<StoredPerson>> {
    let sql = concat!(select_person!(), "where p.id = $1");
    let found = read.query_one(sql, &[id.into()], read_person)?;
    let Some(mut person) = found else {
        return Ok(None);
    };
    person.branches = list_branches(read, id)?;
    Ok(Some(person))
}

/// All people, by id.
pub fn list_people(read: &mut Read<'_>) -> Result<Vec<StoredPerson>> {
    let sql = concat!(select_person!(), "order by p.id");
    let mut people = read.query(sql, &[], read_person)?;
    for person in &mut people {
        person.branches = list_branches(read, person.id)?;
    }
    Ok(people)
}

/// Disables a person, and ends the person's sessions, invitations and share links. `false` if there is
/// no such person, or if the person was disabled before.
pub fn disable_person(write: &mut Write<'_>, id: i64, now: i64) -> Result<bool> {
    let changed = write.execute(
        "update person set disabled_at = $1 where id = $2 and disabled_at is null",
        &[now.into(), id.into()],
    )?;
    write.execute(
        "delete from console_session where person_id = $1",
        &[id.into()],
    )?;
    write.execute("delete from invitation where person_id = $1", &[id.into()])?;
    write.execute(
        "update share set revoked_at = $1 where person_id = $2 and revoked_at is null",
        &[now.into(), id.into()],
    )?;
    Ok(changed > 0)
}

/// Takes an account from the person who has it, who may not sign in any more.
pub fn free_identity(write: &mut Write<'_>, identity: &Identity<'_>) -> Result<()> {
    write.execute(
        "delete from person_identity where issuer = $1 and subject = $2",
        &[identity.issuer.into(), identity.subject.into()],
    )?;
    Ok(())
}

/// Stores the digest of a new invitation. Older invitations of the person end.
pub fn insert_invitation(
    write: &mut Write<'_>,
    digest: &str,
    person: i64,
    [now, expires_at]: [i64; 2],
) -> Result<()> {
    write.execute(
        "delete from invitation where person_id = $1",
        &[person.into()],
    )?;
    write.execute(
        "insert into invitation (digest, person_id, created_at, expires_at) \
         values ($1, $2, $3, $4)",
        &[digest.into(), person.into(), now.into(), expires_at.into()],
    )?;
    Ok(())
}

/// Finds an invitation by its digest, even one that was used or has expired.
pub fn find_invitation(read: &mut Read<'_>, digest: &str) -> Result<Option<Invitation>> {
    read.query_one(
        "select person_id, expires_at, used_at from invitation where digest = $1",
        &[digest.into()],
        |row| {
            Ok(Invitation {
                person: row.integer(0)?,
                expires_at: row.integer(1)?,
                used_at: row.optional_integer(2)?,
            })
        },
    )
}

/// Marks an invitation as used. `false` if somebody has used it.
pub fn use_invitation(write: &mut Write<'_>, digest: &str, now: i64) -> Result<bool> {
    let changed = write.execute(
        "update invitation set used_at = $1 where digest = $2 and used_at is null",
        &[now.into(), digest.into()],
    )?;
    Ok(changed > 0)
}

/// The person whom an account belongs to.
pub fn find_person_of_identity(
    read: &mut Read<'_>,
    identity: &Identity<'_>,
) -> Result<Option<i64>> {
    read.query_one(
        "select person_id from person_identity where issuer = $1 and subject = $2",
        &[identity.issuer.into(), identity.subject.into()],
        |row| row.integer(0),
    )
}

/// Binds an account to a person. Earlier accounts of the person end, and so do the person's sessions.
/// The caller makes sure that the account belongs to nobody.
pub fn bind_identity(
    write: &mut Write<'_>,
    identity: &Identity<'_>,
    person: i64,
    now: i64,
) -> Result<()> {
    write.execute(
        "delete from person_identity where person_id = $1",
        &[person.into()],
    )?;
    write.execute(
        "delete from console_session where person_id = $1",
        &[person.into()],
    )?;
    write.execute(
        "insert into person_identity (issuer, subject, person_id, bound_at) \
         values ($1, $2, $3, $4)",
        &[
            identity.issuer.into(),
            identity.subject.into(),
            person.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

fn list_branches(read: &mut Read<'_>, person: i64) -> Result<Vec<BranchId>> {
    read.query(
        "select branch_id from person_branch where person_id = $1 order by branch_id",
        &[person.into()],
        |row| Ok(BranchId(row.integer(0)?)),
    )
}

fn read_person(row: &Row<'_>) -> Result<StoredPerson> {
    Ok(StoredPerson {
        id: row.integer(0)?,
        name: row.text(1)?,
        participant: row.text(2)?,
        role: row.text(3)?,
        branches: Vec::new(),
        created_at: row.integer(4)?,
        disabled_at: row.optional_integer(5)?,
        has_participant: row.str(6)? == ACTIVE,
    })
}
