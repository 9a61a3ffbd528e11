//! From the operations of an address to its whole document: what all
//! operations share stands in one place, and settings fill in the addresses.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tokens::registry::Scope;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::{headers, listeners, refusals};
use crate::config::Config;
use crate::limits;
use crate::listener::Listener;
use crate::oauth::error::Body as TokenError;
use crate::problem::{Document, FieldError, Problem};
use crate::wire::management::failure::{Failure, FailureEntry};

const ABOUT: &str = "\
Every answer carries `X-Request-Id`: name it when you ask for help. A header field \
`x-fapi-interaction-id` of your own comes back as you sent it.

A path that is not here is answered with 404, another method than those here with 405 and \
`Allow`.";

/// The whole document of an address.
pub(super) fn finish(listener: Listener, config: &Config) -> Value {
    let mut document = serde_json::to_value(listeners::operations(listener)).unwrap_or_default();
    document["info"] = json!({
        "title": listeners::title(listener),
        "version": env!("CARGO_PKG_VERSION"),
        "description": ABOUT,
        "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
    });
    document["servers"] = json!([{"url": listeners::server_url(listener, config)}]);
    document["components"]["securitySchemes"] = security_schemes(listener, config);
    document["components"]["responses"] = common_refusals(listener);
    let mut shared = SharedFields::new(listener, config);
    shared.add_to(&mut document["components"]["responses"]);
    for (method, operation) in operations_of(&mut document) {
        add_interaction_id(operation);
        add_replayed(operation);
        add_no_store(operation);
        shared.add_to(&mut operation["responses"]);
        if method == "head" {
            without_bodies(operation);
        }
    }
    add_refusal_schemas(&mut document);
    document["components"]["headers"] = shared.described();
    document["components"]["parameters"] = json!({"interaction-id": {
        "name": "x-fapi-interaction-id",
        "in": "header",
        "description": "A name of your own for the request: visible ASCII characters.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": limits::INTERACTION_ID_CHARACTERS_MAX,
            "pattern": "^[!-~]+$",
        },
    }});
    document
}

/// All operations with their methods.
fn operations_of(document: &mut Value) -> impl Iterator<Item = (&str, &mut Value)> {
    let paths = document["paths"].as_object_mut();
    let items = paths.into_iter().flat_map(Map::values_mut);
    let operations = items.filter_map(Value::as_object_mut).flatten();
    operations.map(|(method, operation)| (method.as_str(), operation))
}

/// Operations name these as the body of a refusal, which utoipa does not follow.
fn add_refusal_schemas(document: &mut Value) {
    let schemas: Vec<(String, RefOr<Schema>)> = vec![
        (Document::name().into_owned(), Document::schema()),
        (FieldError::name().into_owned(), FieldError::schema()),
        (TokenError::name().into_owned(), TokenError::schema()),
        (Failure::name().into_owned(), Failure::schema()),
        (FailureEntry::name().into_owned(), FailureEntry::schema()),
    ];
    for (name, schema) in schemas {
        let reference = format!("\"#/components/schemas/{name}\"");
        if document.to_string().contains(&reference) {
            let schema = serde_json::to_value(schema).unwrap_or_default();
            document["components"]["schemas"][name] = schema;
        }
    }
}

/// What any path may answer, whatever the operation.
fn common_refusals(listener: Listener) -> Value {
    let mut responses = Map::new();
    for problem in [
        Problem::NoSuchPath,
        Problem::MethodNotAllowed(Some("GET, HEAD")),
    ] {
        let refusal = match listener {
            Listener::Listing => problem.to_failure_refusal(),
            Listener::Base | Listener::Auth | Listener::Directory | Listener::Ops => {
                problem.to_refusal()
            }
        };
        let name = refusal.name.clone();
        let described = refusals::describe([refusal]).into_values().next();
        responses.insert(name, serde_json::to_value(described).unwrap_or_default());
    }
    Value::Object(responses)
}

