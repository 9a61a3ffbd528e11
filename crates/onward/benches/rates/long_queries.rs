//! Queries with 100 values, which cost the server much more than the client.

/// Values of one query (S-3).
const VALUES: usize = 100;

/// The form of a query for the chains of 100 properties.
pub(crate) fn of_chains(uprns: &[u64]) -> String {
    let values = uprns.iter().take(VALUES).map(u64::to_string);
    form("uprn", values)
}

/// The form of a query by 100 addresses that fit many homes each.
pub(crate) fn of_addresses() -> String {
    let values = (1..=VALUES).map(|number| format!("{number}+high+street+london"));
    form("address", values)
}

fn form(kind: &str, values: impl Iterator<Item = String>) -> String {
    let mut form = format!("inputType={kind}&rows={VALUES}");
    for value in values {
        form.extend(["&value%5B%5D=", &value]);
    }
    form
}
