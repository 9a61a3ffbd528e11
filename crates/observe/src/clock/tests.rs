//! Times in RFC 3339, compared with a model.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Reads a time by its shape and by counting days.
fn model(text: &str) -> Option<i64> {
    let to_shape = |one: char| match one {
        '0'..='9' => '0',
        other => other.to_ascii_uppercase(),
    };
    let shape: String = text.chars().map(to_shape).collect();
    let rest = shape.strip_prefix("0000-00-00T00:00:00")?;
    let rest = match rest.strip_prefix(".0") {
        Some(rest) => rest.trim_start_matches('0'),
        None => rest,
    };
    let number = |from: usize, digits: usize| text[from..from + digits].parse::<i64>().unwrap();
    let end = text.len();
    let offset = match rest {
        "Z" => 0,
        "+00:00" | "-00:00" => {
            let (hours, minutes) = (number(end - 5, 2), number(end - 2, 2));
            if hours >= 24 || minutes >= 60 {
                return None;
            }
            let seconds = 60 * (60 * hours + minutes);
            if rest.starts_with('+') {
                seconds
            } else {
                -seconds
            }
        }
        _ => return None,
    };
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2));
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2));
    let is_time = hour < 24 && minute < 60 && second < 60;
    if !is_time || !(1..=12).contains(&month) || day < 1 || day > days(year, month) {
        return None;
    }
    let years: i64 = if year >= 1970 {
        (1970..year).map(days_of_year).sum()
    } else {
        -(year..1970).map(days_of_year).sum::<i64>()
    };
    let months: i64 = (1..month).map(|month| days(year, month)).sum();
    let hours = 24 * (years + months + day - 1) + hour;
    let seconds = 60 * (60 * hours + minute) + second - offset;
    // The last second that is written.
    (seconds <= 253_402_207_200).then_some(seconds)
}

fn days_of_year(year: i64) -> i64 {
    (1..=12).map(|month| days(year, month)).sum()
}

fn days(year: i64, month: i64) -> i64 {
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time that is often one of RFC 3339.
fn times() -> impl Strategy<Value = String> {
    let day = (0..=9999, 0..=13, 0..=32);
    let time = (0..=24, 0..=60, 0..=60);
    let separators = (
        select(&["-", "-", "-", "/"][..]),
        select(&["T", "T", "t", " ", ""][..]),
        select(&[":", ":", ":", "."][..]),
    );
    let fractions = select(&["", "", ".5", ".000000000123", ".", ",5", ".5.5"][..]);
    let offsets = select(
        &[
            "Z", "z", "Z", "+00:00", "-00:00", "+23:59", "-23:59", "+24:00", "-00:60", "", "+01",
            "+0100", "+1:00", "Z ", "[UTC]", "Z[UTC]", "é",
        ][..],
    );
    (day, time, separators, fractions, offsets).prop_map(
        |((year, month, day), (hour, minute, second), (dash, t, colon), fraction, offset)| {
            format!(
                "{year:04}{dash}{month:02}{dash}{day:02}{t}{hour:02}{colon}{minute:02}{colon}{second:02}\
                 {fraction}{offset}"
            )
        },
    )
}

proptest! {
    #[test]
    fn a_time_is_read_as_the_model_reads_it(text in times()) {
        prop_assert_eq!(parse_rfc3339(&text), model(&text), "{}", text);
    }

    #[test]
    fn a_time_with_one_other_character_is_read_as_the_model_reads_it(
        seconds in -62_000_000_000..253_000_000_000_i64,
        place in 0..20_usize,
        other in any::<char>(),
    ) {
        let text = to_rfc3339(seconds);
        prop_assert_eq!(parse_rfc3339(&text), Some(seconds));
        let mut characters: Vec<char> = text.chars().collect();
        characters[place] = other;
        let changed: String = characters.into_iter().collect();
        prop_assert_eq!(parse_rfc3339(&changed), model(&changed), "{}", changed);
    }

    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        prop_assert_eq!(parse_rfc3339(&text), model(&text));
    }
}

#[test]
fn times_at_the_borders() {
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("1969-12-31T23:59:59.9Z", Some(-1)),
        ("1970-01-01T00:00:00+23:59", Some(-86_340)),
        ("2024-02-29T00:00:00z", Some(1_709_164_800)),
        ("2023-02-29T00:00:00Z", None),
        ("2016-12-31T23:59:60Z", None),
        ("2026-11-21T24:00:00Z", None),
        ("2026-11-21T10:00:00+24:00", None),
        ("2026-11-21T10:00:00", None),
        ("+002026-11-21T10:00:00Z", None),
        ("9999-12-31T23:59:59Z", None),
        ("", None),
    ] {
        assert_eq!(parse_rfc3339(text), expected, "{text}");
    }
}
