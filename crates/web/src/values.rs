//! Rules of single values. JSON bodies, query strings and forms read values by the same rules; each error is
//! the detail of a refusal.

use std::ops::RangeInclusive;

use chain::limits::{TEXT_CHARACTERS_MAX, YEARS};
use jiff::civil::Date;

use crate::limits;
use crate::problem::FieldError;

/// Notes an error of the value at `pointer`.
pub fn take<T>(value: Result<T, String>, pointer: &str, errors: &mut Vec<FieldError>) -> Option<T> {
    value
        .map_err(|detail| errors.push(FieldError::new(pointer, detail)))
        .ok()
}

/// An integer within bounds. `None` is anything else.
pub fn check_integer(number: Option<i64>, bounds: RangeInclusive<i64>) -> Result<i64, String> {
    let number = number.filter(|number| bounds.contains(number));
    number.ok_or_else(|| {
        let (low, high) = bounds.into_inner();
        format!("must be an integer from {low} to {high}")
    })
}

/// An id.
pub fn check_id(number: Option<i64>) -> Result<i64, String> {
    check_integer(number, 1..=limits::INTEGER_MAX)
}

/// A text without the white space around it, in one form and without characters that mislead readers
/// (S-96).
pub fn read_text(text: &str, characters: RangeInclusive<usize>) -> Result<String, String> {
    let text = unicode::clean(text.trim()).map_err(|fault| fault.to_string())?;
    // A selector that is removed may have hidden a space.
    let text = text.trim();
    if characters.contains(&text.chars().count()) {
        return Ok(text.to_owned());
    }
    let (least, most) = characters.into_inner();
    Err(format!("must have {least} to {most} characters"))
}

/// Like [`read_text`], with the bounds of most texts.
pub fn read_filled(text: &str) -> Result<String, String> {
    read_text(text, 1..=TEXT_CHARACTERS_MAX)
}

/// Like [`read_filled`], but the text may be empty.
pub fn read_optional(text: &str) -> Result<String, String> {
    read_text(text, 0..=TEXT_CHARACTERS_MAX)
}

/// A text to look for, without the white space around it. It is not stored, so it may have characters that a
/// text of older stores has.
pub fn read_sought(text: &str) -> Result<&str, String> {
    let (text, longest) = (text.trim(), TEXT_CHARACTERS_MAX);
    let is_sane =
        (1..=longest).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    is_sane.then_some(text).ok_or_else(|| {
        format!("must have 1 to {longest} characters, none of them a control character")
    })
}

/// A civil date.
pub fn read_date(text: &str) -> Result<Date, String> {
    let is_shaped = text.len() == 10 && text.is_ascii();
    let date = is_shaped.then(|| text.parse::<Date>().ok()).flatten();
    let date = date.filter(|date| YEARS.contains(&date.year()));
    date.ok_or_else(|| {
        let (first, last) = YEARS.into_inner();
        format!("must be a date YYYY-MM-DD in the years {first} to {last}")
    })
}
