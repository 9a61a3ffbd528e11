//! Completes a listener's OpenAPI document: adds the parts that all operations share, and the URLs
//! from the settings.

use std::collections::BTreeSet;

use oauth::error::Body as TokenError;
use serde_json::{Map, Value, json};
use tokens::registry::Scope;
use utoipa::openapi::OpenApi;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use web::failure::{Failure, FailureEntry};
use web::listener::Listener;
use web::problem::{Document, FieldError};

use super::{examples, headers, listeners, shapes, words};
use crate::config::Config;

const ABOUT: &str = "\
Every answer has an `X-Request-Id`. Quote it when you ask for help. If you send a UUID as \
`x-fapi-interaction-id`, the answer repeats it, and the service's log has it too.

An unknown path is answered with 404. A method that a path does not support is answered with 405 \
and `Allow`. Each path that supports GET supports HEAD as well.";

/// The complete document of a listener.
pub(super) fn finish(listener: Listener, config: &Config, operations: &OpenApi) -> Value {
    let described = listeners::head(listener).merge_from(operations.clone());
    let mut document = serde_json::to_value(described).unwrap_or_default();
    document["info"] = json!({
        "title": listeners::title(listener),
        "version": env!("CARGO_PKG_VERSION"),
        "description": ABOUT,
        "contact": {
            "name": "The operator of this service",
            "url": format!("{}/participants", config.directory_url),
        },
        "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
    });
    document["servers"] = json!([{"url": listeners::server_url(listener, config)}]);
    document["components"]["securitySchemes"] = security_schemes(listener, config);
    let mut shared = SharedFields::new(listener, config);
    let needs_nothing = document["security"].is_null();
    for operation in operations_of(&mut document) {
        add_interaction_id(operation);
        add_replayed(operation);
        examples::add_to(operation, listener);
        shared.add_to(&mut operation["responses"]);
        let without_credentials = json!([{}]);
        if operation["security"] == without_credentials
            || needs_nothing && operation["security"].is_null()
        {
            operation["security"] = json!([]);
        }
    }
    add_refusal_schemas(&mut document);
    shapes::simplify(&mut document);
    words::open_answers(&mut document);
    words::rename(&mut document);
    allow_any_form(&mut document["components"]["schemas"]);
    if matches!(listener, Listener::Base) {
        webhooks::described_events::add_to(&mut document);
    }
    document["components"]["headers"] = shared.described();
    document["components"]["parameters"] = json!({"interaction-id": {
        "name": "x-fapi-interaction-id",
        "in": "header",
        "description": "Your own id for the request, a UUID of any version with hyphens. Any other text \
            is ignored, and the answer has a new UUID.",
        "schema": {"type": "string"},
        "example": "c770aef3-6784-41f7-8e0e-ff5f97bddb3a",
    }});
    document
}

/// All operations.
fn operations_of(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document["paths"].as_object_mut();
    let items = paths.into_iter().flat_map(Map::values_mut);
    items
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
}

/// Adds the schemas of refusal bodies. utoipa leaves them out, because it does not follow the
/// references in refusals.
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

fn security_schemes(listener: Listener, config: &Config) -> Value {
    let scopes = Scope::ALL.map(|scope| {
        let meaning = match scope {
            Scope::TransactionStatus => "The chain query and webhook management.",
            Scope::TransactionHistory => "Past states of chains, beside `transaction-status`.",
            Scope::Listing => "Listings and chain management.",
        };
        (scope.as_str().to_owned(), json!(meaning))
    });
    let access_token = json!({
        "type": "oauth2",
        "description": "An access token from the token endpoint, sent as `Authorization: Bearer …`. \
            Clients authenticate there with `private_key_jwt`. A token is bound to the client \
            certificate of the token request (RFC 8705).",
        "flows": {"clientCredentials": {
            "tokenUrl": config.urls().token_endpoint(),
            "scopes": Map::from_iter(scopes),
        }},
    });
    let certificate = json!({
        "type": "mutualTLS",
        "description": "A client certificate, sent in the TLS handshake.",
    });
    match listener {
        Listener::Base => json!({
            "accessToken": access_token,
            "clientCertificate": certificate,
            "apiKey": {
                "type": "apiKey",
                "in": "header",
                "name": "X-Api-Key",
                "description": "The API key for webhooks, which the operator issues.",
            },
        }),
        Listener::Listing => {
            json!({"accessToken": access_token, "clientCertificate": certificate})
        }
        Listener::Auth => json!({"clientCertificate": certificate}),
        Listener::Directory | Listener::Ops | Listener::Console => json!({}),
    }
}

fn add_interaction_id(operation: &mut Value) {
    let reference = json!({"$ref": "#/components/parameters/interaction-id"});
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(reference),
        None => operation["parameters"] = json!([reference]),
    }
}

/// Adds `Idempotency-Replayed` to answers that are stored for an `Idempotency-Key`. Other answers,
/// such as 503, are never stored.
fn add_replayed(operation: &mut Value) {
    let parameters = operation["parameters"].as_array();
    let mut names = parameters.into_iter().flatten();
    if !names.any(|parameter| parameter["name"] == "Idempotency-Key") {
        return;
    }
    let responses = operation["responses"].as_object_mut();
    for (status, response) in responses.into_iter().flatten() {
        if ["200", "201", "202", "403", "404", "409", "422"].contains(&status.as_str()) {
            response["headers"]["idempotency-replayed"] = json!({});
        }
    }
}

/// The header fields of every answer of a listener, and all fields that some answer uses.
struct SharedFields {
    always: Vec<&'static str>,
    used: BTreeSet<String>,
}

impl SharedFields {
    fn new(listener: Listener, config: &Config) -> Self {
        let mut always = vec![
            "x-request-id",
            "x-fapi-interaction-id",
            "x-content-type-options",
            "cache-control",
        ];
        if !matches!(listener, Listener::Ops) {
            always.push("strict-transport-security");
        }
        if !matches!(listener, Listener::Ops) && config.rate_limit_enabled {
            always.extend(["ratelimit", "ratelimit-policy"]);
        }
        Self {
            always,
            used: BTreeSet::new(),
        }
    }

    /// Adds the shared fields to all `responses`, and replaces each answer's own fields with
    /// references to their descriptions.
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

    /// The descriptions of all fields that some answer uses.
    fn described(&self) -> Value {
        let described = self.used.iter().filter_map(|name| headers::describe(name));
        Value::Object(described.collect())
    }
}

/// Lets a value of several forms be any of them. Their schemas may overlap, because answers are open to new
/// members, and generators refuse overlapping schemas of `oneOf`.
fn allow_any_form(schemas: &mut Value) {
    for schema in schemas
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
    {
        let forms = schema
            .as_object_mut()
            .and_then(|schema| schema.remove("oneOf"));
        if let Some(forms) = forms {
            schema["anyOf"] = forms;
        }
    }
}
