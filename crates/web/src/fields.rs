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

/// The members of a JSON object, and the errors found so far. A member that nobody asks for is an
/// error, and so is one that is given twice (S-57).
#[derive(Debug)]
pub struct Fields {
    members: Map<String, Value>,
    /// The members that the call knows.
    known: Vec<&'static str>,
    prefix: &'static str,
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
            prefix: "",
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
        self.errors.push(FieldError {
            pointer: format!("{}{name}", self.prefix),
            detail: detail.into(),
        });
    }

    /// Whether a member is a number.
    pub fn is_number(&mut self, name: &'static str) -> bool {
        self.find(name).is_some_and(Value::is_number)
    }

    /// An optional integer.
    pub fn integer(&mut self, name: &'static str, bounds: RangeInclusive<i64>) -> Option<i64> {
        let value = self.find(name)?;
        let number = value.as_i64().filter(|number| bounds.contains(number));
        if number.is_none() {
            let detail = format!(
                "must be an integer from {} to {}",
                bounds.start(),
                bounds.end()
            );
            self.refuse(name, detail);
        }
        number
    }

    /// An optional id.
    pub fn id(&mut self, name: &'static str) -> Option<i64> {
        self.integer(name, 1..=limits::INTEGER_MAX)
    }

    /// A required id.
    pub fn required_id(&mut self, name: &'static str) -> Option<i64> {
        self.require(name);
        self.id(name)
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

    /// An optional text without the white space around it, in one form and without characters that
    /// mislead readers (S-96).
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.bounded_text(name, 1, chain::limits::TEXT_CHARACTERS_MAX)
    }

    /// Like [`Fields::text`], but the text may be empty.
    pub fn text_or_empty(&mut self, name: &'static str) -> Option<String> {
        self.bounded_text(name, 0, chain::limits::TEXT_CHARACTERS_MAX)
    }

    /// Like [`Fields::text`], with bounds of its own.
    pub fn bounded_text(
        &mut self,
        name: &'static str,
        characters_min: usize,
        characters_max: usize,
    ) -> Option<String> {
        let text = self.exact_text(name)?;
        let text = match unicode::clean(text.trim()) {
            Ok(text) => text,
            Err(fault) => {
                self.refuse(name, fault.to_string());
                return None;
            }
        };
        if (characters_min..=characters_max).contains(&text.chars().count()) {
            return Some(text.into_owned());
        }
        let detail = format!("must have {characters_min} to {characters_max} characters");
        self.refuse(name, detail);
        None
    }

    /// An optional text to look for, without the white space around it. It is not stored, so it may
    /// have characters that a text of older stores has.
    pub fn sought_text(&mut self, name: &'static str) -> Option<String> {
        let text = self.exact_text(name)?;
        let sought = crate::page::read_sought(&text);
        match sought {
            Ok(text) => return Some(unicode::clean(text).map_or(text.to_owned(), Cow::into_owned)),
            Err(detail) => self.refuse(name, detail),
        }
        None
    }

    /// An optional civil date.
    pub fn date(&mut self, name: &'static str) -> Option<Date> {
        let text = self.exact_text(name)?;
        let is_shaped = text.len() == 10 && text.is_ascii();
        let date = is_shaped.then(|| text.parse::<Date>().ok()).flatten();
        let date = date.filter(|date| chain::limits::YEARS.contains(&date.year()));
        if date.is_none() {
            let detail = format!(
                "must be a date YYYY-MM-DD in the years {} to {}",
                chain::limits::YEARS.start(),
                chain::limits::YEARS.end()
            );
            self.refuse(name, detail);
        }
        date
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
            prefix: name,
            errors: Vec::new(),
        })
    }

    /// Takes over the errors of an inner object.
    pub fn close(&mut self, mut inner: Self) {
        inner.refuse_unknown();
        let prefix = inner.prefix;
        self.errors
            .extend(inner.errors.into_iter().map(|error| FieldError {
                pointer: error.pointer.replacen(prefix, &format!("{prefix}."), 1),
                detail: error.detail,
            }));
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
