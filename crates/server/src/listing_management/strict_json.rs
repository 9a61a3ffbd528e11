//! Parses JSON and finds members that are given twice, of which `serde_json` would keep the last.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::limits;

/// A parsed text.
#[derive(Debug)]
pub(super) struct Document {
    /// Its value, with the last of repeated members.
    pub(super) value: Value,
    /// The first few repeated members, each with the members that lead to it, such as `parties.sellerConveyancer`.
    pub(super) repeated: Vec<String>,
}

/// Parses a text that must be one JSON value.
pub(super) fn parse(text: &[u8]) -> Result<Document, serde_json::Error> {
    let mut found = Found::default();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Reader(&mut found).deserialize(&mut deserializer)?;
    deserializer.end()?;
    let repeated = found.repeated;
    Ok(Document { value, repeated })
}

#[derive(Debug, Default)]
struct Found {
    /// The members that lead to the value that is being read.
    path: Vec<String>,
    repeated: Vec<String>,
}

/// Reads one value.
struct Reader<'a>(&'a mut Found);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
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
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element_seed(Reader(&mut *self.0))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            self.0.path.push(name.clone());
            let value = map.next_value_seed(Reader(&mut *self.0))?;
            if members.insert(name, value).is_some()
                && self.0.repeated.len() < limits::UNKNOWN_MEMBERS_SHOWN
            {
                let full = self.0.path.join(".");
                if !self.0.repeated.contains(&full) {
                    self.0.repeated.push(full);
                }
            }
            self.0.path.pop();
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_given_twice_is_named_with_its_path_once() {
        let text = br#"{"a":1,"b":{"c":[{"d":1,"d":2,"d":3}],"e":1},"a":2,"b":{"c":0,"e":{}}}"#;
        let document = parse(text).unwrap();
        assert_eq!(document.value, json!({"a": 2, "b": {"c": 0, "e": {}}}));
        assert_eq!(document.repeated, ["b.c.d", "a", "b"]);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(".{0,4}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn other_texts_read_as_serde_json_reads_them(value in any_json(), cut in 0_usize..400) {
            let text = value.to_string();
            let document = parse(text.as_bytes()).unwrap();
            prop_assert_eq!(document.value, value);
            prop_assert!(document.repeated.is_empty());
            let cut: Vec<u8> = text.bytes().take(cut).collect();
            prop_assert_eq!(parse(&cut).is_ok(), serde_json::from_slice::<Value>(&cut).is_ok());
        }
    }
}
