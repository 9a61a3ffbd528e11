//! Counts outcomes and prints them as a table.

use std::collections::BTreeMap;
use std::fmt;

use super::Measured;

/// The result of a query for a property of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The property meant.
    Right,
    /// Another entry of the same premises.
    Twin,
    /// Another property of other premises.
    Wrong,
    /// Nothing, because several entries of the same premises fit equally well.
    Shared,
    /// Nothing, because several properties fit equally well.
    Several,
    /// Nothing, because no property fits well enough.
    Nothing,
    /// Nothing, as it should be: no property is meant.
    Refused,
}

/// Outcomes and times by category.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: BTreeMap<String, Counts>,
    all: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    right: usize,
    twin: usize,
    wrong: usize,
    shared: usize,
    several: usize,
    nothing: usize,
    refused: usize,
    answered_without: usize,
    answered_without_row: usize,
    micros: Vec<u64>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Right => "right",
            Self::Twin => "twin",
            Self::Wrong => "wrong",
            Self::Shared => "shared",
            Self::Several => "several",
            Self::Nothing => "nothing",
            Self::Refused => "refused",
        })
    }
}

impl Table {
    pub(super) fn count(&mut self, category: &str, measured: &Measured) {
        self.rows
            .entry(category.to_owned())
            .or_default()
            .count(measured);
        self.all.count(measured);
    }
}

impl Counts {
    fn count(&mut self, measured: &Measured) {
        match measured.outcome {
            Outcome::Right => self.right += 1,
            Outcome::Twin => self.twin += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Shared => self.shared += 1,
            Outcome::Several => self.several += 1,
            Outcome::Nothing => self.nothing += 1,
            Outcome::Refused => self.refused += 1,
        }
        self.answered_without += usize::from(measured.instead.is_some());
        self.answered_without_row += usize::from(measured.is_row_replaced);
        self.micros.push(measured.micros);
    }

    /// The time within which this many of a thousand queries were answered, in milliseconds.
    fn milliseconds(&self, per_thousand: usize) -> f64 {
        let mut micros = self.micros.clone();
        micros.sort_unstable();
        let at = (micros.len() * per_thousand / 1000).min(micros.len().saturating_sub(1));
        let micros = micros.get(at).copied().unwrap_or_default();
        std::time::Duration::from_micros(micros).as_secs_f64() * 1000.0
    }

    /// The columns of a row after its category, each with its title.
    fn columns(&self) -> [(&'static str, String); 18] {
        let number = self.micros.len();
        let asked = number - self.shared - self.refused;
        let answered = self.right + self.twin + self.wrong;
        let milliseconds = |per_thousand| format!("{:.2}", self.milliseconds(per_thousand));
        [
            ("pairs", number.to_string()),
            ("right", self.right.to_string()),
            ("twin", self.twin.to_string()),
            ("wrong", self.wrong.to_string()),
            ("shared", self.shared.to_string()),
            ("several", self.several.to_string()),
            ("nothing", self.nothing.to_string()),
            ("refused", self.refused.to_string()),
            ("precision", percent(self.right + self.twin, answered)),
            ("recall", percent(self.right + self.twin, asked)),
            ("by row", percent(self.right, asked)),
            ("wrong", percent(self.wrong, number)),
            ("by row", percent(self.wrong + self.twin, number)),
            ("if absent", percent(self.answered_without, number)),
            ("by row", percent(self.answered_without_row, number)),
            ("p50 ms", milliseconds(500)),
            ("p99 ms", milliseconds(990)),
            ("max ms", milliseconds(1000)),
        ]
    }

    fn write(&self, name: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.columns().map(|(_title, value)| value);
        write_row(name, &values, formatter)
    }
}

fn write_row(
    name: &str,
    values: &[impl fmt::Display],
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(formatter, "{name:<28}")?;
    for value in values {
        write!(formatter, " {value:>9}")?;
    }
    writeln!(formatter)
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = self.all.columns().map(|(title, _value)| title);
        write_row("category", &titles, formatter)?;
        for (category, counts) in &self.rows {
            counts.write(category, formatter)?;
        }
        self.all.write("all", formatter)?;
        write!(
            formatter,
            "right:     the property meant\n\
             twin:      another register's entry of the same premises: the same numbers, flats and units,\n\
             \u{20}          street and postcode; right by premises, wrong by row\n\
             shared:    several entries of the same premises fit, so none is answered (S-7); \
             not part of the recall\n\
             refused:   nothing, as it should be, because no property is meant; not part of the recall\n\
             if absent: answered although nothing of the premises meant is in the store; by row, \
             although\n\
             \u{20}          the very entry is not"
        )
    }
}

fn percent(part: usize, whole: usize) -> String {
    let [part, whole] = [part, whole.max(1)].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    format!("{:.2} %", f64::from(part) * 100.0 / f64::from(whole))
}
