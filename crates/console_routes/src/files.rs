//! Files that pages offer: CSV for tables and iCalendar for dates.

use std::fmt::Write as _;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use chain::milestone::{CATALOGUE, Field, MilestoneType};
use chain::progress::Recorded;
use console::home::Home;
use http::{HeaderValue, header};
use jiff::civil::Date;
use storage::state::ChainState;

use super::open_dates::open_dates;

/// One row of a CSV file (RFC 4180).
#[derive(Debug, Default)]
pub(crate) struct CsvFile(String);

impl CsvFile {
    /// Adds a row.
    pub(crate) fn add<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            push_cell(&mut self.0, &unicode::visible_lines(cell.as_ref()));
        }
        self.0.push_str("\r\n");
    }

    /// The answer with the file.
    pub(crate) fn answer(self, name: &str) -> Response {
        answer(self.0, "text/csv; charset=utf-8", name)
    }
}

/// A spreadsheet would run a cell that begins with one of these as a formula. Some take the full-width signs
/// for the others.
const FORMULA_SIGNS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

fn push_cell(row: &mut String, cell: &str) {
    let is_formula = cell.starts_with(FORMULA_SIGNS);
    let is_plain = !is_formula && !cell.contains([',', '"', '\r', '\n']);
    if is_plain {
        row.push_str(cell);
        return;
    }
    row.push('"');
    if is_formula {
        row.push('\'');
    }
    row.push_str(&cell.replace('"', "\"\""));
    row.push('"');
}

/// The milestones that a file has. A calendar has all milestones of the viewer's own sales as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Those with a label in document 1, which everybody with a sale in the chain may read (S-47).
    Labels,
    /// The members of document 1.
    Members,
}

impl Shows {
    fn has(self, kind: &MilestoneType) -> bool {
        match self {
            Self::Labels => kind.label.is_some(),
            Self::Members => kind.field.is_some(),
        }
    }

    /// The text of a recorded milestone.
    fn text(self, recorded: &Recorded) -> String {
        let is_flag = recorded.milestone.field == Some(Field::FundingIsCashBuyer);
        if self == Self::Members && is_flag {
            return "yes".to_owned();
        }
        let date = recorded.date;
        date.map(|date| date.to_string()).unwrap_or_default()
    }
}

/// The chain as a table: one row for each home, top first, with document 1's milestones.
pub(crate) fn chain_csv(homes: &[&Home], state: &ChainState, shows: Shows) -> CsvFile {
    let labelled: Vec<_> = CATALOGUE.iter().filter(|kind| shows.has(kind)).collect();
    let mut file = CsvFile::default();
    let mut heads = vec![
        "uprn",
        "address",
        "selling_agent",
        "seller_conveyancer",
        "buyer_conveyancer",
        "tenure",
    ];
    heads.extend(labelled.iter().map(|kind| kind.key));
    file.add(heads);
    for home in homes {
        let mut listings = state.listings.iter();
        let Some(listing) = listings.find(|one| one.listing == home.listing) else {
            continue;
        };
        let mut cells = vec![
            home.uprn.to_string(),
            listing.address.display_address.clone(),
            listing.selling_agent.clone(),
            listing.seller_conveyancer.clone(),
            listing.buyer_conveyancer.clone(),
            listing.tenure.clone(),
        ];
        cells.extend(labelled.iter().map(|kind| {
            let mut recorded = listing.milestones.iter();
            let found = recorded.find(|one| one.milestone.id == kind.id);
            found.map(|one| shows.text(one)).unwrap_or_default()
        }));
        file.add(cells);
    }
    file
}

/// The expected and proposed dates of a chain as all-day events (RFC 5545).
pub(crate) fn chain_calendar(
    homes: &[&Home],
    state: &ChainState,
    shows: Shows,
    stamp: &str,
) -> Response {
    let mut text = String::from(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Onward//Console//EN\r\nCALSCALE:GREGORIAN\r\n",
    );
    for home in homes {
        let mut listings = state.listings.iter();
        let Some(listing) = listings.find(|one| one.listing == home.listing) else {
            continue;
        };
        for (date, milestone) in open_dates(listing) {
            if !home.is_own && !shows.has(milestone) {
                continue;
            }
            let title = format!("{}: {}", milestone.name, home.address.name());
            let id = format!("{}-{}@onward", home.uprn, milestone.key);
            push_event(&mut text, &id, stamp, date, &title);
        }
    }
    text.push_str("END:VCALENDAR\r\n");
    answer(text, "text/calendar; charset=utf-8", "chain.ics")
}

fn push_event(text: &mut String, id: &str, stamp: &str, date: Date, title: &str) {
    let title: String = unicode::visible(title)
        .chars()
        .flat_map(|letter| match letter {
            ',' | ';' | '\\' => vec!['\\', letter],
            other => vec![other],
        })
        .collect();
    let until = date.tomorrow().unwrap_or(date);
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "BEGIN:VEVENT\r\nUID:{id}\r\nDTSTAMP:{stamp}\r\nDTSTART;VALUE=DATE:{}\r\n\
         DTEND;VALUE=DATE:{}\r\n{}END:VEVENT\r\n",
        date.strftime("%Y%m%d"),
        until.strftime("%Y%m%d"),
        fold(&format!("SUMMARY:{title}")),
    );
}

/// Folds a line at 75 octets (RFC 5545 section 3.1).
fn fold(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + 8);
    let mut octets = 0;
    for letter in line.chars() {
        if octets + letter.len_utf8() > 74 {
            folded.push_str("\r\n ");
            octets = 1;
        }
        folded.push(letter);
        octets += letter.len_utf8();
    }
    folded.push_str("\r\n");
    folded
}

/// The answer that a browser saves as a file of this name.
pub(crate) fn answer(content: impl Into<Body>, kind: &'static str, name: &str) -> Response {
    let kind = HeaderValue::from_static(kind);
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition =
        HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_DISPOSITION, disposition),
        ],
        content.into(),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::{CsvFile, fold};

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        let mut file = CsvFile::default();
        file.add(["a\u{202e}", "b,c", "d\"e", "=1+1", "@x", "", "f\ng"]);
        assert_eq!(
            file.0,
            "aU+202E,\"b,c\",\"d\"\"e\",\"'=1+1\",\"'@x\",,\"f\ng\"\r\n"
        );
    }

    #[test]
    fn long_lines_are_folded() {
        let folded = fold(&format!("SUMMARY:{}", "é".repeat(60)));
        assert!(folded.split("\r\n").all(|line| line.len() <= 75));
        assert_eq!(folded.replace("\r\n ", "").trim_end().chars().count(), 68);
    }
}
