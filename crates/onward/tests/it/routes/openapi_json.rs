//! The OpenAPI document of each address describes every answer of the address and nothing else.

mod answers;
mod examples;
mod management;
mod operations;
mod strict;
mod webhooks;

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;

use self::examples::Successes;
use crate::sqlite_story;
use crate::test_server::{Answer, At, TestServer, http_client, send};

const ADDRESSES: [At; 5] = [At::Base, At::Auth, At::Directory, At::Listing, At::Ops];

/// The document of an address.
async fn document(server: &TestServer, at: At) -> Value {
    let url = server.url(at, "/openapi.json");
    let answer = send(http_client(server, None).get(url)).await;
    assert_eq!(answer.status, 200, "{at:?}");
    assert_eq!(answer.header("content-type"), "application/json");
    answer.json()
}

/// The calls of a document below one path, and which of their answers a test has seen.
struct Described {
    document: Value,
    prefix: &'static str,
    seen: BTreeSet<String>,
    successes: Successes,
}

impl Described {
    async fn new(server: &TestServer, at: At, prefix: &'static str) -> Self {
        Self {
            document: document(server, at).await,
            prefix,
            seen: BTreeSet::new(),
            successes: Successes::new(at),
        }
    }

    /// Method and path of a call such as `GET /listing/{listing}?page=1`, with its `{…}` filled
    /// in turn.
    fn fill(call: &str, fill: &[&str]) -> (Method, String) {
        let (method, template) = call.split_once(' ').unwrap();
        let mut path = template.to_owned();
        for value in fill {
            let (before, rest) = path.split_once('{').unwrap();
            let (_name, after) = rest.split_once('}').unwrap();
            path = format!("{before}{value}{after}");
        }
        (method.parse().unwrap(), path)
    }

    /// Compares an answer of this call with the document.
    fn check(&mut self, call: &str, answer: &Answer) {
        let (method, template) = call.split_once(' ').unwrap();
        let route = template.split('?').next().unwrap();
        let path = format!("{}{route}", self.prefix);
        let verb: Method = method.parse().unwrap();
        strict::check_answer(&self.document, &path, &verb, answer);
        let operation = &self.document["paths"][&path][method.to_lowercase()];
        self.successes.add(operation, answer);
        self.seen
            .insert(format!("{method} {path} {}", answer.status));
    }

    /// Fails the test unless it has seen every success that the document describes, and answers like the
    /// examples.
    fn assert_every_success_was_seen(&self) {
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for status in operation["responses"].as_object().unwrap().keys() {
                    let call = format!("{} {path} {status}", method.to_uppercase());
                    let is_own = path.starts_with(self.prefix) && status.starts_with('2');
                    assert!(!is_own || self.seen.contains(&call), "no {call}");
                }
            }
        }
        self.compare_with_examples();
    }

    /// Fails the test for an example whose shape none of the seen answers had.
    fn compare_with_examples(&self) {
        self.successes.compare_with_examples();
    }
}

sqlite_story! {
    async fn addresses_come_from_the_settings(server) {
        let config = &server.config;
        for (at, url) in [
            (At::Base, config.base_url.as_str()),
            (At::Auth, &config.auth_url),
            (At::Directory, &config.directory_url),
            (At::Listing, &config.listing_base_url),
            (At::Ops, "/"),
        ] {
            let document = document(&server, at).await;
            assert_eq!(document["openapi"], "3.1.0");
            assert_eq!(document["servers"][0]["url"], url);
            let flow = &document["components"]["securitySchemes"]["accessToken"]["flows"];
            if matches!(at, At::Base | At::Listing) {
                let token_url = &flow["clientCredentials"]["tokenUrl"];
                assert_eq!(token_url, &format!("{}/token", config.auth_url));
            } else {
                assert_eq!(flow, &Value::Null);
            }
        }
    }
}

sqlite_story! {
    async fn a_limit_is_described_where_there_is_one(server) {
        let path = "/paths/~1api~1v1~1standard~1chains/post/responses/429/headers/RateLimit";
        assert_eq!(document(&server, At::Base).await.pointer(path), None);
        server = server.reconfigure(|config| config.rate_limit_enabled = true).await;
        let listings = "/paths/~1api~1v1~1listing/get/responses/200/headers/RateLimit";
        assert!(document(&server, At::Listing).await.pointer(listings).is_some());
        let described = document(&server, At::Base).await;
        assert_eq!(described.pointer(path).unwrap()["$ref"], "#/components/headers/RateLimit");
    }
}

sqlite_story! {
    /// Generated clients fail for a word that a closed list lacks, and a later version may send one.
    async fn answers_have_no_closed_lists_of_words_and_schemas_have_plain_names(server) {
        for at in ADDRESSES {
            let document = document(&server, at).await;
            let schemas = document["components"]["schemas"].as_object().unwrap();
            for name in schemas.keys() {
                assert!(name.chars().all(char::is_alphanumeric), "{at:?} {name}");
            }
            for (path, item) in document["paths"].as_object().unwrap() {
                for (method, operation) in item.as_object().unwrap() {
                    let mut closed = Vec::new();
                    let mut seen = BTreeSet::new();
                    find_closed(&document, &operation["responses"], &mut seen, &mut closed);
                    assert!(closed.is_empty(), "{at:?} {method} {path}: {closed:?}");
                }
            }
        }
        // Requests keep theirs, and answers describe the known words.
        let document = document(&server, At::Base).await;
        let schemas = &document["components"]["schemas"];
        let asked = &schemas["SimulationBody"]["allOf"][0]["properties"]["eventType"]["enum"];
        assert_eq!(asked[0], "milestone.updated");
        let reason = schemas["Reason"]["description"].as_str().unwrap();
        assert!(reason.contains("Known values: `matched`, `unknown`"), "{reason}");
    }
}

/// Adds the closed lists of words in a part and in the schemas that it refers to.
fn find_closed<'a>(
    document: &'a Value,
    part: &'a Value,
    seen: &mut BTreeSet<&'a str>,
    closed: &mut Vec<&'a Value>,
) {
    if let Some(reference) = part["$ref"].as_str()
        && seen.insert(reference)
    {
        let pointer = reference.strip_prefix('#').unwrap();
        find_closed(document, document.pointer(pointer).unwrap(), seen, closed);
    }
    closed.extend(part.get("enum"));
    let members = part
        .as_object()
        .into_iter()
        .flat_map(|members| members.values());
    for part in members.chain(part.as_array().into_iter().flatten()) {
        find_closed(document, part, seen, closed);
    }
}
