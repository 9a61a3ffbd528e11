//! The strict parser: no duplicate members, bounded depth, no rounded integers.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{CanonicalError, deeper};

/// Reads JSON strictly: RFC 8259 text in UTF-8 without a byte order mark, no
/// duplicate member (RFC 8785 section 3.1), nothing after the value.
///
/// The caller bounds the length. An integer that does not fit 64 bits is refused, because
/// `serde_json` would round it.
///
/// # Errors
/// [`CanonicalError::Syntax`], [`CanonicalError::TooDeep`] for nesting over
/// 64 levels, [`CanonicalError::IntegerOutOfRange`].
pub fn parse(json: &[u8]) -> Result<Value, CanonicalError> {
    // The depth is checked before the parser recurses.
    check_depth_and_integers(json)?;
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = StrictValue
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| CanonicalError::Syntax(error.to_string()))
}

/// Scans the text outside strings. Text that is not JSON may pass, because the parser refuses it
/// afterwards.
fn check_depth_and_integers(json: &[u8]) -> Result<(), CanonicalError> {
    let mut depth = 0_usize;
    let mut rest = json;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            b'"' => after_string(tail),
            b'-' | b'0'..=b'9' => after_number(rest)?,
            b'[' | b'{' => {
                depth = deeper(depth)?;
                tail
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                tail
            }
            _ => tail,
        };
    }
    Ok(())
}

/// The text after a string. `rest` begins after the opening quote.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some((&byte, tail)) = rest.split_first() {
        match byte {
            b'"' => return tail,
            b'\\' => rest = tail.get(1..).unwrap_or_default(),
            _ => rest = tail,
        }
    }
    rest
}

/// The text after a number. Refuses an integer that does not fit 64 bits.
fn after_number(rest: &[u8]) -> Result<&[u8], CanonicalError> {
    let length = rest
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
        .unwrap_or(rest.len());
    let (literal, tail) = rest.split_at(length);
    let digits = literal.strip_prefix(b"-").unwrap_or(literal);
    if digits.iter().all(u8::is_ascii_digit) {
        let text = std::str::from_utf8(literal).unwrap_or_default();
        if text.parse::<i64>().is_err() && text.parse::<u64>().is_err() && !digits.is_empty() {
            return Err(CanonicalError::IntegerOutOfRange);
        }
    }
    Ok(tail)
}

/// Builds a [`Value`] and refuses a repeated member name, of which `serde_json` by itself would
/// keep the last value.
struct StrictValue;

impl<'de> DeserializeSeed<'de> for StrictValue {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            let value = from.next_value_seed(Self)?;
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member name comes twice in one object"));
            }
        }
        Ok(Value::Object(members))
    }
}
