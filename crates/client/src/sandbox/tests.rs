//! Tests of reading `sandbox.json`.

use std::path::{Path, PathBuf};

use super::{SandboxFile, load};
use crate::ClientError;

const SAMPLE: &str = r#"{
  "base_url": "https://localhost:8440", "auth_url": "https://localhost:8441",
  "jwks_url": "https://localhost:8442/jwks", "directory_url": "https://localhost:8442",
  "listing_base_url": "https://localhost:8443", "ops_url": "http://127.0.0.1:8444",
  "ca_file": "ca.pem", "config_file": "/etc/onward.toml",
  "clients": [
    {"name": "Agent", "client_id": "https://a", "scopes": ["listing"], "branches": [7],
     "certificate_file": "a.pem", "key_file": "a.key", "assertion_key_file": "a.jwk.key",
     "assertion_kid": "a-1", "assertion_alg": "ES256", "certificate_bound": false},
    {"name": "Example Lender", "client_id": "https://l", "scopes": ["transaction-status"],
     "branches": [], "certificate_file": "l.pem", "key_file": "l.key",
     "assertion_key_file": "/keys/l.key", "assertion_kid": "l-1", "assertion_alg": "PS256",
     "certificate_bound": true}
  ],
  "api_keys": [{"participantName": "Example Lender", "key": "k"}],
  "callback": {"certificate_file": "cb.pem", "key_file": "cb.key"},
  "samples": {"uprn_in_chain": 1, "uprn_split": 2, "uprn_alone": 3, "address": "1 High Street",
              "listing_id": 4, "branch_id": 5},
  "added_later": true
}"#;

fn load_text(text: &str) -> Result<SandboxFile, ClientError> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("sandbox.json"), text).unwrap();
    let mut file = load(dir.path())?;
    // The directory is a new one in each test, so `DIR` replaces it.
    let shorten = |path: &mut PathBuf| {
        if let Ok(rest) = path.strip_prefix(dir.path()) {
            *path = Path::new("DIR").join(rest);
        }
    };
    shorten(&mut file.ca_file);
    shorten(&mut file.clients[0].certificate_file);
    shorten(&mut file.callback.key_file);
    Ok(file)
}

#[test]
fn file_names_are_resolved_against_the_directory() {
    let file = load_text(SAMPLE).unwrap();
    assert_eq!(file.ca_file, Path::new("DIR/ca.pem"));
    assert_eq!(file.config_file, Path::new("/etc/onward.toml"));
    assert_eq!(file.clients[0].certificate_file, Path::new("DIR/a.pem"));
    assert_eq!(file.clients[1].assertion_key_file, Path::new("/keys/l.key"));
    assert_eq!(file.callback.key_file, Path::new("DIR/cb.key"));
}

#[test]
fn the_default_client_is_the_first_one_that_may_query() {
    let file = load_text(SAMPLE).unwrap();
    assert_eq!(file.client(None).unwrap().name, "Example Lender");
    assert_eq!(file.client(Some("Agent")).unwrap().client_id, "https://a");
    let error = file.client(Some("Nobody")).unwrap_err().to_string();
    assert_eq!(
        error,
        "sandbox.json has no such client; its clients are: Agent, Example Lender"
    );
}

#[test]
fn a_written_file_reads_back_unchanged() {
    let file = load_text(SAMPLE).unwrap();
    let written = serde_json::to_string_pretty(&file).unwrap();
    assert_eq!(serde_json::from_str::<SandboxFile>(&written).unwrap(), file);
    assert!(written.contains("\"participantName\""));
}

#[test]
fn a_missing_or_broken_file_says_what_to_do() {
    let missing = load(Path::new("does-not-exist")).unwrap_err().to_string();
    let expected = "cannot read does-not-exist/sandbox.json";
    assert!(missing.starts_with(expected), "{missing}");
    let broken = load_text("{}").unwrap_err().to_string();
    assert!(broken.contains("start `onward sandbox`"), "{broken}");
}
