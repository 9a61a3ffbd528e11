//! Reads query strings and the pages of lists.

use axum::Json;

use crate::form::Form;
use crate::limits;
use crate::list::{List, Meta, Pagination};
use crate::problem::{FieldError, Problem};
use crate::values;

/// The query string of a read.
#[derive(Debug)]
pub struct Query {
    fields: Form,
}

/// One page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    number: i64,
    per_page: i64,
}

impl Query {
    /// Parses a query string.
    pub fn parse(text: Option<&str>) -> Result<Self, Problem> {
        let text = text.unwrap_or_default();
        let fields = Form::parse_urlencoded(text.as_bytes())?;
        Ok(Self { fields })
    }

    /// The last value of a parameter.
    pub fn find(&self, name: &str) -> Option<&str> {
        self.fields.find(name)
    }

    /// The names of all parameters, as often as they occur.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.names()
    }

    /// An optional integer within bounds. Adds a wrong value to `errors`.
    pub fn integer(
        &self,
        name: &str,
        bounds: std::ops::RangeInclusive<i64>,
        errors: &mut Vec<FieldError>,
    ) -> Option<i64> {
        let text = self.find(name)?;
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| text.parse().ok()).flatten();
        values::take(values::check_integer(number, bounds), name, errors)
    }

    /// An optional text to look for, of bounded length. Adds a wrong value to `errors`.
    pub fn text(&self, name: &str, errors: &mut Vec<FieldError>) -> Option<String> {
        let sought = values::read_sought(self.find(name)?);
        values::take(sought.map(ToOwned::to_owned), name, errors)
    }

    /// An optional word out of a list. Adds a wrong value to `errors`.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        choices: &[(&'static str, T)],
        errors: &mut Vec<FieldError>,
    ) -> Option<T> {
        let text = self.find(name)?;
        let chosen = choices.iter().find(|(word, _)| *word == text);
        if chosen.is_none() {
            let words: Vec<_> = choices
                .iter()
                .map(|(word, _)| format!("`{word}`"))
                .collect();
            let detail = format!("must be one of {}", words.join(", "));
            errors.push(FieldError::new(name, detail));
        }
        chosen.map(|(_, choice)| *choice)
    }

    /// `page` and `per_page`.
    pub fn page(&self, errors: &mut Vec<FieldError>) -> Page {
        let number = self.integer("page", 1..=limits::LIST_PAGE_MAX, errors);
        let per_page = self.integer("per_page", 1..=limits::PER_PAGE_MAX, errors);
        Page {
            number: number.unwrap_or(1),
            per_page: per_page.unwrap_or(limits::PER_PAGE_DEFAULT),
        }
    }

    /// The page, for a call that reads no other parameter.
    pub fn only_page(&self) -> Result<Page, Problem> {
        let mut errors = Vec::new();
        let page = self.page(&mut errors);
        refuse_errors(errors)?;
        Ok(page)
    }
}

impl Page {
    /// The most entries on this page.
    pub fn limit(self) -> i64 {
        self.per_page
    }

    /// The entries before this page.
    pub fn offset(self) -> i64 {
        (self.number - 1) * self.per_page
    }

    /// The answer with this page of a list that has `total` entries.
    pub fn answer<T>(self, total: i64, data: Vec<T>) -> Json<List<T>> {
        let pagination = Pagination {
            total,
            per_page: self.per_page,
            current_page: self.number,
            last_page: ((total + self.per_page - 1) / self.per_page).max(1),
        };
        let meta = Meta { pagination };
        Json(List { data, meta })
    }
}

/// Fails with all errors, if there are any.
pub fn refuse_errors(errors: Vec<FieldError>) -> Result<(), Problem> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Problem::ValuesInvalid(errors))
    }
}
