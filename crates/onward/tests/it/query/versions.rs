//! Reads sealed versions of chains over HTTP.

use http::Method;
use serde_json::Value;

use super::questions::{PATH, read};
use crate::test_server::{Answer, Client};

/// The scopes for past states.
pub(crate) const SCOPES: [&str; 2] = ["transaction-status", "transaction-history"];

impl Client {
    /// Reads below the path of the chain query.
    pub(crate) async fn read_below(&self, path: &str) -> Answer {
        let request = self.at_base(&Method::GET, &format!("{PATH}/{path}"));
        read(request.bearer_auth(&self.token)).await
    }

    /// Reads one version of a chain, which must be there. Returns its document.
    pub(crate) async fn read_version(&self, chain: &str, version: i64) -> Value {
        let answer = self
            .read_below(&format!("{chain}/versions/{version}"))
            .await;
        assert_eq!(answer.status, 200, "{chain} {version}");
        let data = answer.json()["data"].take();
        assert_eq!(data["version"], version);
        data["chain"].clone()
    }

    /// The sealed versions of a chain, each with its time.
    pub(crate) async fn list_versions(&self, chain: &str) -> Vec<(i64, String)> {
        let mut found = Vec::new();
        for page in 1.. {
            let answer = self
                .read_below(&format!("{chain}/versions?rows=100&page={page}"))
                .await;
            if answer.status == 404 {
                return found;
            }
            let answer = answer.json();
            for version in answer["data"].as_array().unwrap() {
                let time = version["recordedAt"].as_str().unwrap().to_owned();
                found.push((version["version"].as_i64().unwrap(), time));
            }
            if answer["pagination"]["lastPage"] == page {
                break;
            }
        }
        found
    }

    /// Waits until the versions of a chain up to this one are sealed. Returns them all.
    pub(crate) async fn wait_for_version(&self, chain: &str, version: i64) -> Vec<(i64, String)> {
        loop {
            let found = self.list_versions(chain).await;
            if found.iter().any(|(number, _)| *number == version) {
                return found;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

/// An answered chain without `queriedAddress`.
pub(crate) fn without_question(mut chain: Value) -> Value {
    chain
        .as_object_mut()
        .unwrap()
        .remove("queriedAddress")
        .unwrap();
    chain
}
