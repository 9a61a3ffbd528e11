//! Reads a JSON body, and reports all wrong fields in one answer.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use axum::body::Bytes;
use jiff::civil::Date;
use serde_json::{Map, Value};
use signing::canonical;

use crate::limits;
use crate::problem::{FieldError, Problem};
use crate::values;

/// The members of a JSON object, and the errors found so far. A member that nobody asks for is an
/// error, and so is one that is given twice (S-57).
#[derive(Debug)]
pub struct Fields {
    members: Map<String, Value>,
    /// The members that the call knows.
    known: Vec<&'static str>,
    prefix: String,
    errors: Vec<FieldError>,
}

impl Fields {
    /// Parses a body that must be one JSON object.
    pub fn parse(body: &Bytes) -> Result<Self, Problem> {
        let document = canonical::parse_document(body).map_err(|error| {
            Problem::BodyMalformed(format!("The body is not valid JSON: {error}."))
        })?;
        let Value::Object(members) = document.value else {
            let detail = "The body must be a JSON object.".to_owned();
            return Err(Problem::BodyMalformed(detail));
        };
        let mut fields = Self {
            members,
            known: Vec::new(),
            prefix: String::new(),
            errors: Vec::new(),
        };
        for name in &document.repeated {
            fields.refuse(&shorten(name), "is given twice");
        }
        Ok(fields)
    }

    /// Accepts a member and ignores its value.
    pub fn ignore(&mut self, name: &'static str) {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
    }

    /// Whether a member is null, which clears it.
    pub fn is_cleared(&mut self, name: &'static str) -> bool {
        self.ignore(name);
        self.members.get(name).is_some_and(Value::is_null)
    }

    /// Notes that a member is wrong if it is null.
    pub fn refuse_null(&mut self, name: &'static str) {
        if self.is_cleared(name) {
            self.refuse(name, "must not be null; leave it out to keep its value");
        }
    }

    /// A member that is not null.
    fn find(&mut self, name: &'static str) -> Option<&Value> {
        self.ignore(name);
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// Whether a member is present and not null.
    pub fn has(&mut self, name: &'static str) -> bool {
        self.find(name).is_some()
    }

    /// Notes that a member is wrong.
    pub fn refuse(&mut self, name: &str, detail: impl Into<String>) {
        let pointer = format!("{}{name}", self.prefix);
        self.errors.push(FieldError::new(&pointer, detail));
    }

    /// Whether a member is a number.
    pub fn is_number(&mut self, name: &'static str) -> bool {
        self.find(name).is_some_and(Value::is_number)
    }

    /// The value that `rule` reads. Notes its error.
    pub fn take<T>(&mut self, name: &str, value: Result<T, String>) -> Option<T> {
        value.map_err(|detail| self.refuse(name, detail)).ok()
    }

    /// An optional number, by a rule. The rule gets `None` for anything but an integer.
    pub fn number_by<T>(
        &mut self,
        name: &'static str,
        rule: impl FnOnce(Option<i64>) -> Result<T, String>,
    ) -> Option<T> {
        let number = self.find(name)?.as_i64();
        self.take(name, rule(number))
    }

    /// An optional text exactly as sent, by a rule.
    pub fn text_by<T>(
        &mut self,
        name: &'static str,
        rule: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.exact_text(name)?;
        self.take(name, rule(&text))
    }

    /// An optional integer.
    pub fn integer(&mut self, name: &'static str, bounds: RangeInclusive<i64>) -> Option<i64> {
        self.number_by(name, |number| values::check_integer(number, bounds))
    }

    /// A required id.
    pub fn required_id(&mut self, name: &'static str) -> Option<i64> {
        self.require(name);
        self.number_by(name, values::check_id)
    }

    /// Notes that a member is missing.
    pub fn require(&mut self, name: &'static str) {
        if !self.has(name) {
            self.refuse(name, "is missing");
        }
    }

    /// An optional boolean.
    pub fn boolean(&mut self, name: &'static str) -> Option<bool> {
        let value = self.find(name)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.refuse(name, "must be true or false");
        }
        flag
    }

