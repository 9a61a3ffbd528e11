//! The strict parser: no duplicate members, bounded depth, no rounded integers.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{CanonicalError, deeper};

/// A text that is JSON.
#[derive(Debug)]
pub struct Document {
    /// Its value, with the last of repeated members.
    pub value: Value,
    /// The first few repeated members, each with the members that lead to it: `parties.agents`.
    pub repeated: Vec<String>,
}

/// So many repeated members are named, which bounds the work on a hostile text.
const REPEATED_NAMED: usize = 10;

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
    let document =
        parse_document(json).map_err(|error| CanonicalError::Syntax(error.to_string()))?;
    match document.repeated.first() {
        None => Ok(document.value),
        Some(name) => Err(CanonicalError::Syntax(format!(
            "the member {name:?} is given twice"
        ))),
    }
}

/// Reads JSON as `serde_json` does, and names the members that are given twice.
///
/// The caller bounds the length. Nesting over 127 levels is refused.
///
/// # Errors
/// The text is not one JSON value.
pub fn parse_document(json: &[u8]) -> Result<Document, serde_json::Error> {
    let mut repeated = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = Reader(&mut repeated).deserialize(&mut deserializer)?;
    deserializer.end()?;
    let mut named = BTreeSet::new();
    repeated.retain(|name| named.insert(name.clone()));
    Ok(Document { value, repeated })
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

/// Reads one value and notes repeated members, of which `serde_json` by itself would keep the last.
struct Reader<'a>(&'a mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Reader(&mut *self.0))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            let outer = self.0.len();
            let value = from.next_value_seed(Reader(&mut *self.0))?;
            for inner in self.0.iter_mut().skip(outer) {
                *inner = format!("{name}.{inner}");
            }
            if members.contains_key(&name) && self.0.len() < REPEATED_NAMED {
                self.0.push(name.clone());
            }
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}
