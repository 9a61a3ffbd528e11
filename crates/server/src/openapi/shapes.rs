//! Rewrites schemas into the forms that generators of client libraries read best.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// The largest integer that generators keep in 32 bits.
const INT32_MAX: u64 = i32::MAX as u64;

/// Replaces copies of shared schemas by references, patterns of a single text by `const`, and names
/// the integers that need 64 bits.
pub(super) fn simplify(document: &mut Value) {
    visit(document, &mut |schema| {
        name_fixed_text(schema);
        name_width(schema);
    });
    let Some(shared) = document["components"]["schemas"].as_object() else {
        return;
    };
    let is_shared = |schema: &Value| schema["type"] == "object" && schema["properties"].is_object();
    let names: HashMap<String, String> = shared
        .iter()
        .filter(|(_name, schema)| is_shared(schema))
        .map(|(name, schema)| (schema.to_string(), name.clone()))
        .collect();
    let schemas = document["components"]["schemas"].as_object_mut();
    for schema in schemas.into_iter().flat_map(Map::values_mut) {
        if let Some(members) = schema.as_object_mut() {
            members.values_mut().for_each(|part| refer(part, &names));
        }
    }
}

/// Replaces a copy of a shared schema by a reference to it.
fn refer(part: &mut Value, names: &HashMap<String, String>) {
    if let Some(name) = names.get(&part.to_string()) {
        *part = json!({"$ref": format!("#/components/schemas/{name}")});
        return;
    }
    children(part).for_each(|child| refer(child, names));
}

/// Calls `change` for each object below `part`.
pub(super) fn visit(part: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    if let Some(members) = part.as_object_mut() {
        change(members);
    }
    children(part).for_each(|child| visit(child, change));
}

/// The members or entries of a part.
pub(super) fn children(part: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match part {
        Value::Object(members) => Box::new(members.values_mut()),
        Value::Array(entries) => Box::new(entries.iter_mut()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Box::new(std::iter::empty())
        }
    }
}

fn name_fixed_text(schema: &mut Map<String, Value>) {
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let inner = pattern.and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix('$'));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
    if let Some(text) = inner.filter(|text| text.chars().all(is_plain)) {
        let text = json!(text);
        schema.remove("pattern");
        schema.insert("const".to_owned(), text);
    }
}

fn name_width(schema: &mut Map<String, Value>) {
    let is_large = schema.get("maximum").and_then(Value::as_u64) > Some(INT32_MAX);
    if is_large && !schema.contains_key("format") {
        schema.insert("format".to_owned(), json!("int64"));
    }
}
