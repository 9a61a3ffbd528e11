//! The claims of an event, each of the exact type that document 1 gives it.

use serde_json::{Map, Value};

use super::{Event, EventContent, EventRefusal, EventType};

type Claims = Map<String, Value>;

/// The largest difference between this computer's clock and the service's, in seconds.
const SKEW_SECONDS: u64 = 60;
/// The longest time from `iat` to `exp` (document 1), in seconds.
const LIFETIME_SECONDS: u64 = 300;
/// The longest `eventId` and label, in characters. Receivers keep ids in memory.
const TEXT_LIMIT_CHARACTERS: usize = 200;
/// The first characters of the id of a simulated event (S-33).
const SIMULATED_PREFIX: &str = "sim_";
/// The longest property id and UPRN, in digits.
const DIGITS_LIMIT: usize = 19;

/// Checks `iss`, because one key may sign for several services (RFC 8725, section 3.8).
pub(super) fn check_issuer(claims: &Claims, issuer: &str) -> Result<(), EventRefusal> {
    let found = text(claims, "iss")?;
    if found == issuer {
        return Ok(());
    }
    Err(EventRefusal::WrongIssuer(found.to_owned()))
}

/// Checks `iat` and `exp`. A longer lifetime than document 1 allows would let somebody replay an
/// old event.
pub(super) fn check_time(claims: &Claims, now: u64) -> Result<(), EventRefusal> {
    let issued_at = integer(claims, "iat")?;
    let expires_at = integer(claims, "exp")?;
    let lifetime = expires_at.checked_sub(issued_at);
    if lifetime.is_none_or(|seconds| seconds == 0 || seconds > LIFETIME_SECONDS) {
        let reason = "must be after `iat`, by at most 300 seconds";
        return Err(refusal("exp", reason));
    }
    if issued_at > now.saturating_add(SKEW_SECONDS) {
        return Err(EventRefusal::NotYetIssued(issued_at - now));
    }
    if now >= expires_at.saturating_add(SKEW_SECONDS) {
        return Err(EventRefusal::Expired(now - expires_at));
    }
    Ok(())
}

pub(super) fn read_event(claims: &Claims) -> Result<Event, EventRefusal> {
    let content = read_content(claims)?;
    let event_timestamp = text(claims, "eventTimestamp")?;
    if !is_utc_time(event_timestamp) {
        let reason = "must be an ISO 8601 time in UTC, such as 2026-01-31T09:30:00Z";
        return Err(refusal("eventTimestamp", reason));
    }
    let event_id = bounded(claims, "eventId", "eventId")?;
    let is_other = matches!(content, EventContent::Other { .. });
    let number = |name| match digits(claims, name) {
        Err(_refusal) if is_other => Ok(String::new()),
        read => read,
    };
    Ok(Event {
        is_simulated: is_simulated(claims, &event_id)?,
        event_id,
        event_timestamp: event_timestamp.to_owned(),
        property_id: number("propertyId")?,
        uprn: number("uprn")?,
        content,
    })
}

/// Reads the data of an event. Only the claims of an unknown type have its data, as in the client libraries.
fn read_content(claims: &Claims) -> Result<EventContent, EventRefusal> {
    let event_type = bounded(claims, "eventType", "eventType")?;
    let Some(known) = EventType::parse(&event_type) else {
        return Ok(EventContent::Other { event_type });
    };
    let data = object(claims, "data", "data")?;
    Ok(match known {
        EventType::MilestoneUpdated => {
            let milestone = object(data, "milestone", "data.milestone")?;
            EventContent::MilestoneUpdated {
                label: bounded(milestone, "label", "data.milestone.label")?,
                date: date(milestone, "date", "data.milestone.date")?,
            }
        }
        EventType::FallThrough => EventContent::FallThrough {
            date: date(data, "fallThroughDate", "data.fallThroughDate")?,
        },
        EventType::ChainChanged => EventContent::ChainChanged {
            chain_id: bounded(data, "chainId", "data.chainId")?,
            change: bounded(data, "change", "data.change")?,
            uprns: uprns(data)?,
        },
    })
}

