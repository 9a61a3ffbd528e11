//! The framework's directory: which of its answers are adopted, and what they change (S-73).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use signing::canonical;

use crate::limits;
use crate::organisation::read_id;

/// The status of a member that takes part.
pub const ACTIVE: &str = "Active";
/// Characters of a status.
const STATUS_CHARACTERS_MAX: usize = 40;

/// An organisation as the directory lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// Its id, a UUID in small letters.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// Its status. Only [`ACTIVE`] ones take part.
    pub status: String,
}

/// Why an answer is not adopted. The last adopted answer goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryRefusal {
    /// The body is longer than [`limits::DIRECTORY_BYTES_MAX`].
    #[error("the answer is longer than {} MiB", limits::DIRECTORY_BYTES_MAX / 1024 / 1024)]
    TooLarge,
    /// The body is not a JSON array of objects.
    #[error("the answer is not a JSON array of organisations")]
    NotAnArray,
    /// The array has more organisations than [`limits::ORGANISATIONS_MAX`].
    #[error(
        "the answer lists more than {} organisations",
        limits::ORGANISATIONS_MAX
    )]
    TooMany,
    /// An organisation has no id or no status. The number counts from 0.
    #[error("the organisation at position {0} has no UUID as `OrganisationId`, or no `Status`")]
    Malformed(usize),
    /// An organisation is listed twice.
    #[error("the answer lists the organisation {0} twice")]
    Twice(String),
    /// This service's own organisation is not listed as active.
    #[error("the answer does not list the organisation of `framework_organisation_id` as Active")]
    WithoutUs,
}

/// The changes that an answer makes to the known organisations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Organisations that are new, or have another status or name now.
    pub changed: Vec<Organisation>,
    /// Known organisations that the answer does not list, and that take part no longer.
    pub gone: Vec<String>,
    /// Known organisations that the answer does not list, and that stay as they were, because so many are missing
    /// that the answer may be incomplete.
    pub kept_though_missing: usize,
}

/// Reads an answer. `own_id` is the id of this service's organisation.
pub fn read(body: &[u8], own_id: &str) -> Result<Vec<Organisation>, DirectoryRefusal> {
    if body.len() > limits::DIRECTORY_BYTES_MAX {
        return Err(DirectoryRefusal::TooLarge);
    }
    let Ok(Value::Array(entries)) = canonical::parse(body) else {
        return Err(DirectoryRefusal::NotAnArray);
    };
    if entries.len() > limits::ORGANISATIONS_MAX {
        return Err(DirectoryRefusal::TooMany);
    }
    let mut listed = Vec::with_capacity(entries.len());
    let mut ids = BTreeSet::new();
    for (position, entry) in entries.iter().enumerate() {
        let Value::Object(members) = entry else {
            return Err(DirectoryRefusal::NotAnArray);
        };
        let organisation = read_organisation(members);
        let organisation = organisation.ok_or(DirectoryRefusal::Malformed(position))?;
        if !ids.insert(organisation.id.clone()) {
            return Err(DirectoryRefusal::Twice(organisation.id));
        }
        listed.push(organisation);
    }
    let has_us = listed
        .iter()
        .any(|one| one.id == own_id && one.status == ACTIVE);
    has_us.then_some(listed).ok_or(DirectoryRefusal::WithoutUs)
}

/// Compares an answer with the organisations that are known, by id.
pub fn compare(known: &BTreeMap<String, Organisation>, listed: Vec<Organisation>) -> Adoption {
    let ids: BTreeSet<_> = listed.iter().map(|one| one.id.as_str()).collect();
    let missing: Vec<_> = known
        .keys()
        .filter(|id| !ids.contains(id.as_str()))
        .collect();
    let is_much = missing.len() > limits::MISSING_ALWAYS_ALLOWED
        && missing.len() * limits::MISSING_ONE_OF > known.len();
    let (gone, kept_though_missing) = if is_much {
        (Vec::new(), missing.len())
    } else {
        (missing.into_iter().cloned().collect(), 0)
    };
    let is_changed = |one: &Organisation| known.get(&one.id) != Some(one);
    Adoption {
        changed: listed.into_iter().filter(is_changed).collect(),
        gone,
        kept_though_missing,
    }
}

fn read_organisation(members: &Map<String, Value>) -> Option<Organisation> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let id = read_id(text("OrganisationId")?)?;
    let status = text("Status").filter(|status| status.chars().count() <= STATUS_CHARACTERS_MAX)?;
    // A name is for people only, so an unclean one is left out (S-96).
    let name = text("OrganisationName").and_then(|name| unicode::clean(name).ok());
    let name = name.unwrap_or_default();
    let name = name.chars();
    Some(Organisation {
        name: name
            .take(limits::ORGANISATION_NAME_CHARACTERS_MAX)
            .collect(),
        status: status.to_owned(),
        id,
    })
}
