//! Clients: the applications of participants, which call with OAuth.

use chain::ids::BranchId;

use crate::row::Row;
use crate::{Read, Result, Write, api_keys, participants, registry};

/// A query for [`read_client`], up to its condition.
macro_rules! select_client {
    () => {
        "select c.id, p.name, c.name, c.profile, c.jwks, c.assertion_algorithm, \
         c.certificate_bound, c.scopes, c.status, c.created_at, c.jwks_uri, p.status, \
         c.certificate_subject, c.token_generation, c.introspects, c.of_framework, p.organisation_id \
         from client c join participant p on p.id = c.participant_id "
    };
}

/// A registered client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredClient {
    /// Its id, a URL.
    pub id: String,
    /// The name of its participant.
    pub participant: String,
    /// Its name for people.
    pub name: String,
    /// `sector` or `fapi2` (S-21).
    pub profile: String,
    /// Its public keys as a JWK set; empty if it has a `jwks_uri`.
    pub jwks: String,
    /// The URL of the keys that it publishes.
    pub jwks_uri: Option<String>,
    /// The only algorithm for its assertions, if it registered one.
    pub assertion_algorithm: Option<String>,
    /// Whether its tokens are bound to a certificate (S-24).
    pub certificate_bound: bool,
    /// The certificates with which it may call, as lines of `AcceptedCertificate` of crate
    /// `signing`. If empty, any certificate is accepted.
    // The column still has the name of its first content.
    pub accepted_certificate: Vec<String>,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// The scopes of the tokens of others that it may introspect, as a resource server (S-75).
    pub introspects: Vec<String>,
    /// Its branches.
    pub branches: Vec<BranchId>,
    /// Whether it may call: it is not disabled, and its participant is not withdrawn.
    pub is_active: bool,
    /// Whether the framework issues its tokens (S-71).
    pub of_framework: bool,
    /// The id of its participant's organisation. Ignored where a client is inserted.
    pub organisation_id: String,
    /// Only tokens of this generation are valid.
    pub token_generation: i64,
    /// Unix seconds.
    pub created_at: i64,
}

/// Finds a client by its id.
pub fn find_client(read: &mut Read<'_>, id: &str) -> Result<Option<StoredClient>> {
    let found = read.query_one(
        concat!(select_client!(), "where c.id = $1"),
        &[id.into()],
        read_client,
    )?;
    let Some(mut client) = found else {
        return Ok(None);
    };
    client.branches = list_branches_of_client(read, id)?;
    Ok(Some(client))
}

/// All clients, in the order of their registration.
pub fn list_clients(read: &mut Read<'_>) -> Result<Vec<StoredClient>> {
    let mut clients = read.query(
        concat!(select_client!(), "order by c.created_at, c.id"),
        &[],
        read_client,
    )?;
    for client in &mut clients {
        client.branches = list_branches_of_client(read, &client.id)?;
    }
    Ok(clients)
}

/// Inserts a client with its branches.
pub fn insert_client(
    write: &mut Write<'_>,
    client: &StoredClient,
    participant_id: i64,
) -> Result<()> {
    write.execute(
        "insert into client (id, participant_id, name, profile, jwks, assertion_algorithm, \
         certificate_bound, scopes, status, created_at, updated_at, jwks_uri, \
         certificate_subject, introspects, of_framework, token_generation) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, \
         'active', $9, $10, $11, $12, $13, $14, (select value from revision where name = 'registry'))",
        &[
            (&client.id).into(),
            participant_id.into(),
            (&client.name).into(),
            (&client.profile).into(),
            (&client.jwks).into(),
            client.assertion_algorithm.as_deref().into(),
            client.certificate_bound.into(),
            (&client.scopes.join(" ")).into(),
            client.created_at.into(),
            client.created_at.into(),
            client.jwks_uri.as_deref().into(),
            (&client.accepted_certificate.join("\n")).into(),
            (&client.introspects.join(" ")).into(),
            client.of_framework.into(),
        ],
    )?;
    for branch in &client.branches {
        write.execute(
            "insert into client_branch (client_id, branch_id) values ($1, $2)",
            &[(&client.id).into(), (*branch).into()],
        )?;
    }
    registry::raise_revision(write)
}

/// Disables a client, ends its tokens for good, and disables the subscriptions that it made with tokens. `false`
/// if there is no such client.
pub fn disable_client(write: &mut Write<'_>, id: &str, now: i64) -> Result<bool> {
    end_tokens(write, id)?;
    api_keys::end_client_account(write, id, now)?;
    set_status(write, id, "disabled", now)
}

/// Enables a client. `false` if there is no such client.
pub fn enable_client(write: &mut Write<'_>, id: &str, now: i64) -> Result<bool> {
    set_status(write, id, "active", now)
}

/// Whether the history names a client as the author of a change. Reads the whole history.
pub fn is_author(read: &mut Read<'_>, id: &str) -> Result<bool> {
    read.exists(
        "select 1 from history where actor = $1 limit 1",
        &[id.into()],
    )
}

