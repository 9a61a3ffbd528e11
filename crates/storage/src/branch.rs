//! Branches: the offices of a participant.

use chain::ids::BranchId;

use crate::row::Row;
use crate::{Read, Result, Write, chains, registry};

/// A stored branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its id in document 2.
    pub id: BranchId,
    /// The reference that imports use.
    pub reference: String,
    /// The name shown as selling agent.
    pub name: String,
    /// Its participant.
    pub participant_id: i64,
}

/// A branch with the name of its participant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchWithParticipant {
    /// Its id in document 2.
    pub id: BranchId,
    /// The reference that imports use.
    pub reference: String,
    /// The name shown as selling agent.
    pub name: String,
    /// The name of its participant.
    pub participant: String,
}

/// Finds a branch by the reference that imports use.
pub fn find_branch_by_reference(read: &mut Read<'_>, reference: &str) -> Result<Option<Branch>> {
    read.query_one(
        "select id, reference, name, participant_id from branch where reference = $1",
        &[reference.into()],
        read_branch,
    )
}

/// Finds a branch by its id.
pub fn find_branch(read: &mut Read<'_>, id: BranchId) -> Result<Option<Branch>> {
    read.query_one(
        "select id, reference, name, participant_id from branch where id = $1",
        &[id.into()],
        read_branch,
    )
}

/// Whether a branch with this id exists.
pub fn branch_exists(read: &mut Read<'_>, branch: BranchId) -> Result<bool> {
    read.exists("select 1 from branch where id = $1", &[branch.into()])
}

/// At most `limit` branches, those with most listings first.
pub fn list_fullest_branches(read: &mut Read<'_>, limit: i64) -> Result<Vec<BranchId>> {
    read.query(
        "select b.id from branch b left join listing l on l.branch_id = b.id \
         group by b.id order by count(l.id) desc, b.id limit $1",
        &[limit.into()],
        |row| Ok(BranchId(row.integer(0)?)),
    )
}

/// All branches, by name and then by id.
pub fn list_branches(read: &mut Read<'_>) -> Result<Vec<BranchWithParticipant>> {
    read.query(
        "select b.id, b.reference, b.name, p.name \
         from branch b join participant p on p.id = b.participant_id \
         order by b.name_key, b.id",
        &[],
        read_branch_with_participant,
    )
}

/// The number of branches with this text in their name, and one page of them, by name and then by
/// id. Capitals make no difference, and every name contains an empty text.
pub fn list_branches_by_name(
    read: &mut Read<'_>,
    text: &str,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<BranchWithParticipant>)> {
    let pattern = contains_pattern(&name_key(text));
    let total = read.query_integer(
        "select count(*) from branch where name_key like $1 escape '!'",
        &[(&pattern).into()],
    )?;
    let branches = read.query(
        "select b.id, b.reference, b.name, p.name \
         from branch b join participant p on p.id = b.participant_id \
         where b.name_key like $1 escape '!' order by b.name_key, b.id limit $2 offset $3",
        &[(&pattern).into(), limit.into(), offset.into()],
        read_branch_with_participant,
    )?;
    Ok((total, branches))
}

/// Inserts a branch.
pub fn insert_branch(
    write: &mut Write<'_>,
    participant_id: i64,
    reference: &str,
    name: &str,
) -> Result<BranchId> {
    let id = write.insert(
        "insert into branch (participant_id, reference, name, name_key) \
         values ($1, $2, $3, $4) returning id",
        &[
            participant_id.into(),
            reference.into(),
            name.into(),
            (&name_key(name)).into(),
        ],
    )?;
    Ok(BranchId(id))
}

/// Changes the name and the participant of a branch. Chains that show the name get a new version.
pub fn update_branch(write: &mut Write<'_>, branch: &Branch, now: i64) -> Result<()> {
    chains::begin_changes_of_branch(write, branch.id, now)?;
    write.execute(
        "update branch set name = $1, name_key = $2, participant_id = $3 where id = $4",
        &[
            (&branch.name).into(),
            (&name_key(&branch.name)).into(),
            branch.participant_id.into(),
            branch.id.into(),
        ],
    )?;
    Ok(())
}

/// Removes a branch that never had a listing. `false` if it has or had one.
pub fn remove_branch(write: &mut Write<'_>, id: BranchId) -> Result<bool> {
    let has_listings = "select 1 from listing where branch_id = $1 limit 1";
    if write.exists(has_listings, &[id.into()])? {
        return Ok(false);
    }
    for sql in [
        "delete from client_branch where branch_id = $1",
        "delete from person_branch where branch_id = $1",
        "delete from added where branch_id = $1",
        "delete from branch where id = $1",
    ] {
        write.execute(sql, &[id.into()])?;
    }
    registry::raise_revision(write)?;
    Ok(true)
}

/// Names are compared and ordered in this form, so that both engines agree.
fn name_key(name: &str) -> String {
    name.to_lowercase()
}

/// A `like` pattern for names that contain this text. `!` escapes the characters with a meaning.
fn contains_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for character in text.chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

fn read_branch_with_participant(row: &Row<'_>) -> Result<BranchWithParticipant> {
    Ok(BranchWithParticipant {
        id: BranchId(row.integer(0)?),
        reference: row.text(1)?,
        name: row.text(2)?,
        participant: row.text(3)?,
    })
}

pub(crate) fn read_branch(row: &Row<'_>) -> Result<Branch> {
    Ok(Branch {
        id: BranchId(row.integer(0)?),
        reference: row.text(1)?,
        name: row.text(2)?,
        participant_id: row.integer(3)?,
    })
}
