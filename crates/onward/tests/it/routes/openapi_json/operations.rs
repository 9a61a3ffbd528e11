//! The document's operations are the router's routes with the methods that
//! they answer.

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;

use super::{ADDRESSES, document};
use crate::story;
use crate::world::{Agent, Answer, At};

const ROUTER: &str = include_str!("../../../../../server/src/router.rs");

story! {
    async fn routes_and_operations_are_the_same(world) {
        let caller = Caller {
            agent: world.agent("north").await,
            key: world.api_key("Example Lender").await,
        };
        for at in ADDRESSES {
            let document = document(&world, at).await;
            let described: BTreeSet<_> = paths(&document).map(|(path, _)| path.clone()).collect();
            assert_eq!(described, routes_of(at), "{at:?}");
            for (path, item) in paths(&document) {
                check_methods(&caller, &world.url(at, ""), (path, item)).await;
            }
        }
    }
}

/// Somebody who is let in at every address.
struct Caller {
    agent: Agent,
    key: String,
}

story! {
    async fn operation_ids_are_unique_and_references_lead_somewhere(world) {
        for at in ADDRESSES {
            let document = document(&world, at).await;
            let mut ids = BTreeSet::new();
            for (path, item) in paths(&document) {
                for (method, operation) in item.as_object().unwrap() {
                    if let Some(id) = operation["operationId"].as_str() {
                        assert!(ids.insert(id), "{at:?} {id} twice");
                    } else {
                        assert_eq!(method, "head", "{path} has no operationId");
                    }
                }
            }
            check_references(&document, &document);
        }
    }
}

fn paths(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document["paths"].as_object().unwrap().iter()
}

/// The paths that `router.rs` names in the arm of an address or in the functions
/// that the arm calls, and after the last arm, for all.
fn routes_of(at: At) -> BTreeSet<String> {
    let table = ROUTER.split_once("let routes = match door {").unwrap().1;
    let (arms, rest) = table.split_once("};").unwrap();
    let (common, rest) = rest.split_once("fn listing_door").unwrap();
    let (_, rest) = rest.split_once("fn webhook_routes").unwrap();
    let (webhooks, listing) = rest.split_once("fn chain_routes").unwrap();
    let own = match at {
        At::Listing => listing,
        At::Base => webhooks,
        At::Auth | At::Directory | At::Ops => "",
    };
    let arm = arms
        .split("Door::")
        .find(|arm| arm.starts_with(&format!("{at:?}")))
        .unwrap();
    let literals = |code: &str| -> Vec<String> {
        let calls = code.split(".route(").skip(1);
        calls
            .map(|call| call.split('"').nth(1).unwrap().to_owned())
            .collect()
    };
    let mut routes = literals(arm);
    routes.extend(literals(own));
    routes.extend(literals(common));
    routes.into_iter().collect()
}

/// A method that is described is never answered with 405, and any other always
/// is, with the described ones in `Allow`.
async fn check_methods(caller: &Caller, address: &str, (path, item): (&str, &Value)) {
    let described: BTreeSet<String> = item
        .as_object()
        .unwrap()
        .keys()
        .map(|method| method.to_uppercase())
        .collect();
    let filled: Vec<&str> = path
        .split('/')
        .map(|part| if part.starts_with('{') { "1" } else { part })
        .collect();
    let url = format!("{address}{}", filled.join("/"));
    for name in "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PURGE".split(' ') {
        let method = Method::from_bytes(name.as_bytes()).unwrap();
        let answer = Answer::read(
            caller
                .agent
                .client
                .http
                .request(method, &url)
                .bearer_auth(&caller.agent.token)
                .header("x-api-key", &caller.key)
                .send()
                .await
                .unwrap(),
        )
        .await;
        let is_described = described.contains(name);
        assert_eq!(
            answer.status != 405,
            is_described,
            "{address} {name} {path}: {}",
            answer.status
        );
        let is_no_path = answer.status == 404 && {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            body.contains("no_such_path") || body.contains("no-such-path")
        };
        assert!(!is_no_path, "{address} {name} {path}");
        if !is_described {
            let allowed: BTreeSet<String> = answer
                .header("allow")
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect();
            assert_eq!(allowed, described, "{address} {name} {path}");
        }
    }
}

fn check_references(document: &Value, part: &Value) {
    match part {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} leads nowhere"
                );
            }
            for member in members.values() {
                check_references(document, member);
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                check_references(document, entry);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
