//! The reasons why a row of an import file is refused, written for the author of the file.

use thiserror::Error;

/// The reason why one row cannot be loaded. Each message says what is wrong and how to correct it.
/// Quoted text of the file is shortened, and its characters that mislead readers are shown as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RowError {
    /// The line is not JSON, or not an object.
    #[error("the line is not one JSON object: {0}")]
    NotJson(String),
    /// No member `type`.
    #[error("member `type` is missing: write one of {ROW_TYPES}")]
    MissingType,
    /// A `type` that does not exist.
    #[error("type {0} is not known: write one of {ROW_TYPES}")]
    UnknownType(String),
    /// A member that rows of this type do not have.
    #[error(
        "a row of type {row_type} has no member {member}: remove it or correct its name to one of {known}"
    )]
    UnknownMember {
        /// The row's type.
        row_type: &'static str,
        /// The member, quoted.
        member: String,
        /// The members of this row type.
        known: String,
    },
    /// The same member appears twice.
    #[error("member {0} stands twice: keep one of them")]
    RepeatedMember(String),
    /// A required member is absent, null or empty.
    #[error("a row of type {row_type} needs member `{member}`: add it")]
    MissingMember {
        /// The row's type.
        row_type: &'static str,
        /// The member.
        member: &'static str,
    },
    /// A member has a value that is not allowed.
    #[error("{member} {value} {rule}")]
    WrongValue {
        /// The member.
        member: &'static str,
        /// The value, quoted.
        value: String,
        /// The rule that the value breaks.
        rule: String,
    },
    /// The line, or the CSV record, exceeds the limit.
    #[error(
        "the row is longer than 16,384 bytes: shorten it (in CSV, look for a quote that is not closed)"
    )]
    TooLong,
    /// The line is not UTF-8.
    #[error("the row is not valid UTF-8: save the file as UTF-8")]
    NotUtf8,
    /// A CSV record has more or fewer cells than the header.
    #[error(
        "the row has {found} cells and the header has {expected}: give each column one cell, and quote a cell that contains a comma"
    )]
    CellCount {
        /// The number of cells in the row.
        found: usize,
        /// The number of columns in the header.
        expected: usize,
    },
    /// A quote in a CSV record is misplaced or not closed.
    #[error(
        "a quote is out of place or not closed: put the whole cell in quotes and double each quote inside it"
    )]
    WrongQuote,
    /// The header line of a CSV file is unusable, so no row of the file is loaded.
    #[error("the CSV header cannot be used, so that no row of this file is loaded: {0}")]
    Header(String),
    /// The rest of the file cannot be read.
    #[error("the file cannot be read beyond this line, and nothing after it is loaded: {0}")]
    Unreadable(String),
}

const ROW_TYPES: &str = "property, branch, listing, party, link, milestone, end_check";

impl RowError {
    pub(super) fn unknown_type(name: &str) -> Self {
        Self::UnknownType(quoted(name))
    }

    pub(super) fn wrong_value(member: &'static str, value: &str, rule: impl Into<String>) -> Self {
        Self::WrongValue {
            member,
            value: quoted(value),
            rule: rule.into(),
        }
    }
}

/// The text in backquotes, cut to 40 characters. Characters that mislead readers stand there as their
/// numbers, so a hostile file can neither flood nor control a terminal or a log.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX_CHARACTERS) {
        Some((end, _)) => format!("`{}…`", unicode::visible(&text[..end])),
        None => format!("`{}`", unicode::visible(text)),
    }
}

const QUOTED_MAX_CHARACTERS: usize = 40;
