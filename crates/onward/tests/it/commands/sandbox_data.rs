//! A sandbox with data of one's own, and what it needs of its folder.

use super::program::{Program, find_ports, run};
use super::sandbox::Sandbox;

/// Waits until it listens, and ends it.
fn start_and_end(args: &[&str]) -> String {
    let mut program = Program::start(&[&["sandbox"], args].concat());
    program.wait_for("Ctrl-C stops it");
    program.stop("TERM").err
}

#[test]
fn a_sandbox_loads_files_and_its_agents_have_branches_whatever_these_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (directory, rows) = (path("sandbox"), path("rows.ndjson"));
    let property = r#"{"type":"property","uprn":7,"line1":"7 High Street","post_town":"Leeds","postcode":"LS1 4AP"}"#;
    let branch = r#"{"type":"branch","branch":"b1","name":"Acorn, Leeds"}"#;
    let listing = r#"{"type":"listing","branch":"b1","listing":"L1","uprn":7}"#;
    std::fs::write(&rows, [property, branch, listing].join("\n")).unwrap();
    let port = find_ports().to_string();
    let start = ["--dir", &directory, "--port", &port];
    let data = ["--data", &rows, "--no-rate-limit"];
    start_and_end(&[&start[..], &data].concat());
    let read = || std::fs::read_to_string(path("sandbox/sandbox.json")).unwrap();
    let before = read();
    let file: serde_json::Value = serde_json::from_str(&before).unwrap();
    let samples = &file["samples"];
    assert_eq!(
        (&samples["uprn_alone"], &samples["uprn_in_chain"]),
        (&7.into(), &0.into())
    );
    let clients = file["clients"].as_array().unwrap();
    let agents = clients
        .iter()
        .filter(|client| client["scopes"] == serde_json::json!(["listing"]));
    let mut branches: Vec<_> = agents.map(|agent| agent["branches"].to_string()).collect();
    branches.sort();
    // The second one is made for the sandbox, and named after it.
    assert_eq!(branches, ["[1]", "[2]"]);
    let config = path("sandbox/onward.toml");
    let listed = run(&["branch", "list", "--config", &config]);
    assert!(listed.out.contains("Acorn, Leeds"), "{listed:?}");
    assert!(listed.out.contains("Sandbox Agent 2"), "{listed:?}");
    // Started again without options, it keeps its ports and its data.
    start_and_end(&["--dir", &directory]);
    assert_eq!(read(), before);
}

#[test]
fn a_file_of_a_client_that_cannot_be_read_is_named() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    program.stop("TERM");
    let broken = sandbox.file("clients/mine.json");
    let added = "{\"name\":\"Mine\",\"algorithm\":\"HS256\"}";
    for (text, said) in [("{", "EOF while parsing"), (added, "missing field")] {
        std::fs::write(&broken, text).unwrap();
        let failed = run(&["sandbox", "--dir", sandbox.directory()]);
        let told = failed.failure();
        assert!(told.contains(&format!("cannot read {broken}: ")), "{told}");
        assert!(told.contains(said), "{told}");
    }
}
