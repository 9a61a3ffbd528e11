//! Parses and checks the fields of a chain query (S-1 to S-3).

use std::sync::Arc;

use chain::ids::{Uprn, UprnError};
use observe::clock::parse_rfc3339;
use web::fields::shorten;
use web::form::{Form, is_entry};
use web::limits::UNKNOWN_NAMES_SHOWN;
use web::problem::{FieldError, Problem};

use crate::limits;
use crate::past::Past;

/// The parameters in the URL that have an effect.
const IN_URL: [&str; 4] = ["page", "rows", "explain", "asOf"];
/// The fields of the form that have an effect, beside `value[]`.
const IN_FORM: [&str; 4] = ["inputType", "rows", "explain", "asOf"];

/// A valid chain query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChainQuery {
    pub values: Arc<Values>,
    pub rows: u64,
    pub page: u64,
    /// The time of which the answer gives the state (S-60). Unix seconds.
    pub as_of: Option<i64>,
    /// The values exactly as sent, if the answer shall explain each of them (S-58).
    pub explained: Option<Arc<[String]>>,
    /// The names of the fields that have no effect.
    pub ignored_fields: Arc<[String]>,
}

/// The requested values, in the order of the request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// `None` for zero: it is well-formed, but no property has this UPRN (S-4).
    Uprns(Vec<Option<Uprn>>),
    /// Addresses exactly as sent (S-5).
    Addresses(Vec<String>),
}

impl ChainQuery {
    /// What an answer about the past depends on, if this query asks for one. Its chains lack so many sales.
    pub(super) fn past(&self, erased: i64) -> Option<Past> {
        self.as_of.map(|as_of| Past { as_of, erased })
    }

    /// Parses all fields and reports all errors together. `now` is in Unix seconds.
    pub(super) fn parse(
        query_string: Option<&str>,
        form: &Form,
        now: i64,
    ) -> Result<Self, Problem> {
        let in_url = Form::parse_urlencoded(query_string.unwrap_or_default().as_bytes())?;
        let mut errors = Vec::new();
        let rows = form.find("rows").or_else(|| in_url.find("rows"));
        let rows = rows.map_or(Some(limits::ROWS_DEFAULT), read_count);
        let rows = rows.filter(|rows| (1..=limits::ROWS_MAX).contains(rows));
        if rows.is_none() {
            let detail = format!("must be an integer from 1 to {}", limits::ROWS_MAX);
            errors.push(error("rows", &detail));
        }
        // `page` in the body is ignored (S-2).
        let page = in_url.find("page").map_or(Some(1), read_count);
        let page = page.filter(|page| (1..=limits::PAGE_MAX).contains(page));
        if page.is_none() {
            let detail = format!("must be an integer from 1 to {}", limits::PAGE_MAX);
            errors.push(error("page", &detail));
        }
        let as_of = form.find("asOf").or_else(|| in_url.find("asOf"));
        let as_of = as_of.and_then(|text| read_as_of(text, now, &mut errors));
        let explains = match form.find("explain").or_else(|| in_url.find("explain")) {
            Some("true") => true,
            Some("false") | None => false,
            Some(_) => {
                errors.push(error("explain", "must be `true` or `false`"));
                false
            }
        };
        let entries = form.list("value");
        let values = read_values(form.find("inputType"), &entries, &mut errors);
        match (values, rows, page) {
            (Some(values), Some(rows), Some(page)) if errors.is_empty() => Ok(Self {
                values: Arc::new(values),
                rows,
                page,
                ignored_fields: list_ignored(&in_url, form),
                as_of,
                explained: explains.then(|| entries.into_iter().map(ToOwned::to_owned).collect()),
            }),
            _incomplete => Err(Problem::ValuesInvalid(errors)),
        }
    }
}

/// The beginnings of the names of fields that the query ignores, each once (S-58). `page` in the body is
/// one of them (S-2).
fn list_ignored(in_url: &Form, form: &Form) -> Arc<[String]> {
    let in_url = in_url.names().filter(|name| !IN_URL.contains(name));
    let is_known = |name: &&str| IN_FORM.contains(name) || is_entry(name, "value");
    let in_form = form.names().filter(|name| !is_known(name));
    let mut ignored: Vec<String> = Vec::new();
    for name in in_url.chain(in_form).map(shorten) {
        if ignored.len() < UNKNOWN_NAMES_SHOWN && !ignored.contains(&name) {
            ignored.push(name);
        }
    }
    ignored.into()
}

/// Reads the time of `asOf`, to the second. Adds a wrong one to `errors`.
fn read_as_of(text: &str, now: i64, errors: &mut Vec<FieldError>) -> Option<i64> {
    let Some(time) = parse_rfc3339(text) else {
        let detail = "must be a time in RFC 3339, such as `2026-11-01T12:00:00Z`";
        errors.push(error("asOf", detail));
        return None;
    };
    let age = limits::AS_OF_AGE_SECONDS_MIN;
    if time > now - age {
        let detail = format!("must be at least {age} seconds ago");
        errors.push(error("asOf", &detail));
        return None;
    }
    Some(time)
}

fn read_values(
    input_type: Option<&str>,
    entries: &[&str],
    errors: &mut Vec<FieldError>,
) -> Option<Values> {
    check_entries(entries, errors);
    match input_type {
        Some("uprn") => Some(Values::Uprns(read_uprns(entries, errors))),
        Some("address") => {
            let addresses = entries.iter().map(|entry| (*entry).to_owned()).collect();
            Some(Values::Addresses(addresses))
        }
        Some(_) | None => {
            errors.push(error("inputType", "must be `address` or `uprn`"));
            None
        }
    }
}

/// The UPRNs of these entries; `None` for 0, which no property has.
fn read_uprns(entries: &[&str], errors: &mut Vec<FieldError>) -> Vec<Option<Uprn>> {
    let mut uprns = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match Uprn::parse(entry.trim()) {
            Ok(uprn) => uprns.push(Some(uprn)),
            Err(UprnError::Zero) => uprns.push(None),
            Err(UprnError::NotDigits) if entry.trim().is_empty() => {}
            Err(UprnError::NotDigits) => {
                let detail = "with inputType `uprn` it must be 1 to 12 digits";
                errors.push(error(&format!("value[{index}]"), detail));
            }
        }
    }
    uprns
}

fn check_entries(entries: &[&str], errors: &mut Vec<FieldError>) {
    if entries.is_empty() {
        errors.push(error("value[]", "is missing: send at least one"));
    }
    if entries.len() > limits::VALUES_MAX {
        let detail = format!(
            "there are {} entries, at most {} are answered in one query",
            entries.len(),
            limits::VALUES_MAX
        );
        errors.push(error(&format!("value[{}]", limits::VALUES_MAX), &detail));
    }
    for (index, entry) in entries.iter().enumerate().take(limits::VALUES_MAX) {
        let length = entry.trim().chars().count();
        if length == 0 || length > limits::VALUE_CHARACTERS_MAX {
            let detail = format!(
                "must have 1 to {} characters, has {length}",
                limits::VALUE_CHARACTERS_MAX
            );
            errors.push(error(&format!("value[{index}]"), &detail));
        }
    }
}

/// Parses a number of digits only. `None` for signs, spaces and overflow.
fn read_count(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn error(pointer: &str, detail: &str) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        detail: detail.to_owned(),
    }
}
