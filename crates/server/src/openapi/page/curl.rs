//! A line of `curl` for an operation, with words in capital letters for the caller's own values
//! and files.

use serde_json::{Map, Value, json};

use super::{list, members, resolve, text};

/// The line, broken before each option. The caller sets `TOKEN` or `KEY` first.
pub(super) fn line(document: &Value, path: &str, method: &str, operation: &Value) -> String {
    let url = list(&document["servers"]).first();
    let url = url.map_or("", |server| text(&server["url"]));
    let mut parts = vec!["curl".to_owned()];
    if url.starts_with("https://") {
        // An authority of public certificates needs no option.
        parts.push("--cacert CA.pem".to_owned());
    }
    let own = operation.get("security");
    let ways = list(own.unwrap_or(&document["security"]));
    let schemes = ways.first().into_iter().flat_map(members);
    for (scheme, _scopes) in schemes {
        parts.push(match scheme {
            "clientCertificate" => "--cert CERTIFICATE.pem --key KEY.pem".to_owned(),
            "accessToken" => "-H \"Authorization: Bearer $TOKEN\"".to_owned(),
            _ => "-H \"X-Api-Key: $KEY\"".to_owned(),
        });
    }
    let body = resolve(document, &operation["requestBody"]);
    if let Some((content_type, content)) = members(&body["content"]).next() {
        let sample = sample(document, &content["schema"]);
        if content_type == "application/json" {
            parts.push(format!("--json '{sample}'"));
        } else {
            parts.extend(form(&sample));
        }
    } else if method == "delete" {
        parts.push("-X DELETE".to_owned());
    } else if method == "post" {
        parts.push("-X POST".to_owned());
    }
    if ["put", "patch"].contains(&method) {
        parts.push(format!("-X {}", method.to_uppercase()));
    }
    let mut steps: Vec<String> = path.split('/').map(ToOwned::to_owned).collect();
    for step in &mut steps {
        let name = step
            .strip_prefix('{')
            .and_then(|step| step.strip_suffix('}'));
        if let Some(name) = name {
            *step = name.to_uppercase();
        }
    }
    let path = steps.join("/");
    parts.push(format!("\"{}{path}\"", url.trim_end_matches('/')));
    parts.join(" \\\n  ")
}

/// An option for each field of a form.
fn form(sample: &Value) -> Vec<String> {
    let fields = members(sample).map(|(name, value)| {
        let value = plain(list(value).first().unwrap_or(value));
        format!("--data-urlencode '{name}={value}'")
    });
    fields.collect()
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// A value of a schema with its required members only. A description's own example comes first.
fn sample(document: &Value, schema: &Value) -> Value {
    let schema = resolve(document, schema);
    for known in [&schema["example"], &schema["default"], &schema["const"]] {
        if !known.is_null() {
            return known.clone();
        }
    }
    if let Some(first) = list(&schema["examples"])
        .first()
        .or(list(&schema["enum"]).first())
    {
        return first.clone();
    }
    if !schema["allOf"].is_null() {
        return all_of(document, list(&schema["allOf"]));
    }
    if let Some(first) = list(&schema["anyOf"])
        .first()
        .or(list(&schema["oneOf"]).first())
    {
        return sample(document, first);
    }
    match text(&schema["type"]) {
        "object" => {
            let names = list(&schema["required"]).iter().map(text);
            let members = names.map(|name| {
                let member = sample(document, &schema["properties"][name]);
                (name.to_owned(), member)
            });
            Value::Object(members.collect())
        }
        "array" => json!([sample(document, &schema["items"])]),
        "integer" => json!(schema["minimum"].as_i64().unwrap_or(1)),
        "boolean" => json!(true),
        _ => json!(match text(&schema["format"]) {
            "date" => "2026-11-20",
            "date-time" => "2026-11-20T00:00:00Z",
            "uuid" => "00000000-0000-4000-8000-000000000000",
            _ => "TEXT",
        }),
    }
}

/// The members of all parts. Of alternatives that only require a member, the first one holds.
fn all_of(document: &Value, parts: &[Value]) -> Value {
    let mut members = Map::new();
    let properties = |name: &str| {
        let mut parts = parts.iter().map(|part| resolve(document, part));
        parts.find_map(|part| part["properties"].get(name))
    };
    for part in parts {
        let part = resolve(document, part);
        let choices = list(&part["oneOf"])
            .first()
            .or(list(&part["anyOf"]).first());
        let required = [Some(part), choices];
        for name in required
            .into_iter()
            .flatten()
            .flat_map(|part| list(&part["required"]))
        {
            if let Some(schema) = properties(text(name)) {
                members.insert(text(name).to_owned(), sample(document, schema));
            }
        }
    }
    Value::Object(members)
}
