//! The homes of a pack in words.

use serde_json::Value;

/// Names a home by its UPRN, and each date among its milestones.
pub(crate) fn describe(home: &Value) -> String {
    let mut dates = Vec::new();
    list_dates(&home["milestones"], &mut Vec::new(), &mut dates);
    if dates.is_empty() {
        dates.push("no milestone has a date".to_owned());
    }
    format!("home {}: {}", home["uprn"], dates.join(", "))
}

/// Adds the dates within a value, each after the names that lead to it.
fn list_dates<'v>(value: &'v Value, path: &mut Vec<&'v str>, dates: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                path.push(name);
                list_dates(member, path, dates);
                path.pop();
            }
        }
        Value::String(text) if is_date(text) => dates.push(format!("{} {text}", path.join("."))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
}

/// Whether `text` has the form `2026-01-31`.
fn is_date(text: &str) -> bool {
    let is_right = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}
