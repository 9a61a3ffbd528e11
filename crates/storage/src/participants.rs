//! Participants: the organisations of the directory.

use crate::row::Row;
use crate::{Read, Result, Write, api_keys, registry, sessions, shares};

/// A query for [`read_participant`], up to its condition.
macro_rules! select_participant {
    () => {
        "select id, organisation_id, name, status, created_at, legal_name, country, \
         company_register, registration_number, address_line1, address_line2, city, postcode, \
         roles, is_operator from participant "
    };
}

/// The status of a participant that takes part.
pub const ACTIVE: &str = "Active";
/// The status of a participant that has withdrawn.
pub const WITHDRAWN: &str = "Withdrawn";

/// A participant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// Its id in the store.
    pub id: i64,
    /// Its id in the directory, a UUID.
    pub organisation_id: String,
    /// Its name for people.
    pub name: String,
    /// [`ACTIVE`] or [`WITHDRAWN`].
    pub status: String,
    /// Unix seconds.
    pub created_at: i64,
    /// Its entry in a company register.
    pub registration: Registration,
    /// Whether it runs this service.
    pub is_operator: bool,
}

/// A participant's entry in a company register. Unknown texts are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registration {
    /// Its name in the register.
    pub legal_name: String,
    /// The register's country, in two letters.
    pub country: String,
    /// The register, such as Companies House.
    pub company_register: String,
    /// Its number in the register.
    pub registration_number: String,
    /// First line of its address.
    pub address_line1: String,
    /// Second line of its address.
    pub address_line2: String,
    /// Town of its address.
    pub city: String,
    /// Postcode of its address.
    pub postcode: String,
    /// Its roles in the directory.
    pub roles: Vec<String>,
}

/// Finds a participant by its name, or inserts one with this `organisation_id`. Returns its id.
pub fn ensure_participant(
    write: &mut Write<'_>,
    name: &str,
    organisation_id: &str,
    now: i64,
) -> Result<i64> {
    let found = write.query_one(
        "select id from participant where name = $1",
        &[name.into()],
        |row| row.integer(0),
    )?;
    if let Some(id) = found {
        return Ok(id);
    }
    registry::raise_directory_revision(write)?;
    write.insert(
        "insert into participant (organisation_id, name, status, created_at) \
         values ($1, $2, 'Active', $3) returning id",
        &[organisation_id.into(), name.into(), now.into()],
    )
}

/// Finds a participant by its name.
pub fn find_participant(read: &mut Read<'_>, name: &str) -> Result<Option<Participant>> {
    read.query_one(
        concat!(select_participant!(), "where name = $1"),
        &[name.into()],
        read_participant,
    )
}

/// All participants, the oldest first.
pub fn list_participants(read: &mut Read<'_>) -> Result<Vec<Participant>> {
    read.query(
        concat!(select_participant!(), "order by created_at, id"),
        &[],
        read_participant,
    )
}

/// The participants of this service's own directory, the oldest first. Members of the framework that have no other
/// part here are in the framework's directory.
pub fn list_own_participants(read: &mut Read<'_>) -> Result<Vec<Participant>> {
    read.query(
        concat!(
            select_participant!(),
            "where is_operator = 1 or not exists (select 1 from client c \
             where c.participant_id = participant.id and c.of_framework = 1) \
             or exists (select 1 from client c \
             where c.participant_id = participant.id and c.of_framework = 0) \
             or exists (select 1 from api_key k \
             where k.participant_id = participant.id and k.client_id is null) \
             order by created_at, id"
        ),
        &[],
        read_participant,
    )
}

/// Changes a participant's entry in the directory. A new operator replaces the old one.
pub fn update_participant(write: &mut Write<'_>, changed: &Participant) -> Result<()> {
    if changed.is_operator {
        write.execute("update participant set is_operator = 0", &[])?;
    }
    let registered = &changed.registration;
    write.execute(
        "update participant set legal_name = $1, country = $2, company_register = $3, \
         registration_number = $4, address_line1 = $5, address_line2 = $6, city = $7, \
         postcode = $8, roles = $9, is_operator = $10 where id = $11",
        &[
            (&registered.legal_name).into(),
            (&registered.country).into(),
            (&registered.company_register).into(),
            (&registered.registration_number).into(),
            (&registered.address_line1).into(),
            (&registered.address_line2).into(),
            (&registered.city).into(),
            (&registered.postcode).into(),
            (&registered.roles.join(" ")).into(),
            changed.is_operator.into(),
            changed.id.into(),
        ],
    )?;
    registry::raise_directory_revision(write)
}

/// Withdraws a participant: its clients cannot call, and its subscriptions receive nothing. Its tokens, API
/// keys, people's sessions and share links end for good.
pub fn withdraw_participant(write: &mut Write<'_>, id: i64, now: i64) -> Result<()> {
    write.execute(
        "update client set token_generation = token_generation + 1 where participant_id = $1",
        &[id.into()],
    )?;
    set_status(write, id, WITHDRAWN)?;
    let keys = write.query(
        "select id from api_key where participant_id = $1 and revoked_at is null",
        &[id.into()],
        |row| row.integer(0),
    )?;
    for key in keys {
        api_keys::revoke_api_key(write, key, now)?;
    }
    sessions::delete_sessions_of_participant(write, id)?;
    shares::revoke_shares_of_participant(write, id, now)
}

/// Makes a withdrawn participant active. Clients that are not disabled can call again. API keys stay
/// revoked.
pub fn restore_participant(write: &mut Write<'_>, id: i64) -> Result<()> {
    set_status(write, id, ACTIVE)
}

fn set_status(write: &mut Write<'_>, id: i64, status: &str) -> Result<()> {
    write.execute(
        "update participant set status = $1 where id = $2",
        &[status.into(), id.into()],
    )?;
    registry::raise_directory_revision(write)?;
    registry::raise_revision(write)
}

fn read_participant(row: &Row<'_>) -> Result<Participant> {
    let roles = row.text(13)?;
    Ok(Participant {
        id: row.integer(0)?,
        organisation_id: row.text(1)?,
        name: row.text(2)?,
        status: row.text(3)?,
        created_at: row.integer(4)?,
        registration: Registration {
            legal_name: row.text(5)?,
            country: row.text(6)?,
            company_register: row.text(7)?,
            registration_number: row.text(8)?,
            address_line1: row.text(9)?,
            address_line2: row.text(10)?,
            city: row.text(11)?,
            postcode: row.text(12)?,
            roles: roles.split_whitespace().map(ToOwned::to_owned).collect(),
        },
        is_operator: row.flag(14)?,
    })
}