/// Removes a client with everything that is kept for it. The caller makes sure that it is disabled and
/// that the history does not name it.
pub fn remove_client(write: &mut Write<'_>, id: &str) -> Result<()> {
    api_keys::remove_client_account(write, id)?;
    for sql in [
        "delete from client_branch where client_id = $1",
        "delete from idempotency where client_id = $1",
        "delete from used where holder = $1 and kind = 3",
        "delete from client where id = $1",
    ] {
        write.execute(sql, &[id.into()])?;
    }
    registry::raise_revision(write)
}

fn set_status(write: &mut Write<'_>, id: &str, status: &str, now: i64) -> Result<bool> {
    let changed = write.execute(
        "update client set status = $1, updated_at = $2 where id = $3",
        &[status.into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)?;
    Ok(changed > 0)
}

/// The caller raises the registry's revision.
fn end_tokens(write: &mut Write<'_>, id: &str) -> Result<()> {
    write.execute(
        "update client set token_generation = token_generation + 1 where id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Replaces a client's keys with a JWK set, or with the URL of one.
pub fn update_keys(
    write: &mut Write<'_>,
    id: &str,
    jwks: &str,
    jwks_uri: Option<&str>,
    now: i64,
) -> Result<()> {
    write.execute(
        "update client set jwks = $1, jwks_uri = $2, updated_at = $3 where id = $4",
        &[jwks.into(), jwks_uri.into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)
}

/// Replaces the certificates with which a client may call, and ends the client's tokens.
pub fn update_accepted_certificate(
    write: &mut Write<'_>,
    id: &str,
    accepted: &[String],
    now: i64,
) -> Result<()> {
    end_tokens(write, id)?;
    write.execute(
        "update client set certificate_subject = $1, updated_at = $2 where id = $3",
        &[(&accepted.join("\n")).into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)
}

/// Replaces the scopes of the tokens that a resource server may introspect.
pub fn update_introspects(
    write: &mut Write<'_>,
    id: &str,
    scopes: &[String],
    now: i64,
) -> Result<()> {
    write.execute(
        "update client set introspects = $1, updated_at = $2 where id = $3",
        &[(&scopes.join(" ")).into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)
}

/// Lets the framework issue a client's tokens from now on, or this service, and ends the tokens that it has (S-71).
pub fn move_client(write: &mut Write<'_>, id: &str, to_framework: bool, now: i64) -> Result<()> {
    end_tokens(write, id)?;
    write.execute(
        "update client set of_framework = $1, updated_at = $2 where id = $3",
        &[to_framework.into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)
}

/// Replaces a client's scopes. Without `transaction-status` its subscriptions stop (S-74). `false` if there is no
/// such client.
pub fn update_scopes(write: &mut Write<'_>, id: &str, scopes: &[String], now: i64) -> Result<bool> {
    if !scopes.iter().any(|scope| scope == "transaction-status") {
        api_keys::end_client_account(write, id, now)?;
    }
    let changed = write.execute(
        "update client set scopes = $1, updated_at = $2 where id = $3",
        &[(&scopes.join(" ")).into(), now.into(), id.into()],
    )?;
    registry::raise_revision(write)?;
    Ok(changed > 0)
}

/// Replaces a client's branches. `false` if there is no such client.
pub fn set_client_branches(
    write: &mut Write<'_>,
    id: &str,
    branches: &[BranchId],
    now: i64,
) -> Result<bool> {
    let changed = write.execute(
        "update client set updated_at = $1 where id = $2",
        &[now.into(), id.into()],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    write.execute(
        "delete from client_branch where client_id = $1",
        &[id.into()],
    )?;
    for branch in branches {
        write.execute(
            "insert into client_branch (client_id, branch_id) values ($1, $2) \
             on conflict (client_id, branch_id) do nothing",
            &[id.into(), (*branch).into()],
        )?;
    }
    registry::raise_revision(write)?;
    Ok(true)
}

fn list_branches_of_client(read: &mut Read<'_>, id: &str) -> Result<Vec<BranchId>> {
    read.query(
        "select branch_id from client_branch where client_id = $1 order by branch_id",
        &[id.into()],
        |row| Ok(BranchId(row.integer(0)?)),
    )
}

fn read_scopes(row: &Row<'_>, column: usize) -> Result<Vec<String>> {
    let names = row.text(column)?;
    Ok(names.split_whitespace().map(ToOwned::to_owned).collect())
}

fn read_client(row: &Row<'_>) -> Result<StoredClient> {
    Ok(StoredClient {
        id: row.text(0)?,
        participant: row.text(1)?,
        name: row.text(2)?,
        profile: row.text(3)?,
        jwks: row.text(4)?,
        assertion_algorithm: row.optional_text(5)?,
        certificate_bound: row.flag(6)?,
        scopes: read_scopes(row, 7)?,
        introspects: read_scopes(row, 14)?,
        branches: Vec::new(),
        is_active: row.str(8)? == "active" && row.str(11)? != participants::WITHDRAWN,
        created_at: row.integer(9)?,
        jwks_uri: row.optional_text(10)?,
        accepted_certificate: row.text(12)?.lines().map(ToOwned::to_owned).collect(),
        token_generation: row.integer(13)?,
        of_framework: row.flag(15)?,
        organisation_id: row.text(16)?,
    })
}
