//! JSON objects with their members in another order, which means the same (RFC 8259 section 1).

use generate::random::Random;

/// The beginning of the member whose value stays as it is: `data` is sent as it was signed (S-13).
const KEPT: &str = "\"data";

/// Shuffles the members of an object and of the objects in it. `None` if the text is no object.
pub(super) fn shuffle(text: &str, random: &mut Random) -> Option<String> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let members = split(inner).into_iter();
    let mut members: Vec<_> = members
        .map(|member| shuffle_value(member, random))
        .collect();
    for place in (1..members.len()).rev() {
        members.swap(place, random.index(place + 1));
    }
    Some(format!("{{{}}}", members.join(",")))
}

/// A member, with the members of its value shuffled.
fn shuffle_value(member: &str, random: &mut Random) -> String {
    let shuffled = member
        .split_once("\":")
        .filter(|(name, _value)| *name != KEPT)
        .and_then(|(name, value)| Some(format!("{name}\":{}", shuffle(value, random)?)));
    shuffled.unwrap_or_else(|| member.to_owned())
}

/// The parts between the commas that are in no string, object or array.
fn split(inner: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut is_text, mut is_escaped) = (0, 0_usize, false, false);
    for (at, byte) in inner.bytes().enumerate() {
        let was_escaped = std::mem::take(&mut is_escaped);
        match byte {
            _ if was_escaped => {}
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            "[a-z,{}\\[\\]:\"\\\\é]{0,8}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let name = "[a-z,{\"\\\\]{0,4}";
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(name, inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn another_order_means_the_same(value in any_value(), seed: u64) {
            let text = value.to_string();
            match shuffle(&text, &mut Random::new(seed)) {
                Some(shuffled) => prop_assert_eq!(serde_json::from_str::<Value>(&shuffled).unwrap(), value),
                None => prop_assert!(!value.is_object()),
            }
        }
    }

    #[test]
    fn only_members_outside_data_change_places() {
        let text =
            r#"{"data":{"a":1,"b":2,"c":3},"provenance":{"hash":"x","kid":"y","signature":"z"}}"#;
        let shuffled: std::collections::BTreeSet<_> = (0..100)
            .filter_map(|seed| shuffle(text, &mut Random::new(seed)))
            .collect();
        // Two orders outside, and six in the provenance.
        assert_eq!(shuffled.len(), 12);
        let kept = r#""data":{"a":1,"b":2,"c":3}"#;
        assert!(shuffled.iter().all(|text| text.contains(kept)));
    }
}
