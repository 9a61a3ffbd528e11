//! The document describes exactly the methods that the routes accept.

use std::collections::BTreeSet;

use http::Method;
use reqwest::RequestBuilder;
use serde_json::Value;

use super::{ADDRESSES, document};
use crate::sqlite_story;
use crate::test_server::{At, Client, send};

sqlite_story! {
    async fn exactly_the_described_methods_are_accepted(server) {
        let caller = Caller {
            agent: server.agent("north").await,
            key: server.api_key("Example Lender").await,
        };
        for at in ADDRESSES {
            let document = document(&server, at).await;
            for (path, item) in paths(&document) {
                check_methods(&caller, &server.url(at, ""), (path, item)).await;
            }
        }
    }
}

/// A caller with access at every address.
struct Caller {
    agent: Client,
    key: String,
}

sqlite_story! {
    async fn operation_ids_are_unique_and_references_lead_somewhere(server) {
        for at in ADDRESSES {
            let document = document(&server, at).await;
            let mut ids = BTreeSet::new();
            for (path, item) in paths(&document) {
                for (method, operation) in item.as_object().unwrap() {
                    let id = operation["operationId"].as_str();
                    let id = id.unwrap_or_else(|| panic!("{method} {path} has no operationId"));
                    assert!(ids.insert(id), "{at:?} {id} twice");
                }
            }
            check_references(&document, &document);
        }
    }
}

impl Caller {
    /// Adds the credential that a call takes: no call takes both (S-74).
    fn prove(&self, request: RequestBuilder, url: &str) -> RequestBuilder {
        if url.contains("/webhook/") {
            request.header("x-api-key", &self.key)
        } else {
            request.bearer_auth(&self.agent.token)
        }
    }
}

fn paths(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document["paths"].as_object().unwrap().iter()
}

/// A method that is described is never answered with 405, and any other always
/// is, with the described ones in `Allow`.
async fn check_methods(caller: &Caller, address: &str, (path, item): (&str, &Value)) {
    let methods = item.as_object().unwrap().keys();
    let mut described: BTreeSet<String> = methods.map(|method| method.to_uppercase()).collect();
    if described.contains("GET") {
        described.insert("HEAD".to_owned());
    }
    let parts = path.split('/').map(|part| match part {
        "{guide}" => "query",
        part if part.starts_with('{') => "1",
        part => part,
    });
    let url = format!("{address}{}", parts.collect::<Vec<_>>().join("/"));
    for name in "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PURGE".split(' ') {
        let method = Method::from_bytes(name.as_bytes()).unwrap();
        let request = caller.agent.registration.http.request(method, &url);
        let answer = send(caller.prove(request, &url)).await;
        let is_described = described.contains(name);
        let case = format!("{address} {name} {path}: {}", answer.status);
        assert_eq!(answer.status != 405, is_described, "{case}");
        let is_no_path = answer.status == 404 && {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            body.contains("no_such_path") || body.contains("no-such-path")
        };
        assert!(!is_no_path, "{case}");
        if !is_described {
            let allowed = answer.header("allow").split(',');
            let allowed: BTreeSet<String> = allowed.map(|name| name.trim().to_owned()).collect();
            assert_eq!(allowed, described, "{case}");
            let said = String::from_utf8_lossy(&answer.body).replace(['-', '_'], " ");
            let is_told = said.contains("method not allowed") || said.contains("invalid request");
            assert!(
                is_told || name == "HEAD" && said.is_empty(),
                "{case}: {said}"
            );
        }
    }
}

fn check_references(document: &Value, part: &Value) {
    if let Some(reference) = part["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
    let members = part
        .as_object()
        .into_iter()
        .flat_map(|members| members.values());
    for part in members.chain(part.as_array().into_iter().flatten()) {
        check_references(document, part);
    }
}

sqlite_story! {
    /// On the listing address and of webhook calls, a call knows the parameters that it describes, and
    /// no others.
    async fn a_parameter_that_is_not_described_is_refused_and_named(server) {
        let caller = Caller {
            agent: server.agent("north").await,
            key: server.api_key("Example Lender").await,
        };
        let mut calls = 0;
        for (at, prefix) in [(At::Listing, "/api/v1/"), (At::Base, "/api/v1/webhook/")] {
            let document = document(&server, at).await;
            for (path, item) in paths(&document).filter(|(path, _item)| path.starts_with(prefix)) {
                for (method, operation) in item.as_object().unwrap() {
                    check_unknown(&caller, &server.url(at, path), (method, operation)).await;
                    calls += 1;
                }
            }
        }
        assert!(calls > 40, "{calls}");
    }
}

/// Sends two unknown parameters beside each known one.
async fn check_unknown(caller: &Caller, url: &str, (method, operation): (&str, &Value)) {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let known = parameters.filter(|parameter| parameter["in"] == "query");
    let known: Vec<_> = known.map(|one| one["name"].as_str().unwrap()).collect();
    let all = ["extrenal_id", "Page"].iter().chain(&known);
    let query: Vec<_> = all.map(|name| format!("{name}=1")).collect();
    let query = query.join("&");
    let parts = url
        .split('/')
        .map(|part| if part.starts_with('{') { "1" } else { part });
    let url = format!("{}?{query}", parts.collect::<Vec<_>>().join("/"));
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let request = caller.agent.registration.http.request(method.clone(), &url);
    let answer = send(caller.prove(request, &url)).await;
    let case = format!("{method} {url}");
    assert_eq!(answer.status, 422, "{case}");
    let why = if known.is_empty() {
        "is not known here; this call has no parameters in its URL".to_owned()
    } else {
        format!("is not known here; known are {}", known.join(", "))
    };
    let errors = &answer.json()["errors"];
    let errors = errors.as_array().unwrap().iter();
    let errors: Vec<_> = errors
        .map(|error| {
            (
                error.get("pointer").or(error.get("field")).unwrap(),
                &error["detail"],
            )
        })
        .collect();
    let (detail, [first, second]) = (Value::from(why), ["extrenal_id", "Page"].map(Value::from));
    assert_eq!(errors, [(&first, &detail), (&second, &detail)], "{case}");
}
