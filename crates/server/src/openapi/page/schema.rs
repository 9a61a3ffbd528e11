//! Renders schemas: types, bounds and members.

use serde_json::Value;

use super::html::Html;
use super::{list, members, resolve, text};

/// Keywords that bound a value, and the words that introduce the bound.
const BOUNDS: [(&str, &str); 10] = [
    ("minimum", "from "),
    ("maximum", "up to "),
    ("minLength", "characters: at least "),
    ("maxLength", "characters: at most "),
    ("minItems", "entries: at least "),
    ("maxItems", "entries: at most "),
    ("pattern", "pattern: "),
    ("default", "default: "),
    ("const", "always "),
    ("enum", "one of: "),
];

/// Renders a schema with its description and a table of its members.
pub(super) fn render(page: &mut Html, document: &Value, schema: &Value) {
    page.prose(text(&schema["description"]));
    if members(&schema["properties"]).next().is_some() || schema.get("allOf").is_some() {
        page.raw("<table><tbody>");
        rows(page, document, schema);
        page.raw("</tbody></table>");
    } else {
        page.raw("<p>");
        kind(page, document, schema);
        page.raw("</p>");
        bounds(page, schema);
    }
}

/// Renders one row for each member of an object, including the members of its `allOf` parts.
fn rows(page: &mut Html, document: &Value, schema: &Value) {
    for part in list(&schema["allOf"]) {
        rows(page, document, resolve(document, part));
    }
    for (name, member) in members(&schema["properties"]) {
        page.raw("<tr><td>").code(name);
        if list(&schema["required"])
            .iter()
            .any(|required| required == name)
        {
            page.raw("<br><small>required</small>");
        }
        page.raw("</td><td>");
        kind(page, document, member);
        page.raw("</td><td>").prose(text(&member["description"]));
        bounds(page, member);
        page.raw("</td></tr>");
    }
}

/// Renders the type of a value in a few words, such as `array of Property`.
pub(super) fn kind(page: &mut Html, document: &Value, schema: &Value) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        page.raw("<a href=\"#schema-")
            .text(name)
            .raw("\">")
            .text(name)
            .raw("</a>");
        return;
    }
    for choice in ["oneOf", "anyOf"] {
        for (index, one) in list(&schema[choice]).iter().enumerate() {
            if index > 0 {
                page.raw(" or ");
            }
            kind(page, document, one);
        }
    }
    let types: Vec<&str> = one_or_more(&schema["type"]).iter().map(text).collect();
    page.text(&types.join(" or "));
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        page.raw(" (").text(format).raw(")");
    }
    if let Some(items) = schema.get("items") {
        page.raw(" of ");
        kind(page, document, items);
    }
    nested(page, document, schema);
}

/// Renders the members of an unnamed object.
fn nested(page: &mut Html, document: &Value, schema: &Value) {
    if members(&schema["properties"]).next().is_some() {
        page.raw("<table><tbody>");
        rows(page, document, schema);
        page.raw("</tbody></table>");
    }
}

/// Renders the bounds of a value, if it has any.
pub(super) fn bounds(page: &mut Html, schema: &Value) {
    for (keyword, meaning) in BOUNDS {
        let Some(bound) = schema.get(keyword) else {
            continue;
        };
        page.raw("<small>").raw(meaning);
        for (index, value) in one_or_more(bound).iter().enumerate() {
            page.raw(if index > 0 { ", " } else { "" })
                .code(&shown(value));
        }
        page.raw("</small><br>");
    }
    if let Some(items) = schema
        .get("items")
        .filter(|items| items.get("$ref").is_none())
    {
        page.raw("<small>each entry: </small>");
        bounds(page, items);
    }
}

/// A value as JSON. Strings have no quotes unless they are empty.
fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() => text.to_owned(),
        Some(_) | None => value.to_string(),
    }
}

/// The entries of an array. Any other value counts as its only entry.
fn one_or_more(value: &Value) -> &[Value] {
    value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice)
}
