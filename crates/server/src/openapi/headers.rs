//! Descriptions of the header fields of answers.

use serde_json::{Value, json};

/// The documented spelling of a field and its description. `None` if the field is not described.
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
        "Accept": field("The content types that the operation accepts."),
        "Accept-Encoding": field("`identity`: the operation takes no content encoding."),
        "Access-Control-Allow-Origin": field("`*`: pages of any origin may read the answer."),
        "Cache-Control": field("Whether a cache may keep the answer, and for how long."),
        "Content-Security-Policy": field("Restricts the browser to showing the page."),
        "ETag": field("The version of the content. Send it as `If-None-Match` next time."),
        "Idempotency-Replayed": field("`true` if the answer repeats the first answer to this `Idempotency-Key`."),
        "Location": field("The path of the new resource."),
        "Pragma": field("`no-cache`, for HTTP/1.0 caches."),
        "RateLimit": field("The remaining limit: `r` requests now, and more in `t` seconds."),
        "RateLimit-Policy": field("The limit of each client: `q` requests, restored within `w` seconds."),
        "Referrer-Policy": field("`no-referrer`."),
        "Retry-After": {
            "description": "Seconds to wait before the request is sent again.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "Strict-Transport-Security": field("Browsers use HTTPS alone for this host (RFC 6797)."),
        "WWW-Authenticate": field("How to authenticate, and what was wrong with the request (RFC 6750 section 3)."),
        "X-Content-Type-Options": field("`nosniff`."),
        "x-fapi-interaction-id": {
            "description": "The UUID that the request has in the field of the same name, else a new one.",
            "required": true,
            "schema": {"type": "string", "format": "uuid"},
        },
        "X-Request-Id": {
            "description": "The request's id, which the service's log also shows.",
            "required": true,
            "schema": {"type": "string", "format": "uuid"},
        },
    })
}
