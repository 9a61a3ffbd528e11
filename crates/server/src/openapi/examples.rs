//! Examples of successful answers. The tests record them from a running server, and fail when the
//! server answers with other members.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use web::listener::Listener;

/// By address, operation id and status, the body of an answer.
static RECORDED: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// Adds the recorded answers of an operation of a listener.
pub(super) fn add_to(operation: &mut Value, listener: Listener) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let recorded = RECORDED[listener.as_str()][id].as_object();
    for (status, example) in recorded.into_iter().flatten() {
        let content = operation["responses"][status]["content"].as_object_mut();
        for content in content.into_iter().flat_map(Map::values_mut) {
            content["examples"] = json!({"recorded": {
                "summary": "An answer of a test server; its lists are cut to two entries",
                "value": example,
            }});
        }
    }
}
