//! Reads typed values from the members of a row and reports wrong values.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use address::postcode_spaced;
use chain::ids::Uprn;
use chain::listing::{Tenure, TransactionType};
use chain::milestone::{MilestoneType, find_by_key};
use jiff::civil::Date;

use super::error::{RowError, quoted};
use super::members::{Members, Value};
use super::row_type::RowType;

/// The members of a row of a known type; each is valid for the type and appears once.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    row_type: RowType,
    members: Members<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(row_type: RowType, members: Members<'a>) -> Result<Self, RowError> {
        if let Some(member) = members.find_unknown(row_type.members()) {
            return Err(RowError::UnknownMember {
                row_type: row_type.name(),
                member: quoted(member),
                known: row_type.members().join(", "),
            });
        }
        members.check_repeated()?;
        Ok(Self { row_type, members })
    }

    /// A required text that must not be empty.
    pub(super) fn text(&mut self, member: &'static str) -> Result<String, RowError> {
        let text = self.text_or_empty(member)?;
        if text.is_empty() {
            return Err(self.missing(member));
        }
        Ok(text)
    }

    /// An optional text; empty when absent.
    pub(super) fn text_or_empty(&mut self, member: &'static str) -> Result<String, RowError> {
        Ok(self.optional_text(member)?.unwrap_or_default())
    }

    /// A required text that may be empty.
    pub(super) fn text_maybe_empty(&mut self, member: &'static str) -> Result<String, RowError> {
        let text = self.optional_text(member)?;
        text.ok_or_else(|| self.missing(member))
    }

    /// An optional text.
    pub(super) fn optional_text(
        &mut self,
        member: &'static str,
    ) -> Result<Option<String>, RowError> {
        let Some(value) = self.take(member) else {
            return Ok(None);
        };
        let text = trim(member, value)?;
        read_text(member, &text, chain::limits::TEXT_CHARACTERS_MAX).map(Some)
    }

    /// A reference that rows use for each other: 1 to 64 characters.
    pub(super) fn reference(&mut self, member: &'static str) -> Result<String, RowError> {
        let text = match self.take(member) {
            None => return Err(self.missing(member)),
            // Many systems number their listings and write the number without quotes.
            Some(Value::Integer(number)) => Cow::Owned(number.to_string()),
            Some(value) => trim(member, value)?,
        };
        let text = read_text(member, &text, chain::limits::EXTERNAL_ID_CHARACTERS_MAX)?;
        if text.is_empty() {
            return Err(self.missing(member));
        }
        Ok(text)
    }

    pub(super) fn uprn(&mut self, member: &'static str) -> Result<Uprn, RowError> {
        let number = self.integer(member, 1..=chain::limits::UPRN_MAX)?;
        let number = number.ok_or_else(|| self.missing(member))?;
        Uprn::new(number).ok_or_else(|| {
            RowError::wrong_value(member, &number.to_string(), "must be 1 to 12 digits")
        })
    }

    pub(super) fn postcode(&mut self, member: &'static str) -> Result<String, RowError> {
        let text = self.text(member)?;
        postcode_spaced(&text).ok_or_else(|| {
            RowError::wrong_value(member, &text, "must be a full UK postcode, such as LS1 4AP")
        })
    }

    /// An integer, as a JSON number or as digits; `None` when absent.
    pub(super) fn integer(
        &mut self,
        member: &'static str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, RowError> {
        let rule = || {
            let (low, high) = (range.start(), range.end());
            format!("must be a whole number from {low} to {high}, written with digits only")
        };
        let refused = |value: &str| RowError::wrong_value(member, value, rule());
        let number = match self.take(member) {
            None => return Ok(None),
            Some(Value::Integer(number)) => {
                i64::try_from(number).map_err(|_| refused(&number.to_string()))?
            }
            Some(Value::Text(text)) => {
                let digits = text.trim();
                let is_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let number = digits.parse().ok().filter(|_| is_digits);
                number.ok_or_else(|| refused(&text))?
            }
            Some(other) => return Err(refused(&other.describe())),
        };
        if !range.contains(&number) {
            return Err(refused(&number.to_string()));
        }
        Ok(Some(number))
    }

    /// `true` or `false`, as a JSON value or as text; `None` when absent.
    pub(super) fn boolean(&mut self, member: &'static str) -> Result<Option<bool>, RowError> {
        let value = match self.take(member) {
            None => return Ok(None),
            Some(Value::Boolean(value)) => return Ok(Some(value)),
            Some(other) => other.describe(),
        };
        match value.trim() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(RowError::wrong_value(
                member,
                &value,
                "must be true or false",
            )),
        }
    }

    pub(super) fn date(&mut self, member: &'static str) -> Result<Date, RowError> {
        let text = self.text(member)?;
        if !is_date_shaped(&text) {
            return Err(RowError::wrong_value(
                member,
                &text,
                "must be written YYYY-MM-DD",
            ));
        }
        let date: Option<Date> = text.parse().ok();
        date.filter(|date| chain::limits::YEARS.contains(&date.year()))
            .ok_or_else(|| {
                let rule = format!(
                    "must be a day of the calendar from {} to {}",
                    chain::limits::YEARS.start(),
                    chain::limits::YEARS.end()
                );
                RowError::wrong_value(member, &text, rule)
            })
    }

    /// An entry of the milestone catalogue, by its key.
    pub(super) fn milestone_type(
        &mut self,
        member: &'static str,
    ) -> Result<&'static MilestoneType, RowError> {
        let text = self.text(member)?;
        find_by_key(&text).ok_or_else(|| {
            let rule = "is no key of the milestone catalogue: write one such as sstc or exchange";
            RowError::wrong_value(member, &text, rule)
        })
    }

    /// The tenure; `None` when absent or empty.
    pub(super) fn tenure(&mut self, member: &'static str) -> Result<Option<Tenure>, RowError> {
        let text = self.text_or_empty(member)?;
        if text.is_empty() {
            return Ok(None);
        }
        let tenure = Tenure::parse(&text);
        tenure.map(Some).ok_or_else(|| {
            let rule = one_of(Tenure::ALL.map(Tenure::as_str));
            RowError::wrong_value(member, &text, rule)
        })
    }

    /// Transaction types: an array, or one text separated by `;`; duplicates are dropped.
    pub(super) fn transaction_types(
        &mut self,
        member: &'static str,
    ) -> Result<Vec<TransactionType>, RowError> {
        let texts = match self.take(member) {
            None => return Ok(Vec::new()),
            Some(Value::List(texts)) => texts,
            Some(Value::Text(text)) => text
                .split(';')
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect(),
            Some(other) => {
                let rule = "must be an array of strings, or one text with `;` between them";
                return Err(RowError::wrong_value(member, &other.describe(), rule));
            }
        };
        let mut types = Vec::new();
        for text in texts {
            let parsed = TransactionType::parse(text.trim()).ok_or_else(|| {
                let rule = one_of(TransactionType::ALL.map(TransactionType::as_str));
                RowError::wrong_value(member, &text, rule)
            })?;
            if !types.contains(&parsed) {
                types.push(parsed);
            }
        }
        Ok(types)
    }

    /// The value of one of a few allowed words.
    pub(super) fn choice<T: Copy, const N: usize>(
        &mut self,
        member: &'static str,
        choices: &[(&'static str, T); N],
    ) -> Result<T, RowError> {
        let text = self.text(member)?;
        let chosen = choices.iter().find(|(word, _)| *word == text);
        chosen.map(|(_, value)| *value).ok_or_else(|| {
            let rule = one_of(choices.each_ref().map(|(word, _)| *word));
            RowError::wrong_value(member, &text, rule)
        })
    }

    /// Removes a value and returns it; null counts as absent.
    fn take(&mut self, member: &'static str) -> Option<Value<'a>> {
        let value = self.members.take(member);
        value.filter(|value| !matches!(value, Value::Null))
    }

    fn missing(&self, member: &'static str) -> RowError {
        RowError::MissingMember {
            row_type: self.row_type.name(),
            member,
        }
    }
}

/// The text of a value without surrounding spaces.
fn trim<'a>(member: &'static str, value: Value<'a>) -> Result<Cow<'a, str>, RowError> {
    match value {
        Value::Text(Cow::Borrowed(text)) => Ok(Cow::Borrowed(text.trim())),
        Value::Text(Cow::Owned(text)) => Ok(Cow::Owned(text.trim().to_owned())),
        Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::List(_) | Value::Other(_) => {
            let rule = "must be a text, written in quotes";
            Err(RowError::wrong_value(member, &value.describe(), rule))
        }
    }
}

/// The text in one form. An error if it has characters that mislead readers (S-96), or too many.
fn read_text(member: &'static str, text: &str, max_characters: usize) -> Result<String, RowError> {
    let clean = unicode::clean(text)
        .map_err(|fault| RowError::wrong_value(member, text, fault.to_string()))?;
    // A selector that is removed may have hidden a space.
    let clean = clean.trim();
    let characters = clean.chars().count();
    if characters > max_characters {
        let rule = format!("has {characters} characters: shorten it to {max_characters}");
        return Err(RowError::wrong_value(member, text, rule));
    }
    Ok(clean.to_owned())
}

/// Whether the text has the form `0000-00-00`. The date parser also accepts other ISO 8601 forms
/// and times.
fn is_date_shaped(text: &str) -> bool {
    text.len() == DATE_SHAPE.len()
        && text
            .bytes()
            .zip(DATE_SHAPE.bytes())
            .all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                hyphen => byte == hyphen,
            })
}

fn one_of<const N: usize>(words: [&str; N]) -> String {
    format!("must be one of {}", words.join(", "))
}

const DATE_SHAPE: &str = "0000-00-00";
