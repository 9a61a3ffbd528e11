//! Checks a real answer against a document, more strictly than JSON Schema
//! asks: what the document does not name must not be there. A keyword that is
//! not known here fails, so that nothing goes unchecked.

use http::Method;
use serde_json::{Map, Value};

use crate::world::Answer;

/// Finds what the document says of this answer and checks all of it.
#[track_caller]
pub(super) fn check_answer(document: &Value, path: &str, method: &Method, answer: &Answer) {
    let at = format!("{method} {path} {}", answer.status);
    let method = method.as_str().to_lowercase();
    let response = &document["paths"][path][method]["responses"][answer.status.to_string()];
    assert!(response.is_object(), "{at} is not described");
    let headers = response["headers"].as_object().unwrap();
    for (name, header) in headers {
        let header = resolve(document, header);
        let value = answer.header(name);
        assert!(
            header["required"] != true || !value.is_empty(),
            "{at} lacks {name}"
        );
        if !value.is_empty() {
            let number = value.parse::<u64>().map(Value::from);
            let is_integer = header["schema"]["type"] == "integer";
            let value = number
                .ok()
                .filter(|_| is_integer)
                .unwrap_or_else(|| value.into());
            check(document, &header["schema"], &value, &format!("{at} {name}"));
        }
    }
    // What HTTP itself adds is nobody's to describe.
    let transport = ["content-type", "content-length", "date"];
    for name in answer.headers.keys().map(http::HeaderName::as_str) {
        let is_described = headers.keys().any(|known| known.eq_ignore_ascii_case(name));
        assert!(
            is_described || transport.contains(&name),
            "{at}: {name} is not described"
        );
    }
    let Some(content) = response.get("content") else {
        assert!(answer.body.is_empty(), "{at} has a body");
        return;
    };
    let schema = &content[answer.header("content-type")]["schema"];
    assert!(
        schema.is_object(),
        "{at}: {} is not described",
        answer.header("content-type")
    );
    let body = if answer.header("content-type").contains("json") {
        answer.json()
    } else {
        String::from_utf8(answer.body.clone()).unwrap().into()
    };
    check(document, schema, &body, &at);
}

/// Checks a value against a schema of the document.
#[track_caller]
pub(super) fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    let mut members = Vec::new();
    check_part(document, schema, value, at, &mut members);
    if let Value::Object(object) = value
        && !members.is_empty()
    {
        for name in object.keys() {
            assert!(members.contains(name), "{at}.{name} is not described");
        }
    }
}

fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(&reference[1..]).unwrap(),
        None => part,
    }
}

/// One schema of several that describe the value together; notes the members
/// that it describes.
fn check_part(
    document: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    members: &mut Vec<String>,
) {
    let schema = resolve(document, schema).as_object().unwrap();
    for (keyword, rule) in schema {
        let holds = match keyword.as_str() {
            "description" | "default" | "title" => true,
            "type" => has_type(rule, value),
            "enum" => rule.as_array().unwrap().contains(value),
            "format" => has_format(rule.as_str().unwrap(), value),
            "pattern" => has_pattern(rule.as_str().unwrap(), value),
            "minimum" => value.as_f64() >= rule.as_f64(),
            "maximum" => value.as_f64() <= rule.as_f64(),
            "minLength" => length(value) >= rule.as_u64(),
            "maxLength" => length(value) <= rule.as_u64(),
            "minItems" => value.as_array().unwrap().len() as u64 >= rule.as_u64().unwrap(),
            "maxItems" => value.as_array().unwrap().len() as u64 <= rule.as_u64().unwrap(),
            "items" => {
                for (index, entry) in value.as_array().unwrap().iter().enumerate() {
                    check(document, rule, entry, &format!("{at}[{index}]"));
                }
                true
            }
            "allOf" => {
                for part in rule.as_array().unwrap() {
                    check_part(document, part, value, at, members);
                }
                true
            }
            "required" => {
                let names = rule.as_array().unwrap();
                names
                    .iter()
                    .all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "properties" => {
                check_members(document, rule.as_object().unwrap(), value, at, members);
                true
            }
            other => panic!("{at}: the keyword {other} is not checked here"),
        };
        assert!(holds, "{at}: {value} breaks {keyword} {rule}");
    }
}

fn check_members(
    document: &Value,
    described: &Map<String, Value>,
    value: &Value,
    at: &str,
    members: &mut Vec<String>,
) {
    for (name, schema) in described {
        members.push(name.clone());
        if let Some(member) = value.get(name) {
            check(document, schema, member, &format!("{at}.{name}"));
        }
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not checked here"),
    };
    let names = rule
        .as_array()
        .map_or(std::slice::from_ref(rule), Vec::as_slice);
    names.iter().any(|name| is(name.as_str().unwrap()))
}

fn has_format(format: &str, value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return value.is_null() || format.starts_with("int");
    };
    match format {
        "date" => text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10,
        "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
        "uuid" => text.parse::<uuid::Uuid>().is_ok() && text.len() == 36,
        other => panic!("the format {other} is not checked here"),
    }
}

/// Patterns of two kinds: a fixed text, and characters of a class, perhaps so
/// many.
fn has_pattern(pattern: &str, value: &Value) -> bool {
    let text = value.as_str().unwrap();
    let whole = pattern
        .strip_prefix('^')
        .and_then(|rest| rest.strip_suffix('$'))
        .unwrap();
    let is_base64url = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_slug = |c: char| c.is_ascii_lowercase() || c == '-';
    match whole.split_once('[') {
        None => text == whole,
        Some((_, "A-Za-z0-9_-]+")) => text.chars().all(is_base64url) && !text.is_empty(),
        Some((_, "A-Za-z0-9_-]{43}")) => text.chars().all(is_base64url) && text.len() == 43,
        Some((start, "a-z-]+")) => text.strip_prefix(start).unwrap().chars().all(is_slug),
        Some(_) => panic!("the pattern {pattern} is not checked here"),
    }
}

fn length(value: &Value) -> Option<u64> {
    value.as_str().map(|text| text.chars().count() as u64)
}
