//! The examples of successful answers in the documents are answers of this program.
//!
//! With `ONWARD_RECORD_EXAMPLES=1` the tests write the examples whose shape is no longer right.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Map, Value};

use crate::test_server::{Answer, At};

/// How many entries of each list an example keeps.
const ENTRIES: usize = 2;

/// The successful answers with JSON that a test has seen at one address.
pub(super) struct Successes {
    address: &'static str,
    /// By operation id and status.
    seen: BTreeMap<(String, String), Seen>,
}

struct Seen {
    example: Value,
    answers: Vec<Value>,
}

impl Successes {
    pub(super) fn new(at: At) -> Self {
        let address = match at {
            At::Base => "base",
            At::Auth => "auth",
            At::Directory => "directory",
            At::Listing => "listing",
            At::Ops => "ops",
            At::Console => unreachable!("the console has no document"),
        };
        Self {
            address,
            seen: BTreeMap::new(),
        }
    }

    /// Adds an answer if it is a success with JSON.
    pub(super) fn add(&mut self, operation: &Value, answer: &Answer) {
        let kind = answer.header("content-type");
        let (Some(id), true) = (operation["operationId"].as_str(), kind.contains("json")) else {
            return;
        };
        if id == "show_openapi" || !(200..300).contains(&answer.status) {
            return;
        }
        let status = answer.status.to_string();
        let content = &operation["responses"][&status]["content"][kind];
        let example = content["examples"]["recorded"]["value"].clone();
        let seen = self.seen.entry((id.to_owned(), status));
        let seen = seen.or_insert_with(|| Seen {
            example,
            answers: Vec::new(),
        });
        seen.answers.push(cut(answer.json()));
    }

    /// Fails the test for an example whose shape no answer had.
    pub(super) fn compare_with_examples(&self) {
        let mut stale = Vec::new();
        for ((id, status), seen) in &self.seen {
            let right = shape(&seen.example);
            if !seen.answers.iter().any(|answer| shape(answer) == right) {
                let richest = seen.answers.iter().max_by_key(|answer| leaves(answer));
                stale.push((id, status, richest.unwrap()));
            }
        }
        if std::env::var_os("ONWARD_RECORD_EXAMPLES").is_some() {
            record(self.address, &stale);
        } else {
            assert!(
                stale.is_empty(),
                "no answer looks like these examples: {stale:?}; run the test again with \
                 ONWARD_RECORD_EXAMPLES=1, build, and read what changed"
            );
        }
    }
}

/// Writes these examples into the file that the program includes.
fn record(address: &str, answers: &[(&String, &String, &Value)]) {
    static FILE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = FILE.lock().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/src/openapi/examples.json");
    let mut all: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (id, status, answer) in answers {
        all[address][id][status] = (*answer).clone();
    }
    let text = serde_json::to_string_pretty(&all).unwrap();
    std::fs::write(path, text + "\n").unwrap();
}

/// The value with short lists.
fn cut(value: Value) -> Value {
    match value {
        Value::Array(entries) => entries.into_iter().take(ENTRIES).map(cut).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            let members = members.map(|(name, member)| (name, cut(member)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// The members of a value with the kinds of their values. The first entry of a list stands for all.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "flag".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(entries) => entries.iter().take(1).map(shape).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, member)| (name.clone(), shape(member)))
                .collect()
        }
    }
}

/// How many values there are that are neither null nor lists or objects of others.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(entries) => entries.iter().map(leaves).sum(),
        Value::Object(members) => members.values().map(leaves).sum(),
    }
}
