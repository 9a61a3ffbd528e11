//! Opens the lists of words in answers and names schemas as readers would.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::shapes::{children, visit};

const PLACE: &str = "#/components/schemas/";

/// Replaces each closed list of words in an answer by a text that describes the known words, because a
/// later version may send further ones (docs/versions.md). Requests keep their lists.
pub(super) fn open_answers(document: &mut Value) {
    let mut answered = BTreeSet::new();
    let operations = document["paths"].as_object_mut().into_iter();
    let operations = operations.flat_map(Map::values_mut);
    let operations = operations.filter_map(Value::as_object_mut);
    for operation in operations.flat_map(Map::values_mut) {
        let answers = &mut operation["responses"];
        visit(answers, &mut open);
        collect(answers, &mut answered);
    }
    let schemas = &mut document["components"]["schemas"];
    let mut opened = BTreeSet::new();
    while let Some(name) = answered.pop_first() {
        if opened.contains(&name) {
            continue;
        }
        let schema = &mut schemas[&name];
        visit(schema, &mut open);
        collect(schema, &mut answered);
        opened.insert(name);
    }
}

/// Adds the names of the schemas that a part refers to.
fn collect(part: &mut Value, names: &mut BTreeSet<String>) {
    if let Some(name) = part["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix(PLACE))
    {
        names.insert(name.to_owned());
    }
    children(part).for_each(|child| collect(child, names));
}

fn open(schema: &mut Map<String, Value>) {
    let Some(Value::Array(words)) = schema.get("enum") else {
        return;
    };
    let words = words.iter().filter_map(Value::as_str);
    let words = words.map(|word| match word {
        "" => "empty".to_owned(),
        word => format!("`{word}`"),
    });
    let known = words.collect::<Vec<_>>().join(", ");
    let known = format!("Known values: {known}. Later versions may send others.");
    let described = schema.get("description").and_then(Value::as_str);
    let described = described.map_or_else(|| known.clone(), |text| format!("{text} {known}"));
    schema.remove("enum");
    schema.insert("description".to_owned(), json!(described));
}

/// Gives the schemas of lists, pages and wrapped answers names that tell what they hold: `ListingPage`
/// and not `List_Listing`.
pub(super) fn rename(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else {
        return;
    };
    let named = std::mem::take(schemas).into_iter();
    *schemas = named
        .map(|(name, schema)| (name_of(&name), schema))
        .collect();
    visit(document, &mut |part| {
        let reference = part.get("$ref").and_then(Value::as_str);
        if let Some(name) = reference.and_then(|text| text.strip_prefix(PLACE)) {
            let renamed = format!("{PLACE}{}", name_of(name));
            part.insert("$ref".to_owned(), json!(renamed));
        }
    });
}

fn name_of(name: &str) -> String {
    if let Some(inner) = name.strip_prefix("Data_Vec_") {
        format!("{inner}List")
    } else if let Some(inner) = name.strip_prefix("Data_") {
        format!("{inner}Answer")
    } else if let Some(inner) = name.strip_prefix("List_") {
        format!("{inner}Page")
    } else {
        name.to_owned()
    }
}
