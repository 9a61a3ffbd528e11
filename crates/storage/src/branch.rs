//! Branches: offices of a participant that hold listings.

use chain::ids::BranchId;

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

/// Finds a branch by the reference that imports use.
pub fn find_branch_by_reference(read: &mut Read<'_>, reference: &str) -> Result<Option<Branch>> {
    read.query_one(
        "select id, reference, name, participant_id from branch where reference = $1",
        &[reference.into()],
        |row| {
            Ok(Branch {
                id: BranchId(row.integer(0)?),
                reference: row.text(1)?,
                name: row.text(2)?,
                participant_id: row.integer(3)?,
            })
        },
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

/// Adds a branch.
pub fn insert_branch(
    write: &mut Write<'_>,
    participant_id: i64,
    reference: &str,
    name: &str,
) -> Result<BranchId> {
    let id = write.insert(
        "insert into branch (participant_id, reference, name) values ($1, $2, $3) returning id",
        &[participant_id.into(), reference.into(), name.into()],
    )?;
    Ok(BranchId(id))
}

/// Changes what a branch is called and whose it is. Chains that show the name
/// get a new version.
pub fn update_branch(write: &mut Write<'_>, branch: &Branch) -> Result<()> {
    write.execute(
        "update branch set name = $1, participant_id = $2 where id = $3",
        &[
            (&branch.name).into(),
            branch.participant_id.into(),
            branch.id.into(),
        ],
    )?;
    chains::raise_versions_of_branch(write, branch.id)
}
