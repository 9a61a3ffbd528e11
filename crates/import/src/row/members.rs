//! The flat members of a row, before its type is known.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::error::{RowError, quoted};

/// The member that names the type of a row.
pub(super) const TYPE: &str = "type";

/// The member of a `party` row that an empty CSV cell clears.
const CLEARED_WHEN_EMPTY: &str = "name";

/// The names and values of a row, without empty CSV cells.
#[derive(Debug)]
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

/// A value of a row, before its type is checked.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// JSON null.
    Null,
    /// JSON true or false.
    Boolean(bool),
    /// A JSON integer.
    Integer(i128),
    /// A JSON string or a CSV cell.
    Text(Cow<'a, str>),
    /// A JSON array of strings.
    List(Vec<String>),
    /// Any other value, by the name that a message uses.
    Other(&'static str),
}

impl<'a> Members<'a> {
    pub(super) fn from_json(line: &'a str) -> Result<Self, RowError> {
        serde_json::from_str(line).map_err(|error| RowError::NotJson(error.to_string()))
    }

    pub(super) fn from_cells(columns: &'a [String], cells: &'a [String]) -> Result<Self, RowError> {
        if columns.len() != cells.len() {
            return Err(RowError::CellCount {
                found: cells.len(),
                expected: columns.len(),
            });
        }
        let pairs = || {
            columns
                .iter()
                .zip(cells)
                .map(|(name, cell)| (name.as_str(), cell.trim()))
        };
        // An empty cell is an absent member, except that the empty name of a party clears it.
        let is_party = pairs().any(|pair| pair == (TYPE, "party"));
        let present = pairs()
            .filter(|(name, cell)| !cell.is_empty() || (is_party && *name == CLEARED_WHEN_EMPTY));
        Ok(Self(
            present
                .map(|(name, cell)| (Cow::from(name), Value::Text(Cow::from(cell))))
                .collect(),
        ))
    }

    /// Removes the row's type and returns it.
    pub(super) fn take_type(&mut self) -> Result<Cow<'a, str>, RowError> {
        match self.take(TYPE) {
            Some(Value::Text(text)) => Ok(text),
            None | Some(Value::Null) => Err(RowError::MissingType),
            Some(other) => Err(RowError::unknown_type(&other.describe())),
        }
    }

    /// Removes the value of a member and returns it; `None` when the member is absent.
    pub(super) fn take(&mut self, name: &str) -> Option<Value<'a>> {
        let position = self.0.iter().position(|(member, _)| member == name)?;
        Some(self.0.swap_remove(position).1)
    }

    /// Finds a member that is neither `type` nor one of the known members.
    pub(super) fn find_unknown(&self, known: &[&str]) -> Option<&str> {
        self.0
            .iter()
            .map(|(name, _)| name.as_ref())
            .find(|name| *name != TYPE && !known.contains(name))
    }

    /// Refuses a member that appears twice. Call it after the type is taken and unknown members are
    /// ruled out: then only a few names can occur, so a repeated one is found quickly.
    pub(super) fn check_repeated(&self) -> Result<(), RowError> {
        for (position, (name, _)) in self.0.iter().enumerate() {
            let mut later = self.0.iter().skip(position + 1);
            if name == TYPE || later.any(|(other, _)| other == name) {
                return Err(RowError::RepeatedMember(quoted(name)));
            }
        }
        Ok(())
    }
}

impl Value<'_> {
    /// The value as a message shows it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Boolean(value) => value.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Text(text) => text.to_string(),
            Self::List(_) => "[…]".to_owned(),
            Self::Other(name) => (*name).to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the members of one row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(8);
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// A member's name, borrowed from the line unless it contains escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Value::Integer(number.into()))
    }

    fn visit_f64<E>(self, _number: f64) -> Result<Self::Value, E> {
        // Refused even if it is a whole number: 1e3 and 250000.0 are mistakes in a file of whole
        // pounds, and large numbers have lost digits already.
        Ok(Value::Other(
            "a number with a fraction, an exponent or too many digits",
        ))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        let mut is_all_text = true;
        // serde_json limits the depth of arrays; the length of the line limits their number.
        while let Some(element) = sequence.next_element::<Value<'de>>()? {
            match element {
                Value::Text(text) => texts.push(text.into_owned()),
                Value::Null
                | Value::Boolean(_)
                | Value::Integer(_)
                | Value::List(_)
                | Value::Other(_) => is_all_text = false,
            }
        }
        if is_all_text {
            Ok(Value::List(texts))
        } else {
            Ok(Value::Other("an array with something else than strings"))
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}
