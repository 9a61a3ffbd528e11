//! Each refusal of a described operation, in any story, is one that OpenAPI describes: its status, and the
//! code by which programs tell it from others.

use http::Method;
use serde_json::Value;
use tokio::sync::OnceCell;

use super::{Answer, At, TestServer};

/// The documents of the addresses that have operations with refusals.
static DOCUMENTS: OnceCell<[Value; 3]> = OnceCell::const_new();

/// The code of an address that does not exist.
const NO_PATH: [&str; 2] = ["no_such_path", "urn:onward:problem:no-such-path"];

/// Fails the test for a refusal that is not described. Paths without an operation pass; `operations.rs` of
/// `/openapi.json` looks for operations without a path.
pub(super) async fn check(method: &Method, path: &str, answer: &Answer) {
    if !(400..500).contains(&answer.status) {
        return;
    }
    let documents = DOCUMENTS.get_or_init(fetch).await;
    let Some(operation) = find_operation(documents, method, path) else {
        return;
    };
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let found = codes(&body);
    if found.iter().any(|code| NO_PATH.contains(code)) {
        return;
    }
    let call = format!("{method} {path} {}", answer.status);
    let response = &operation["responses"][answer.status.to_string()];
    assert!(response.is_object(), "{call} is not described");
    let contents = response["content"].as_object().into_iter().flatten();
    let examples = contents.filter_map(|(_kind, content)| content["examples"].as_object());
    let described: Vec<&str> = examples
        .flatten()
        .flat_map(|(_name, example)| codes(&example["value"]))
        .collect();
    for code in found {
        assert!(described.contains(&code), "{call} {code} is not described");
    }
}

/// The documents of a server of its own, so that no story counts these requests.
async fn fetch() -> [Value; 3] {
    let server = Box::pin(TestServer::on_sqlite()).await;
    let mut documents = [Value::Null, Value::Null, Value::Null];
    for (document, at) in documents.iter_mut().zip([At::Base, At::Auth, At::Listing]) {
        let asking = server.http.get(server.url(at, "/openapi.json")).send();
        *document = asking.await.unwrap().json().await.unwrap();
    }
    server.end().await;
    documents
}

/// The operation of a call. Of several paths that fit, the one with the fewest parameters counts.
fn find_operation<'a>(documents: &'a [Value], method: &Method, path: &str) -> Option<&'a Value> {
    let paths = documents
        .iter()
        .flat_map(|document| document["paths"].as_object().unwrap());
    let fitting = paths.filter(|(template, _item)| fits(template, path));
    let (_template, item) =
        fitting.min_by_key(|(template, _item)| template.matches('{').count())?;
    let method = if method == Method::HEAD {
        "get".to_owned()
    } else {
        method.as_str().to_lowercase()
    };
    item.get(&method)
}

fn fits(template: &str, path: &str) -> bool {
    template.split('/').count() == path.split('/').count()
        && template
            .split('/')
            .zip(path.split('/'))
            .all(|(known, part)| known.starts_with('{') || known == part)
}

/// The codes of a refusal: of document 2, of a problem, or of OAuth.
fn codes(body: &Value) -> Vec<&str> {
    let errors = body["errors"].as_array().into_iter().flatten();
    let of_errors = errors.map(|error| &error["code"]);
    let of_body = [&body["type"], &body["error"]];
    of_errors.chain(of_body).filter_map(Value::as_str).collect()
}
