//! Branches: offices of a participant that hold listings.

use chain::ids::BranchId;

use crate::row::Row;
use crate::{Read, Result, Write, chains};

/// A branch as the store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its id in document 2.
    pub id: BranchId,
    /// The reference by which imports name it.
    pub reference: String,
    /// The name shown as selling agent.
    pub name: String,
    /// The participant it belongs to.
    pub participant_id: i64,
}

/// A branch with the name of the organisation that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchWithParticipant {
    /// Its id in document 2.
    pub id: BranchId,
    /// The reference by which imports name it.
    pub reference: String,
    /// The name shown as selling agent.
    pub name: String,
    /// What the organisation is called.
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

/// Whether a branch of this id exists.
pub fn branch_exists(read: &mut Read<'_>, branch: BranchId) -> Result<bool> {
    let found = read.query_one(
        "select 1 from branch where id = $1",
        &[branch.into()],
        |_row| Ok(()),
    )?;
    Ok(found.is_some())
}

/// The branches with the most listings, the fullest first.
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

/// The number of branches whose name contains this text in capitals or not, and
/// one page of them, by name and then by id. An empty text is in every name.
pub fn list_branches_by_name(
    read: &mut Read<'_>,
    text: &str,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<BranchWithParticipant>)> {
    let pattern = contains_pattern(&name_key(text));
    let total = read.query_exactly_one(
        "select count(*) from branch where name_key like $1 escape '!'",
        &[(&pattern).into()],
        |row| row.integer(0),
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

/// Adds a branch.
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

/// Changes what a branch is called and whose it is. Chains that show the name
/// get a new version.
pub fn update_branch(write: &mut Write<'_>, branch: &Branch) -> Result<()> {
    write.execute(
        "update branch set name = $1, name_key = $2, participant_id = $3 where id = $4",
        &[
            (&branch.name).into(),
            (&name_key(&branch.name)).into(),
            branch.participant_id.into(),
            branch.id.into(),
        ],
    )?;
    chains::raise_versions_of_branch(write, branch.id)
}

/// The form in which names are compared and ordered, the same on both engines.
fn name_key(name: &str) -> String {
    name.to_lowercase()
}

/// A pattern for everything that contains this text, of which no character has
/// a meaning of its own.
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

fn read_branch(row: &Row<'_>) -> Result<Branch> {
    Ok(Branch {
        id: BranchId(row.integer(0)?),
        reference: row.text(1)?,
        name: row.text(2)?,
        participant_id: row.integer(3)?,
    })
}
