//! The header fields that answers carry.

use serde_json::{Value, json};

/// How a field is spelled in documents, and what it says. None for a field
/// that nobody described.
pub(super) fn describe(name: &str) -> Option<(String, Value)> {
    let Value::Object(fields) = fields() else {
        return None;
    };
    let mut known = fields.into_iter();
    known.find(|field| field.0.eq_ignore_ascii_case(name))
}

fn fields() -> Value {
    let text = json!({"type": "string"});
    let field = |description: &str| json!({"description": description, "schema": text});
    json!({
        "Accept": field("The content types that a body may have here."),
        "Allow": field("The methods that there are."),
        "Cache-Control": field("Whether the answer may be kept, and how long."),
        "Content-Security-Policy": field("What a browser may do with the page: show it."),
        "ETag": field("Names this state of the content. Send it back as `If-None-Match`."),
        "Idempotency-Replayed": field("`true` where the answer is the first one to this `Idempotency-Key`."),
        "Location": field("The path of what was created."),
        "Pragma": field("`no-cache`, for the oldest of caches."),
        "RateLimit": field("What is left: `r` requests at once, more of them in `t` seconds."),
        "RateLimit-Policy": field("The limit of each client: `q` requests, full again in `w` seconds."),
        "Referrer-Policy": field("`no-referrer`."),
        "Retry-After": {
            "description": "Seconds to wait before the request is sent again.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "WWW-Authenticate": field("How to authenticate, and what was wrong (RFC 6750 section 3)."),
        "X-Content-Type-Options": field("`nosniff`."),
        "x-fapi-interaction-id": field("The request's own field of this name, if it had one."),
        "X-Request-Id": {
            "description": "Names this request in our log.",
            "required": true,
            "schema": {"type": "string", "format": "uuid"},
        },
    })
}
