//! Checks a real answer against a document, more strictly than JSON Schema does: an answer has no
//! member that the document does not name. An unknown keyword fails, so that nothing goes unchecked.

use http::Method;
use serde_json::{Map, Value};

use crate::test_server::Answer;

/// Finds the description of this answer in the document and checks all of it.
#[track_caller]
pub(super) fn check_answer(document: &Value, path: &str, method: &Method, answer: &Answer) {
    let at = format!("{method} {path} {}", answer.status);
    // Each GET operation describes HEAD as well.
    let is_head = method == Method::HEAD;
    let described = if is_head {
        "get".to_owned()
    } else {
        method.as_str().to_lowercase()
    };
    let response = &document["paths"][path][described]["responses"][answer.status.to_string()];
    assert!(response.is_object(), "{at} is not described");
    let headers = response["headers"].as_object().unwrap();
    for (name, header) in headers {
        let header = resolve(document, header);
        let value = answer.header(name);
        if value.is_empty() {
            assert_ne!(header["required"], true, "{at} lacks {name}");
            continue;
        }
        let number = value.parse::<u64>().ok().map(Value::from);
        let number = number.filter(|_| header["schema"]["type"] == "integer");
        let value = number.unwrap_or_else(|| value.into());
        check(document, &header["schema"], &value, &format!("{at} {name}"));
    }
    // HTTP itself adds these.
    let transport = ["content-type", "content-length", "date"];
    for name in answer.headers.keys().map(http::HeaderName::as_str) {
        let is_described = headers.keys().any(|known| known.eq_ignore_ascii_case(name));
        let is_known = is_described || transport.contains(&name);
        assert!(is_known, "{at}: {name} is not described");
    }
    let Some(content) = response.get("content").filter(|_| !is_head) else {
        assert!(answer.body.is_empty(), "{at} has a body");
        return;
    };
    let kind = answer.header("content-type");
    let schema = &content[kind]["schema"];
    assert!(schema.is_object(), "{at}: {kind} is not described");
    let body = if kind.contains("json") {
        answer.json()
    } else {
        String::from_utf8(answer.body.clone()).unwrap().into()
    };
    check(document, schema, &body, &at);
}

/// Checks a value against a schema of the document.
#[track_caller]
pub(super) fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Err(fault) = judge(document, schema, value, at) {
        panic!("{fault}");
    }
}

