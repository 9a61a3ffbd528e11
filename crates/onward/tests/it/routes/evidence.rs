//! The evidence pack of an answer (S-62, S-63): who gets one, and what it proves.

mod proofs;
mod refused;

use std::path::{Path, PathBuf};
use std::process::Command;

use evidence::Level;
use evidence::pack::Pack;
use log::policy::Policy;
use reqwest::RequestBuilder;
use state_log::policy::write_policy;
use storage::StorageError;

use crate::test_server::{Answer, Client, TestServer, send};

const PATH: &str = "/api/v1/evidence";
const JSON: &str = "application/json";

impl Client {
    /// Asks for the evidence of an answer.
    pub(crate) async fn ask_evidence(&self, answer: &[u8]) -> Answer {
        send(self.evidence_request("", answer)).await
    }

    fn evidence_request(&self, query: &str, answer: &[u8]) -> RequestBuilder {
        let request = self.at_base(&http::Method::POST, &format!("{PATH}{query}"));
        let request = request.bearer_auth(&self.token);
        request.header("content-type", JSON).body(answer.to_vec())
    }

    /// The evidence of an answer, once the log has it.
    pub(crate) async fn wait_for_evidence(&self, server: &TestServer, answer: &[u8]) -> Answer {
        let mut last = self.ask_evidence(answer).await;
        let is_logged = async || {
            if last.status == 409 {
                last = self.ask_evidence(answer).await;
            }
            last.status != 409
        };
        server.wait_until("the log has it", is_logged).await;
        assert_eq!(last.status, 200, "{}", last.json());
        assert_eq!(last.header("content-type"), evidence::MEDIA_TYPE);
        last
    }
}

impl TestServer {
    /// The policy of the server's logs.
    pub(crate) async fn policy(&self) -> String {
        let (url, witnesses) = (self.config.directory_url.clone(), self.config.witnesses());
        let witnesses = witnesses.unwrap();
        let writing = self
            .storage
            .read(move |read| write_policy(read, &url, &witnesses));
        let written: Result<_, StorageError> = writing.await;
        written.unwrap()
    }

    /// Verifies a pack with the program's own code and with Python. Returns the steps.
    pub(crate) async fn verify(&self, pack: &[u8]) -> Vec<String> {
        self.verify_at(pack, Level::StateLogged).await
    }

    /// The same for another level.
    pub(crate) async fn verify_at(&self, pack: &[u8], level: Level) -> Vec<String> {
        let policy = self.policy().await;
        let report = evidence::verify(pack, &Policy::parse(&policy).unwrap()).unwrap();
        assert_eq!(report.level, level);
        let folder = tempfile::tempdir().unwrap();
        let (pack_file, policy_file) = (folder.path().join("pack"), folder.path().join("policy"));
        std::fs::write(&pack_file, pack).unwrap();
        std::fs::write(&policy_file, policy).unwrap();
        let (is_verified, said) = verify_with_python(&pack_file, &policy_file);
        assert!(is_verified, "{said}");
        assert_eq!(said, report.to_string());
        report.steps.into_iter().map(|(_, step)| step).collect()
    }
}

/// Runs the verifier of the examples, without the network. Returns whether it succeeded, and what it said.
pub(crate) fn verify_with_python(pack: &Path, policy: &Path) -> (bool, String) {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let script = script.join("../../examples/python/verify_evidence.py");
    let mut python = Command::new("python3");
    let ran = python.arg("-I").args([&script, pack, policy]).output();
    let ran = ran.unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    (ran.status.success(), String::from_utf8(said).unwrap())
}

fn read_pack(answer: &Answer) -> Pack {
    Pack::parse(&answer.body).unwrap()
}
