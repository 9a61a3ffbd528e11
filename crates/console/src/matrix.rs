//! The matrix of milestones: document 1's 18 columns, and ten more for progressors.

use chain::milestone::{CATALOGUE, Field, MilestoneType};
use jiff::civil::Date;

use crate::home::Home;
use crate::words;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// Document 1's number; empty outside document 1.
    pub(crate) number: &'static str,
    pub(crate) milestone: &'static MilestoneType,
    /// Whether a new group begins here.
    pub(crate) begins_group: bool,
}

/// A cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The member of document 1, without the UPRN; `None`: the signed answer leaves it out.
    pub(crate) path: Option<&'static str>,
    pub(crate) sign: &'static str,
    pub(crate) text: String,
    /// The class: `x` expected, `l` expected and past or fallen through, `h` holds the chain; else empty.
    pub(crate) class: &'static str,
}

/// Document 1's numbers, and whether a group begins.
const NUMBERS: [(&str, &str, bool); 18] = [
    ("01", "property_listed", false),
    ("02", "sstc", false),
    ("03", "searches_ordered", true),
    ("04", "searches_expected", false),
    ("05", "la_search_delivered", false),
    ("06", "environmental_search_delivered", false),
    ("07", "water_search_delivered", false),
    ("08", "cash_buyer", true),
    ("09", "funding_applied", false),
    ("10", "mortgage_offered", false),
    ("11", "enquiries_opened", true),
    ("12", "enquiries_closed", false),
    ("13", "proposed_exchange", true),
    ("14", "exchange", false),
    ("15", "proposed_completion", true),
    ("16", "completion", false),
    ("17", "completion_date_set", false),
    ("18", "fall_through", true),
];

/// The columns: document 1's, in the order of their numbers, then the others if they are asked for.
pub(crate) fn columns(shows_all_types: bool) -> Vec<Column> {
    let numbered = NUMBERS.iter().filter_map(|(number, key, begins_group)| {
        Some(Column {
            number,
            milestone: chain::milestone::find_by_key(key)?,
            begins_group: *begins_group,
        })
    });
    let others = CATALOGUE.iter().filter(|one| one.label.is_none());
    let others = others.filter(|_| shows_all_types).enumerate();
    let others = others.map(|(index, milestone)| Column {
        number: "",
        milestone,
        begins_group: index == 0,
    });
    numbered.chain(others).collect()
}

impl Column {
    /// The label of document 1 or the name of document 2. A soft hyphen may stand between its parts,
    /// because columns are narrow.
    pub(crate) fn label_parts(&self) -> Vec<String> {
        let label = self.milestone.label.unwrap_or(self.milestone.name);
        let label = label.replace("Environmental", "Environ|mental");
        let label = label.replace("Completion", "Comple|tion");
        label.split('|').map(str::to_owned).collect()
    }

    /// The cell of a home on the day `today`. `holds`: the type at which the home holds the chain.
    pub(crate) fn cell(&self, home: &Home, today: Date, holds: Option<&MilestoneType>) -> Cell {
        let path = self.milestone.field.map(Field::member);
        let is_cash = self.milestone.field == Some(Field::FundingIsCashBuyer);
        let mut cell = if is_cash && home.progress.is_cash_buyer() {
            Cell::new("✓", "yes".to_owned())
        } else {
            let date = self.date(home);
            date.map_or_else(Cell::default, |date| self.dated(home, date, today))
        };
        let mut excluded = home.excluded.iter();
        if excluded.any(|one| one.id == self.milestone.id) {
            (cell.sign, cell.class) = ("–", "");
        }
        cell.path = path.filter(|_| cell.is_shown());
        if holds.is_some_and(|step| step.id == self.milestone.id) && cell.text.is_empty() {
            "holds the chain".clone_into(&mut cell.text);
            cell.class = "h";
        }
        cell
    }

    fn date(&self, home: &Home) -> Option<Date> {
        if let Some(field) = self.milestone.field {
            return home.date(field);
        }
        let mut unsigned = home.unsigned.iter();
        unsigned
            .find(|one| one.milestone.id == self.milestone.id)?
            .date
    }

    fn dated(&self, home: &Home, date: Date, today: Date) -> Cell {
        // A year may stand on a line of its own.
        let text = words::day(date, today.year()).replacen(' ', "\u{a0}", 1);
        if self.milestone.field == Some(Field::FallThroughCompleted) {
            return Cell {
                class: "l",
                ..Cell::new("✕", text)
            };
        }
        if !self.milestone.is_expected() {
            return Cell::new("✓", text);
        }
        let expected = self.milestone.field.and(self.milestone.awaited());
        let awaited = expected.and_then(|awaited| awaited.field);
        let is_open = awaited.is_some_and(|field| home.date(field).is_none());
        let (sign, class) = if is_open && date < today {
            ("!", "l")
        } else {
            ("", "x")
        };
        Cell {
            class,
            ..Cell::new(sign, text)
        }
    }
}

impl Cell {
    fn new(sign: &'static str, text: String) -> Self {
        Self {
            sign,
            text,
            ..Self::default()
        }
    }

    pub(crate) fn is_shown(&self) -> bool {
        !self.text.is_empty() || !self.sign.is_empty()
    }

    /// The value of `data-as`.
    pub(crate) fn kind(&self) -> &'static str {
        if self.path == Some("funding.isCashBuyer") {
            "flag"
        } else {
            "date"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page calls a genuine answer false if it does not show a member.
    #[test]
    fn each_type_and_each_member_has_a_column() {
        let has = |columns: &[Column], one: &MilestoneType| {
            columns.iter().any(|column| column.milestone.id == one.id)
        };
        let (all, signed) = (columns(true), columns(false));
        for one in &CATALOGUE {
            assert!(has(&all, one), "{}", one.key);
            assert!(one.field.is_none() || has(&signed, one), "{}", one.key);
        }
    }
}