/// A complete value: it has no member that is not described.
fn judge(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let mut members = Vec::new();
    judge_part(document, schema, (value, at), &mut members)?;
    let Value::Object(object) = value else {
        return Ok(());
    };
    match object.keys().find(|name| !members.contains(name)) {
        Some(name) if !members.is_empty() => Err(format!("{at}.{name} is not described")),
        Some(_) | None => Ok(()),
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
fn judge_part(
    document: &Value,
    schema: &Value,
    (value, at): (&Value, &str),
    members: &mut Vec<String>,
) -> Result<(), String> {
    let schema = resolve(document, schema).as_object().unwrap();
    for (keyword, rule) in schema {
        let holds = match keyword.as_str() {
            "items" => {
                for (index, entry) in value.as_array().into_iter().flatten().enumerate() {
                    judge(document, rule, entry, &format!("{at}[{index}]"))?;
                }
                true
            }
            "allOf" => {
                for part in rule.as_array().unwrap() {
                    judge_part(document, part, (value, at), members)?;
                }
                true
            }
            "oneOf" => count_fitting(document, rule, (value, at), members) == 1,
            "anyOf" => count_fitting(document, rule, (value, at), members) > 0,
            "properties" => {
                judge_members(document, rule.as_object().unwrap(), (value, at), members)?;
                true
            }
            other => bounds_hold(other, rule, value),
        };
        if !holds {
            return Err(format!("{at}: {value} breaks {keyword} {rule}"));
        }
    }
    Ok(())
}

/// Of schemas that are alternatives, how many the value fits.
fn count_fitting(
    document: &Value,
    choices: &Value,
    (value, at): (&Value, &str),
    members: &mut Vec<String>,
) -> usize {
    let mut count = 0;
    for choice in choices.as_array().unwrap() {
        let mut own = Vec::new();
        let fits = judge_part(document, choice, (value, at), &mut own);
        if fits.is_ok() && judge(document, choice, value, at).is_ok() {
            members.append(&mut own);
            count += 1;
        }
    }
    count
}

fn judge_members(
    document: &Value,
    described: &Map<String, Value>,
    (value, at): (&Value, &str),
    members: &mut Vec<String>,
) -> Result<(), String> {
    for (name, schema) in described {
        members.push(name.clone());
        if let Some(member) = value.get(name) {
            judge(document, schema, member, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}

fn bounds_hold(keyword: &str, rule: &Value, value: &Value) -> bool {
    let entries = || value.as_array().map(|entries| entries.len() as u64);
    match keyword {
        "description" | "default" | "title" | "examples" => true,
        "type" => has_type(rule, value),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "format" => has_format(rule.as_str().unwrap(), value),
        "pattern" => {
            let pattern = rule.as_str().unwrap();
            value
                .as_str()
                .is_some_and(|text| has_pattern(pattern, text))
        }
        // Bounds of numbers say nothing about null.
        "minimum" => value.is_null() || value.as_f64() >= rule.as_f64(),
        "maximum" => value.as_f64() <= rule.as_f64(),
        "minLength" => length(value) >= rule.as_u64(),
        "maxLength" => length(value) <= rule.as_u64(),
        "minItems" => entries() >= rule.as_u64(),
        "maxItems" => entries() <= rule.as_u64(),
        "required" => {
            let mut names = rule.as_array().unwrap().iter();
            names.all(|name| value.get(name.as_str().unwrap()).is_some())
        }
        other => panic!("the keyword {other} is not checked here"),
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not checked here"),
    };
    let several = rule.as_array();
    let names = several.map_or(std::slice::from_ref(rule), Vec::as_slice);
    names.iter().any(|name| is(name.as_str().unwrap()))
}

fn has_format(format: &str, value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return value.is_null() || format.starts_with("int") || format == "double";
    };
    match format {
        "date" => text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10,
        "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
        "uuid" => text.parse::<uuid::Uuid>().is_ok() && text.len() == 36,
        // Whether it is a number at all, the type says.
        "int64" | "int32" | "double" => true,
        other => panic!("the format {other} is not checked here"),
    }
}

/// Patterns of characters of a class, perhaps so many.
fn has_pattern(pattern: &str, text: &str) -> bool {
    let inner = pattern.strip_prefix('^').unwrap();
    let inner = inner.strip_suffix('$').unwrap();
    let is_base64url = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
    let is_slug = |c: char| c.is_ascii_lowercase() || c == '-';
    match inner.split_once('[') {
        None => panic!("the pattern {pattern} is a fixed text"),
        Some((_, "A-Za-z0-9_-]+")) => text.chars().all(is_base64url) && !text.is_empty(),
        Some((_, "A-Za-z0-9_-]{43}")) => text.chars().all(is_base64url) && text.len() == 43,
        Some(("sim_", "a-z0-9-]+")) => text
            .strip_prefix("sim_")
            .is_some_and(|rest| rest.chars().all(|c| is_slug(c) || c.is_ascii_digit())),
        Some((start, "a-z-]+")) => text.strip_prefix(start).unwrap().chars().all(is_slug),
        Some(("", "0-9]+")) => text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty(),
        Some(("", "a-z_]+")) => text.chars().all(is_word) && !text.is_empty(),
        Some(("", "a-z]+[.][a-z]+")) => text
            .split_once('.')
            .is_some_and(|(left, right)| (left.to_owned() + right).chars().all(is_word)),
        Some(_) => panic!("the pattern {pattern} is not checked here"),
    }
}

fn length(value: &Value) -> Option<u64> {
    value.as_str().map(|text| text.chars().count() as u64)
}
