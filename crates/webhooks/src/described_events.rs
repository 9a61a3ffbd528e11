//! Describes the requests with which the service delivers events, as `webhooks` of an OpenAPI 3.1
//! document. The body is a JWT (RFC 7519), so its header and claims are the schema of its content.

use chain::event::{ChainChange, EventType};
use serde_json::{Value, json};

/// The name of the schema of the JWT's header.
const HEADER: &str = "EventHeader";

/// Adds the events, with the schemas of their headers and claims.
pub fn add_to(document: &mut Value) {
    document["components"]["schemas"][HEADER] = header();
    for event_type in EventType::ALL {
        let schema = schema_name(event_type);
        document["components"]["schemas"][schema] = claims(event_type);
        document["webhooks"][event_type.as_str()] = json!({"post": delivery(event_type)});
    }
}

fn schema_name(event_type: EventType) -> &'static str {
    match event_type {
        EventType::MilestoneUpdated => "MilestoneUpdatedEvent",
        EventType::FallThrough => "FallThroughEvent",
        EventType::ChainChanged => "ChainChangedEvent",
    }
}

/// The request that delivers an event of this type.
fn delivery(event_type: EventType) -> Value {
    let (summary, operation) = match event_type {
        EventType::MilestoneUpdated => ("A milestone was recorded.", "receive_milestone_updated"),
        EventType::FallThrough => ("A sale fell through.", "receive_fallthrough"),
        EventType::ChainChanged => ("A chain changed.", "receive_chain_changed"),
    };
    let place = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let parameter = |name: &str, text: &str, schema: Value| json!({"name": name, "in": "header", "description": text, "schema": schema});
    json!({
        "tags": ["Events"],
        "summary": summary,
        "description": "The service sends this to your callback URL. The body is a compact JWT: verify \
            its signature with the published key set before you read its claims.",
        "operationId": operation,
        "parameters": [
            parameter("Webhook-Id", "The `eventId`. It is not signed.", json!({"type": "string"})),
            parameter(
                "Webhook-Attempt",
                "The number of the attempt, from 1. It is not signed.",
                json!({"type": "integer", "minimum": 1}),
            ),
        ],
        "requestBody": {"required": true, "content": {"application/jwt": {"schema": {
            "type": "string",
            "contentMediaType": "application/jwt",
            "contentSchema": {
                "type": "array",
                "prefixItems": [place(HEADER), place(schema_name(event_type))],
                "items": {},
                "minItems": 2,
                "maxItems": 2,
            },
        }}}},
        "responses": {
            "2XX": {"description": "You have the event. The service sends it no more."},
            "410": {"description": "You want no more events: the subscription is disabled."},
            "default": {"description": "The service sends the event again later."},
        },
        "security": [],
    })
}

fn header() -> Value {
    json!({
        "type": "object",
        "description": "The header of the JWT of an event.",
        "properties": {
            "typ": {"type": "string", "const": "JWT"},
            "alg": {"type": "string", "const": "RS256"},
            "kid": {"type": "string", "description": "The id of the signing key in the key set."},
        },
        "required": ["typ", "alg", "kid"],
    })
}

fn claims(event_type: EventType) -> Value {
    json!({
        "type": "object",
        "description": format!("The claims of a `{}`.", event_type.as_str()),
        "properties": {
            "iss": {"type": "string", "description": "The `base_url` of the service."},
            "iat": {"type": "integer", "format": "int64",
                "description": "When this token was issued, in Unix seconds. Each attempt has its own."},
            "exp": {"type": "integer", "format": "int64", "description": "`iat` and 300 seconds."},
            "eventId": {"type": "string",
                "description": "The event. Each attempt and each replay has the same, so drop repeated ones."},
            "eventType": {"type": "string", "const": event_type.as_str()},
            "eventTimestamp": {"type": "string", "format": "date-time",
                "description": "When the event happened."},
            "propertyId": {"type": "string", "pattern": "^[0-9]+$",
                "description": "The property's id; 0 if a simulated event names an unknown property."},
            "uprn": {"type": "string", "pattern": "^[0-9]+$", "description": "The property's UPRN."},
            "data": data(event_type),
            "simulated": {"type": "boolean",
                "description": "True in test events, which say nothing about a sale. Others do not have it."},
        },
        "required": ["iss", "iat", "exp", "eventId", "eventType", "eventTimestamp", "propertyId",
            "uprn", "data"],
    })
}

/// The claim `data`.
fn data(event_type: EventType) -> Value {
    let date = |text: &str| json!({"type": "string", "format": "date", "description": text});
    match event_type {
        EventType::MilestoneUpdated => json!({
            "type": "object",
            "properties": {"milestone": {
                "type": "object",
                "properties": {
                    "label": {"type": "string", "description": "The milestone, such as `SSTC`. Later \
                        versions may send others."},
                    "date": date("The civil date in London."),
                },
                "required": ["label", "date"],
            }},
            "required": ["milestone"],
        }),
        EventType::FallThrough => json!({
            "type": "object",
            "properties": {"fallThroughDate": date("The civil date in London.")},
            "required": ["fallThroughDate"],
        }),
        EventType::ChainChanged => {
            let words = ChainChange::ALL.map(ChainChange::as_str).join("`, `");
            json!({
                "type": "object",
                "properties": {
                    "chainId": {"type": "string", "format": "uuid",
                        "description": "The chain after the change."},
                    "change": {"type": "string", "description": format!(
                        "Known values: `{words}`. Later versions may send others."
                    )},
                    "uprns": {
                        "type": "array",
                        "items": {"type": "string", "pattern": "^[0-9]+$"},
                        "description": "The UPRNs of all properties of the chain.",
                    },
                },
                "required": ["chainId", "change", "uprns"],
            })
        }
    }
}
