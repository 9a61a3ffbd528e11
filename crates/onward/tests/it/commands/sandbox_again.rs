//! A sandbox that is started again, after a good end and after a bad one.

use std::path::Path;
use std::time::Duration;

use observe::clock::Stopwatch;
use serde_json::{Value, json};
use storage::{OpenOptions, Storage};

use super::program::{Program, find_ports, run_well};
use super::sandbox::Sandbox;
use super::tables::{Counts, read_content};
use crate::test_server::PATIENCE;

#[test]
fn started_again_it_carries_on() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let before = sandbox.read();
    let uprn = before["samples"]["uprn_in_chain"].to_string();
    let query = ["query", "--sandbox", sandbox.directory(), "--uprn", &uprn];
    let saved = sandbox.file("answer.json");
    run_well(&[&query[..], &["--output", &saved]].concat());
    let ca = std::fs::read(sandbox.file("ca.pem")).unwrap();
    program.stop("TERM");
    let content = read_content(&open(&sandbox));

    let program = sandbox.start();
    assert_eq!(
        sandbox.read(),
        before,
        "addresses, clients, keys and samples"
    );
    assert_eq!(std::fs::read(sandbox.file("ca.pem")).unwrap(), ca);
    assert!(read_content(&open(&sandbox)) == content);
    run_well(&["verify", &saved, "--sandbox", sandbox.directory()]);
    // Each client's certificate and key are still those that it is registered with.
    for client in before["clients"].as_array().unwrap() {
        if client["scopes"].to_string().contains("transaction-status") {
            run_well(&[&query[..], &["--client", client["name"].as_str().unwrap()]].concat());
        }
    }
    assert_eq!(program.kill().status, None);
    let program = sandbox.start();
    assert_eq!(sandbox.read(), before, "after a kill as well");
    run_well(&query);
    drop(program);
}

#[test]
fn it_keeps_the_api_keys_that_still_work() {
    let sandbox = Sandbox::new();
    sandbox.start().stop("TERM");
    let (path, config) = (sandbox.file("sandbox.json"), sandbox.file("onward.toml"));
    let command = |args: &[&str]| {
        let args = [&["api-key"], args, &["--json", "--config", &config]].concat();
        serde_json::from_str::<Value>(&run_well(&args)).unwrap()["key"].clone()
    };
    let first = sandbox.read()["api_keys"].clone();
    let rotated = command(&["rotate", "1", "--overlap", "0s"]);
    let other = command(&["issue", "--participant", "Example Other"]);
    let mut file = sandbox.read();
    file["api_keys"][0]["key"] = rotated.clone();
    let more = json!({"participantName": "Example Other", "key": other});
    file["api_keys"].as_array_mut().unwrap().push(more.clone());
    std::fs::write(&path, file.to_string()).unwrap();
    for _ in 0..2 {
        sandbox.start().stop("TERM");
        let expected = json!([
            {"participantName": "Example Lender", "key": rotated}, first[1], more
        ]);
        assert_eq!(sandbox.read()["api_keys"], expected);
    }
    // A key that has ended, in the file too, gets a successor.
    command(&["rotate", "3", "--overlap", "0s"]);
    sandbox.start().stop("TERM");
    let keys = sandbox.read()["api_keys"].clone();
    assert_eq!(keys[0]["participantName"], "Example Lender");
    assert!(keys[0]["key"] != rotated && keys[0]["key"] != first[0]["key"]);
    assert_eq!(keys[1], first[1]);
}

#[test]
fn a_sandbox_of_an_older_program_gets_a_console() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let before = sandbox.read();
    program.stop("TERM");
    let config = std::fs::read_to_string(sandbox.file("onward.toml")).unwrap();
    let older = config.lines().filter(|line| !line.contains("console"));
    let older: Vec<_> = older.collect();
    std::fs::write(sandbox.file("onward.toml"), older.join("\n")).unwrap();
    let program = sandbox.start();
    assert_eq!(sandbox.read(), before);
    program.stop("TERM");
}

#[test]
fn killed_during_its_import_it_completes_it() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_str().unwrap();
    let port = find_ports().to_string();
    let args = [
        "sandbox",
        "--dir",
        directory,
        "--listings",
        "2500",
        "--port",
        &port,
    ];
    let program = Program::start(&args);
    let waited = Stopwatch::start();
    let sample = folder.path().join("sample.ndjson");
    // The sample is written when the store is there already.
    while !sample.exists() || count_listings(folder.path()) == 0 {
        assert!(waited.elapsed() < PATIENCE, "nothing is imported");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(program.kill().status, None);
    assert!(
        !folder.path().join("data-loaded").exists(),
        "it was too quick for this test"
    );
    assert!(
        count_listings(folder.path()) < 2_500,
        "it was too quick for this test"
    );

    let mut program = Program::start(&args);
    program.wait_for("Ctrl-C stops it");
    let mut rows = std::fs::read_to_string(&sample).unwrap();
    let refused = folder.path().join("refused-samples.ndjson");
    rows += &std::fs::read_to_string(refused).unwrap();
    let storage = open_in(folder.path());
    assert_eq!(Counts::of(&storage), Counts::after(rows.lines()));
    let text = std::fs::read_to_string(folder.path().join("sandbox.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let uprn = file["samples"]["uprn_in_chain"].to_string();
    run_well(&["query", "--sandbox", directory, "--uprn", &uprn]);
    program.stop("INT");
}

fn open(sandbox: &Sandbox) -> Storage {
    open_in(Path::new(sandbox.directory()))
}

fn open_in(folder: &Path) -> Storage {
    let url = folder.join("onward.db").to_str().unwrap().parse().unwrap();
    Storage::open(&url, &OpenOptions::new(server::SEAL)).unwrap()
}

fn count_listings(folder: &Path) -> i64 {
    Counts::of(&open_in(folder)).listings
}
