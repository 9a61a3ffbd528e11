//! API keys for webhook management. The store has only their digests (S-26). Each key is a credential of an
//! account, which is named by its first key (S-92). The account of a client with tokens has no key: its row has
//! an empty digest (S-74).

use crate::row::Row;
use crate::subscription_id::SubscriptionId;
use crate::subscriptions::remove_subscription;
use crate::{Read, Result, Write};

/// A stored API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredApiKey {
    /// Its id, which is the first part of the key.
    pub id: i64,
    /// The id of its account.
    pub account: i64,
    /// The name of its participant.
    pub participant: String,
    /// SHA-256 of the key's secret part, in base64url.
    pub digest: String,
    /// Unix seconds.
    pub created_at: i64,
    /// From when the key is not valid any more, because it was rotated. Unix seconds.
    pub ends_at: Option<i64>,
    /// Unix seconds.
    pub revoked_at: Option<i64>,
}

impl StoredApiKey {
    /// Whether the key is valid at this time, in Unix seconds.
    pub fn is_valid(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.ends_at.is_none_or(|end| now < end)
    }
}

/// A condition: an account has a key that is valid at a time, in Unix seconds.
macro_rules! has_valid_key {
    ($account:literal, $now:literal) => {
        concat!(
            "exists (select 1 from api_key v where (v.id = ",
            $account,
            " or v.account_id = ",
            $account,
            ") and v.revoked_at is null and (v.ends_at is null or v.ends_at > ",
            $now,
            "))"
        )
    };
}
pub(crate) use has_valid_key;

/// A query for [`read_api_key`], up to its condition.
macro_rules! select_api_key {
    () => {
        "select k.id, coalesce(k.account_id, k.id), p.name, k.digest, k.created_at, k.ends_at, \
         k.revoked_at from api_key k join participant p on p.id = k.participant_id "
    };
}

/// The account of a client (S-74).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientAccount {
    /// The name of the client's participant.
    pub participant: String,
    /// The id of the account. `None`: the client has none, or it has ended.
    pub account: Option<i64>,
}

/// Finds the account of a client. `None` if there is no such client.
pub fn find_client_account(read: &mut Read<'_>, client: &str) -> Result<Option<ClientAccount>> {
    read.query_one(
        "select p.name, k.id from client c join participant p on p.id = c.participant_id \
         left join api_key k on k.client_id = c.id and k.revoked_at is null where c.id = $1",
        &[client.into()],
        |row| {
            Ok(ClientAccount {
                participant: row.text(0)?,
                account: row.optional_integer(1)?,
            })
        },
    )
}

/// Makes the account of a client, or opens the ended one again. Its subscriptions stay disabled. Returns its id.
pub fn open_client_account(write: &mut Write<'_>, client: &str, now: i64) -> Result<i64> {
    write.execute(
        "insert into api_key (participant_id, client_id, digest, created_at) \
         select participant_id, id, '', $1 from client where id = $2 \
         on conflict (client_id) do update set revoked_at = null",
        &[now.into(), client.into()],
    )?;
    write.query_integer(
        "select id from api_key where client_id = $1",
        &[client.into()],
    )
}

/// Ends the account of a client, if it has one, and disables its subscriptions.
pub fn end_client_account(write: &mut Write<'_>, client: &str, now: i64) -> Result<()> {
    let account = find_client_account(write, client)?.and_then(|found| found.account);
    if let Some(account) = account {
        revoke_api_key(write, account, now)?;
    }
    Ok(())
}

/// Removes the account of a client with its subscriptions, so that a later client with the same id gets nothing
/// of it. The row stays, because subscriptions that are removed refer to it for a while.
pub fn remove_client_account(write: &mut Write<'_>, client: &str) -> Result<()> {
    let removed = write.query(
        "select s.id from subscription s join api_key k on k.id = s.api_key_id \
         where k.client_id = $1 and s.status <> 'removed'",
        &[client.into()],
        |row| Ok(SubscriptionId(row.integer(0)?)),
    )?;
    for subscription in removed {
        remove_subscription(write, subscription)?;
    }
    write.execute(
        "update api_key set client_id = null where client_id = $1",
        &[client.into()],
    )?;
    Ok(())
}

