//! Dates, numbers and lists as the pages write them.

use std::fmt::{self, Write as _};

use chain::milestone::MilestoneType;
use jiff::civil::{Date, DateTime};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `31 Jul`, and `31 Jul 2025` outside the given year. `verify.js` writes signed dates in the same way.
pub(crate) fn day(date: impl Value<Date>, year: i16) -> String {
    let date = date.value();
    if date.year() == year {
        format!("{} {}", date.day(), month(date))
    } else {
        full_day(date)
    }
}

/// `31 Jul 2026`
pub(crate) fn full_day(date: impl Value<Date>) -> String {
    let date = date.value();
    format!("{} {} {}", date.day(), month(date), date.year())
}

/// `10:16 on 22 Nov 2026`
pub(crate) fn moment(time: &DateTime) -> String {
    let clock = time.time();
    let date = full_day(time.date());
    format!("{:02}:{:02} on {date}", clock.hour(), clock.minute())
}

/// `10:16`
pub(crate) fn clock(time: &DateTime) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

fn month(date: Date) -> &'static str {
    let index = usize::from(date.month().unsigned_abs()).saturating_sub(1);
    MONTHS.get(index).copied().unwrap_or_default()
}

/// A date or a number. Templates pass references to their fields.
pub(crate) trait Value<T> {
    fn value(&self) -> T;
}

impl Value<Date> for Date {
    fn value(&self) -> Date {
        *self
    }
}

impl Value<u64> for u32 {
    fn value(&self) -> u64 {
        u64::from(*self)
    }
}

impl Value<u64> for u64 {
    fn value(&self) -> u64 {
        *self
    }
}

impl<T, V: Value<T>> Value<T> for &V {
    fn value(&self) -> T {
        (**self).value()
    }
}

/// `1,204`
pub(crate) fn number(count: impl Value<u64>) -> String {
    let digits = count.value().to_string();
    let mut written = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// `1 day`, `1,204 days`: the noun takes an `s` unless the count is 1.
pub(crate) fn counted(count: impl Value<u64>, noun: &str) -> String {
    let count = count.value();
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(count))
}

/// `A`, `A and B`, `A, B and C`.
pub(crate) fn joined<T: AsRef<str>>(parts: &[T]) -> String {
    let Some((last, before)) = parts.split_last() else {
        return String::new();
    };
    let last = last.as_ref();
    if before.is_empty() {
        return last.to_owned();
    }
    let before: Vec<_> = before.iter().map(AsRef::as_ref).collect();
    format!("{} and {last}", before.join(", "))
}

/// The same text with an upper-case first letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The name of a milestone type as the pages show it: document 1's label, else document 2's name.
pub(crate) fn label(milestone: &MilestoneType) -> &'static str {
    match milestone.key {
        "la_search_delivered" => "Local Authority Search Delivered",
        "water_search_delivered" => "Water Search Delivered",
        _ => milestone.label.unwrap_or(milestone.name),
    }
}

/// A text as a value in a query string.
pub(crate) struct Encoded<'a>(pub(crate) &'a str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                f.write_char(char::from(byte))?;
            } else {
                write!(f, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{Encoded, capitalised, counted, day, joined, moment, number};

    #[test]
    fn a_year_is_shown_unless_it_is_the_page_s_own() {
        assert_eq!(day(date(2026, 7, 31), 2026), "31 Jul");
        assert_eq!(day(date(2025, 12, 1), 2026), "1 Dec 2025");
    }

    #[test]
    fn times_and_numbers_are_written_for_people() {
        assert_eq!(
            moment(&date(2026, 11, 22).at(9, 5, 0, 0)),
            "09:05 on 22 Nov 2026"
        );
        assert_eq!(number(7_u32), "7");
        assert_eq!(number(1_234_567_u32), "1,234,567");
        assert_eq!(counted(1_u32, "home"), "1 home");
        assert_eq!(counted(1_204_u32, "day"), "1,204 days");
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(joined::<&str>(&[]), "");
        assert_eq!(joined(&["A"]), "A");
        assert_eq!(joined(&["A", "B", "C"]), "A, B and C");
        assert_eq!(capitalised("élan"), "Élan");
    }

    #[test]
    fn values_of_a_query_string_are_encoded() {
        assert_eq!(
            Encoded("LS1 4AP & é").to_string(),
            "LS1%204AP%20%26%20%C3%A9"
        );
    }
}
