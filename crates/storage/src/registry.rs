//! The revisions under which nodes cache the registry and the directory.

use crate::{Read, Result, Write};

/// The registry's revision. A node's cached entries stay true until it changes.
pub fn find_revision(read: &mut Read<'_>) -> Result<i64> {
    // This statement runs with every call, so it has no parameter.
    read.query_integer("select value from revision where name = 'registry'", &[])
}

/// The revision of clients and keys alone, without revoked tokens.
pub fn find_registered_revision(read: &mut Read<'_>) -> Result<i64> {
    find(read, "registered")
}

/// The directory's revision.
pub fn find_directory_revision(read: &mut Read<'_>) -> Result<i64> {
    find(read, "directory")
}

/// Every change of a client, its branches or a key calls this.
pub(crate) fn raise_revision(write: &mut Write<'_>) -> Result<()> {
    raise(write, "registry")?;
    raise(write, "registered")
}

/// Every revocation of a token calls this. Returns the new revision.
pub(crate) fn raise_revision_for_token(write: &mut Write<'_>) -> Result<i64> {
    raise(write, "registry")?;
    find_revision(write)
}

/// Every change of a participant calls this.
pub(crate) fn raise_directory_revision(write: &mut Write<'_>) -> Result<()> {
    raise(write, "directory")
}

fn find(read: &mut Read<'_>, name: &str) -> Result<i64> {
    read.query_integer("select value from revision where name = $1", &[name.into()])
}

fn raise(write: &mut Write<'_>, name: &str) -> Result<()> {
    write.execute(
        "update revision set value = value + 1 where name = $1",
        &[name.into()],
    )?;
    Ok(())
}