fn security_schemes(listener: Listener, config: &Config) -> Value {
    let scopes = Scope::ALL.map(|scope| {
        let meaning = match scope {
            Scope::TransactionStatus => "The chain query.",
            Scope::Listing => "Listings and chain management.",
        };
        (scope.as_str().to_owned(), json!(meaning))
    });
    let access_token = json!({
        "type": "oauth2",
        "description": "An access token of the token endpoint, sent as `Authorization: Bearer …`. \
            The client proves itself there by `private_key_jwt`. A token is bound to the client \
            certificate that it was issued with (RFC 8705).",
        "flows": {"clientCredentials": {
            "tokenUrl": config.token_endpoint(),
            "scopes": Map::from_iter(scopes),
        }},
    });
    let certificate = json!({
        "type": "mutualTLS",
        "description": "A client certificate, shown in the TLS handshake.",
    });
    match listener {
        Listener::Base => json!({
            "accessToken": access_token,
            "clientCertificate": certificate,
            "apiKey": {
                "type": "apiKey",
                "in": "header",
                "name": "X-Api-Key",
                "description": "The key that the operator issued to you for webhooks.",
            },
        }),
        Listener::Listing => {
            json!({"accessToken": access_token, "clientCertificate": certificate})
        }
        Listener::Auth => json!({"clientCertificate": certificate}),
        Listener::Directory | Listener::Ops => json!({}),
    }
}

fn add_interaction_id(operation: &mut Value) {
    let reference = json!({"$ref": "#/components/parameters/interaction-id"});
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(reference),
        None => operation["parameters"] = json!([reference]),
    }
}

/// An answer that is given again for an `Idempotency-Key` says so. What is not
/// decided by the rules is never kept.
fn add_replayed(operation: &mut Value) {
    let parameters = operation["parameters"].as_array();
    let mut names = parameters.into_iter().flatten();
    if !names.any(|parameter| parameter["name"] == "Idempotency-Key") {
        return;
    }
    let responses = operation["responses"].as_object_mut();
    for (status, response) in responses.into_iter().flatten() {
        if ["200", "201", "403", "404", "409", "422"].contains(&status.as_str()) {
            response["headers"]["idempotency-replayed"] = json!({});
        }
    }
}

/// No cache may keep an answer to the holder of an API key.
fn add_no_store(operation: &mut Value) {
    let security = operation["security"].as_array();
    let mut ways = security.into_iter().flatten();
    if !ways.any(|way| way.get("apiKey").is_some()) {
        return;
    }
    let responses = operation["responses"].as_object_mut();
    for response in responses.into_iter().flat_map(Map::values_mut) {
        response["headers"]["cache-control"] = json!({});
    }
}

/// A HEAD is answered like a GET, without the body.
fn without_bodies(operation: &mut Value) {
    if let Some(operation) = operation.as_object_mut() {
        operation.remove("operationId");
    }
    let responses = operation["responses"].as_object_mut();
    for response in responses.into_iter().flat_map(Map::values_mut) {
        if let Some(response) = response.as_object_mut() {
            response.remove("content");
        }
    }
}

/// What every answer of an address carries.
struct SharedFields {
    always: Vec<&'static str>,
    used: BTreeSet<String>,
}

impl SharedFields {
    fn new(listener: Listener, config: &Config) -> Self {
        let mut always = vec!["x-request-id", "x-fapi-interaction-id"];
        if !matches!(listener, Listener::Ops) && config.rate_limit_enabled {
            always.extend(["ratelimit", "ratelimit-policy"]);
        }
        Self {
            always,
            used: BTreeSet::new(),
        }
    }

    /// Adds them to all these answers, as references, and lets the fields that
    /// an answer names itself refer to their descriptions.
    fn add_to(&mut self, responses: &mut Value) {
        let responses = responses.as_object_mut();
        for response in responses.into_iter().flat_map(Map::values_mut) {
            let own = response.get("headers").and_then(Value::as_object);
            let own = own.into_iter().flat_map(Map::keys).map(String::as_str);
            let names: BTreeSet<&str> = own.chain(self.always.iter().copied()).collect();
            let mut references = Map::new();
            for name in names {
                if let Some((spelled, _description)) = headers::describe(name) {
                    let place = format!("#/components/headers/{spelled}");
                    self.used.insert(spelled.clone());
                    references.insert(spelled, json!({"$ref": place}));
                }
            }
            response["headers"] = Value::Object(references);
        }
    }

    /// The descriptions of all fields that some answer carries.
    fn described(&self) -> Value {
        let described = self.used.iter().filter_map(|name| headers::describe(name));
        Value::Object(described.collect())
    }
}