/// Inserts the first API key of a new account of a participant. Returns its id.
pub fn insert_api_key(
    write: &mut Write<'_>,
    participant_id: i64,
    digest: &str,
    now: i64,
) -> Result<i64> {
    write.insert(
        "insert into api_key (participant_id, digest, created_at) values ($1, $2, $3) \
         returning id",
        &[participant_id.into(), digest.into(), now.into()],
    )
}

/// Inserts one more key of the account of the key `old`, which ends at `ends_at`, in Unix seconds. Returns the
/// id of the new key.
pub fn rotate_api_key(
    write: &mut Write<'_>,
    old: &StoredApiKey,
    digest: &str,
    now: i64,
    ends_at: i64,
) -> Result<i64> {
    write.execute(
        "update api_key set ends_at = $1 where id = $2",
        &[ends_at.into(), old.id.into()],
    )?;
    write.insert(
        "insert into api_key (participant_id, account_id, digest, created_at) \
         select participant_id, $1, $2, $3 from api_key where id = $4 returning id",
        &[old.account.into(), digest.into(), now.into(), old.id.into()],
    )
}

/// Finds an API key, even a revoked one. The row of a client's account is no key.
pub fn find_api_key(read: &mut Read<'_>, id: i64) -> Result<Option<StoredApiKey>> {
    read.query_one(
        concat!(select_api_key!(), "where k.id = $1 and k.digest <> ''"),
        &[id.into()],
        read_api_key,
    )
}

/// The client whose account this row is (S-74). `None`: the row is an API key, or there is none.
pub fn find_client_of_account(read: &mut Read<'_>, id: i64) -> Result<Option<String>> {
    read.query_one(
        "select client_id from api_key where id = $1 and client_id is not null",
        &[id.into()],
        |row| row.text(0),
    )
}

/// All API keys, the oldest first.
pub fn list_api_keys(read: &mut Read<'_>) -> Result<Vec<StoredApiKey>> {
    read.query(
        concat!(select_api_key!(), "where k.digest <> '' order by k.id"),
        &[],
        read_api_key,
    )
}

/// Revokes an API key. This disables the subscriptions that it made, moved or enabled and that no other key has
/// taken over since, even if the account has other keys or the key was revoked before. It disables all of the
/// account once no key of it is valid. Returns their number; `None` if the key was revoked before, or if there
/// is no such key.
///
/// Another key takes over a subscription when it subscribes its URL again or moves it. When it enables it, it
/// does so unless the revoked key chose the URL by a move.
pub fn revoke_api_key(write: &mut Write<'_>, id: i64, now: i64) -> Result<Option<u64>> {
    let changed = write.execute(
        "update api_key set revoked_at = $1 where id = $2 and revoked_at is null",
        &[now.into(), id.into()],
    )?;
    let disabled = write.execute(
        concat!(
            "update subscription set status = 'disabled', disabled_reason = 'key_revoked', \
             disabled_at = $1, updated_at = $2 where status = 'active' \
             and (coalesce(moved_by, enabled_by, made_by, api_key_id) = $3 or enabled_by = $3 \
             or api_key_id = (select coalesce(account_id, id) from api_key where id = $3) and not ",
            has_valid_key!("subscription.api_key_id", "$4"),
            ")"
        ),
        &[now.into(), now.into(), id.into(), now.into()],
    )?;
    Ok((changed > 0).then_some(disabled))
}

fn read_api_key(row: &Row<'_>) -> Result<StoredApiKey> {
    Ok(StoredApiKey {
        id: row.integer(0)?,
        account: row.integer(1)?,
        participant: row.text(2)?,
        digest: row.text(3)?,
        created_at: row.integer(4)?,
        ends_at: row.optional_integer(5)?,
        revoked_at: row.optional_integer(6)?,
    })
}