    /// An optional text exactly as sent.
    pub fn exact_text(&mut self, name: &'static str) -> Option<String> {
        let value = self.find(name)?;
        let text = value.as_str().map(ToOwned::to_owned);
        if text.is_none() {
            self.refuse(name, "must be a string");
        }
        text
    }

    /// An optional text, by [`values::read_filled`].
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.text_by(name, values::read_filled)
    }

    /// An optional text to look for, by [`values::read_sought`].
    pub fn sought_text(&mut self, name: &'static str) -> Option<String> {
        let clean = |text: &str| unicode::clean(text).map_or(text.to_owned(), Cow::into_owned);
        self.text_by(name, |text| values::read_sought(text).map(clean))
    }

    /// An optional civil date, by [`values::read_date`].
    pub fn date(&mut self, name: &'static str) -> Option<Date> {
        self.text_by(name, values::read_date)
    }

    /// A list of texts, or one text.
    pub fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        let value = self.find(name)?;
        let texts: Option<Vec<_>> = match value {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(values) => values
                .iter()
                .map(|value| value.as_str().map(ToOwned::to_owned))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        if texts.is_none() {
            self.refuse(name, "must be a string or an array of strings");
        }
        texts
    }

    /// A list of at most `most` numbers, each as an integer or as its digits. Repeated numbers count
    /// once.
    pub fn numbers(
        &mut self,
        name: &'static str,
        bounds: RangeInclusive<i64>,
        most: usize,
    ) -> Option<Vec<i64>> {
        let values = self.find(name)?.as_array().cloned();
        let Some(values) = values.filter(|values| values.len() <= most) else {
            self.refuse(name, format!("must be an array of at most {most} numbers"));
            return None;
        };
        let is_digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let read = |value: &Value| match value.as_str() {
            Some(text) => Some(text).filter(is_digits)?.parse().ok(),
            None => value.as_i64(),
        };
        let mut numbers = BTreeSet::new();
        for value in &values {
            let Some(number) = read(value).filter(|number| bounds.contains(number)) else {
                let shown = shorten(&value.to_string());
                let (low, high) = (bounds.start(), bounds.end());
                self.refuse(
                    name,
                    format!("has {shown}, but each must be an integer from {low} to {high}"),
                );
                return None;
            };
            numbers.insert(number);
        }
        Some(numbers.into_iter().collect())
    }

    /// The members of an optional object. [`Fields::close`] takes over their errors.
    pub fn object(&mut self, name: &'static str) -> Option<Self> {
        let value = self.find(name)?;
        let Value::Object(members) = value else {
            self.refuse(name, "must be an object");
            return None;
        };
        Some(Self {
            members: members.clone(),
            known: Vec::new(),
            prefix: format!("{name}."),
            errors: Vec::new(),
        })
    }

    /// Takes over the errors of an inner object.
    pub fn close(&mut self, mut inner: Self) {
        inner.refuse_unknown();
        self.errors.append(&mut inner.errors);
    }

    /// Notes each member that the call does not know.
    fn refuse_unknown(&mut self) {
        let unknown = self
            .members
            .keys()
            .filter(|name| !self.known.contains(&name.as_str()));
        let unknown = unknown
            .take(limits::UNKNOWN_NAMES_SHOWN)
            .map(|name| shorten(name));
        let unknown: Vec<_> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        self.known.sort_unstable();
        let detail = format!("is not known here; known are {}", self.known.join(", "));
        for name in unknown {
            self.refuse(&name, &*detail);
        }
    }

    /// Whether no error was found so far.
    pub fn is_right(&self) -> bool {
        self.errors.is_empty()
    }

    /// Ends the reading. Fails with all errors, if there are any.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.refuse_unknown();
        crate::page::refuse_errors(self.errors)
    }
}

/// The beginning of an unknown name, for an answer.
pub fn shorten(name: &str) -> String {
    name.chars().take(limits::NAME_CHARACTERS_SHOWN).collect()
}