/// Reads the claim `simulated`. Services before it existed marked simulated events by their id alone.
fn is_simulated(claims: &Claims, event_id: &str) -> Result<bool, EventRefusal> {
    match claims.get("simulated") {
        None => Ok(event_id.starts_with(SIMULATED_PREFIX)),
        Some(Value::Bool(true)) => Ok(true),
        Some(_) => Err(refusal("simulated", "must be true or absent")),
    }
}

fn refusal(name: &'static str, reason: &'static str) -> EventRefusal {
    EventRefusal::Claim { name, reason }
}

fn text<'a>(claims: &'a Claims, name: &'static str) -> Result<&'a str, EventRefusal> {
    let value = claims.get(name).and_then(Value::as_str);
    value.ok_or_else(|| refusal(name, "must be a string"))
}

fn integer(claims: &Claims, name: &'static str) -> Result<u64, EventRefusal> {
    let value = claims.get(name).and_then(Value::as_u64);
    value.ok_or_else(|| refusal(name, "must be a Unix time in whole seconds"))
}

fn object<'a>(
    claims: &'a Claims,
    member: &str,
    name: &'static str,
) -> Result<&'a Claims, EventRefusal> {
    let value = claims.get(member).and_then(Value::as_object);
    value.ok_or_else(|| refusal(name, "must be an object"))
}

fn bounded(claims: &Claims, member: &str, name: &'static str) -> Result<String, EventRefusal> {
    let value = claims.get(member).and_then(Value::as_str);
    let wanted = value.filter(|text| {
        let length = text.chars().count();
        (1..=TEXT_LIMIT_CHARACTERS).contains(&length)
    });
    let found = wanted.ok_or_else(|| refusal(name, "must be a string of 1 to 200 characters"))?;
    Ok(found.to_owned())
}

fn uprns(data: &Claims) -> Result<Vec<String>, EventRefusal> {
    let wrong = || {
        refusal(
            "data.uprns",
            "must be an array of strings of 1 to 19 digits",
        )
    };
    let values = data.get("uprns").and_then(Value::as_array);
    let values = values.ok_or_else(wrong)?.iter();
    values
        .map(|value| value.as_str().filter(|text| are_digits(text)))
        .map(|text| text.map(ToOwned::to_owned).ok_or_else(wrong))
        .collect()
}

fn are_digits(text: &str) -> bool {
    (1..=DIGITS_LIMIT).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn digits(claims: &Claims, name: &'static str) -> Result<String, EventRefusal> {
    let value = text(claims, name)?;
    if are_digits(value) {
        return Ok(value.to_owned());
    }
    Err(refusal(name, "must be a string of 1 to 19 digits"))
}

fn date(claims: &Claims, member: &str, name: &'static str) -> Result<String, EventRefusal> {
    let value = claims.get(member).and_then(Value::as_str);
    let found = value.filter(|text| is_date(text));
    let found = found.ok_or_else(|| refusal(name, "must be a date as YYYY-MM-DD"))?;
    Ok(found.to_owned())
}

/// Accepts `2026-01-31T09:30:00Z`, with or without a fraction of a second.
fn is_utc_time(text: &str) -> bool {
    let Some((day, time)) = text.strip_suffix('Z').and_then(|text| text.split_once('T')) else {
        return false;
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let has_fraction =
        (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let parts = numbers(clock, ':', [2, 2, 2]);
    // The second 60 is a leap second.
    let is_clock =
        parts.is_some_and(|[hour, minute, second]| hour <= 23 && minute <= 59 && second <= 60);
    is_date(day) && has_fraction && is_clock
}

/// Accepts a day of the calendar, such as `2026-01-31`.
fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else {
        return false;
    };
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Reads three numbers with `lengths` digits and a separator between them.
fn numbers(text: &str, separator: char, lengths: [usize; 3]) -> Option<[u32; 3]> {
    let mut found = [0; 3];
    let mut parts = text.split(separator);
    for (number, length) in found.iter_mut().zip(lengths) {
        let part = parts.next().filter(|part| part.len() == length)?;
        if !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}
