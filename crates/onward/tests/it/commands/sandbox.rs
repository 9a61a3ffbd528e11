//! `sandbox`, and what `query` and `verify` make of it.

use std::path::Path;
use std::time::Duration;

use observe::clock::{self, Clock};
use serde_json::Value;

use super::program::{Program, find_ports, run, run_well};

/// A sandbox's folder, with 200 made-up listings.
pub(super) struct Sandbox {
    directory: tempfile::TempDir,
    port: u16,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            port: find_ports(),
        }
    }

    pub(super) fn directory(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    /// Starts it and waits until everything listens.
    pub(super) fn start(&self) -> Program {
        self.start_with(&[])
    }

    /// As [`Sandbox::start`], with more options.
    pub(super) fn start_with(&self, more: &[&str]) -> Program {
        let port = self.port.to_string();
        let data = ["--listings", "200", "--seed", "3"];
        let args = ["sandbox", "--dir", self.directory(), "--port", &port];
        let mut program = Program::start(&[&args[..], &data, more].concat());
        program.wait_for("Ctrl-C stops it; started again, it carries on.");
        program
    }

    pub(super) fn read(&self) -> Value {
        let text = std::fs::read(self.directory.path().join("sandbox.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    pub(super) fn file(&self, name: &str) -> String {
        let path = self.directory.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// The first chain that `query --json` gets.
    fn query(&self, asked: &[&str]) -> Value {
        let args = ["query", "--sandbox", self.directory(), "--json"];
        let answer: Value = serde_json::from_str(&run_well(&[&args[..], asked].concat())).unwrap();
        answer["data"]["data"][0].clone()
    }
}

/// The names of the members, in order.
fn names(value: &Value) -> String {
    let names: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
    names.join(" ")
}

/// The shape that the program's contract gives, members in any order.
fn check_shape(file: &Value, port: u16) {
    let members = "api_keys auth_url base_url ca_file callback clients config_file console_url \
        directory_url jwks_url listing_base_url ops_url policy_file samples witness_url";
    assert_eq!(names(file), members);
    for (name, origin, offset, path) in [
        ("base_url", "https://localhost", 0, ""),
        ("auth_url", "https://localhost", 1, ""),
        ("jwks_url", "https://localhost", 2, "/jwks"),
        ("directory_url", "https://localhost", 2, ""),
        ("listing_base_url", "https://localhost", 3, ""),
        ("ops_url", "http://127.0.0.1", 4, ""),
    ] {
        let url = format!("{origin}:{}{path}", port + offset);
        assert_eq!(file[name], url);
    }
    let witness = file["witness_url"].as_str().unwrap();
    assert!(witness.starts_with("http://127.0.0.1:"), "{witness}");
    let console = file["console_url"].as_str().unwrap();
    let entry = format!("http://localhost:{}/enter/", port + 5);
    assert!(
        console.strip_prefix(&entry).unwrap().len() >= 43,
        "{console}"
    );
    for name in ["ca_file", "config_file", "policy_file"] {
        assert!(is_file(&file[name]), "{name}");
    }
    for key in file["api_keys"].as_array().unwrap() {
        assert_eq!(names(key), "key participantName");
    }
    check_members(file);
}

fn is_file(name: &Value) -> bool {
    Path::new(name.as_str().unwrap()).is_file()
}

/// The shape of what is nested in the file.
fn check_members(file: &Value) {
    let callback = &file["callback"];
    assert_eq!(names(callback), "certificate_file key_file");
    assert!(is_file(&callback["certificate_file"]) && is_file(&callback["key_file"]));
    let samples = "address address_ambiguous branch_id listing_id uprn_alone uprn_in_chain \
        uprn_not_listed uprn_rate_limited uprn_split uprn_unavailable";
    assert_eq!(names(&file["samples"]), samples);
    let members = "assertion_alg assertion_key_file assertion_kid branches certificate_bound \
        certificate_file client_id key_file name scopes";
    for client in file["clients"].as_array().unwrap() {
        assert_eq!(names(client), members);
        for name in ["certificate_file", "key_file", "assertion_key_file"] {
            assert!(is_file(&client[name]), "{client}");
        }
        let id = client["client_id"].as_str().unwrap();
        assert!(id.starts_with("https://"));
        assert!(!client["assertion_kid"].as_str().unwrap().is_empty());
        assert!(client["certificate_bound"].is_boolean());
    }
}

/// A lender, two agents with different branches, one of them unbound, an auditor, a client
/// without any scope, and one with both.
fn check_clients(clients: &Value) {
    let clients = clients.as_array().unwrap();
    let has = |is_wanted: &dyn Fn(&Value) -> bool| {
        let found = clients.iter().filter(|client| is_wanted(client));
        found.cloned().collect::<Vec<_>>()
    };
    let scopes = |client: &Value| client["scopes"].to_string();
    assert!(!has(&|client| scopes(client) == "[\"transaction-status\"]").is_empty());
    assert!(!has(&|client| scopes(client) == "[]").is_empty());
    let both = has(&|client| client["scopes"].as_array().unwrap().len() == 2);
    assert!(!both.is_empty());
    let agents = has(&|client| scopes(client) == "[\"listing\"]");
    assert_eq!(agents.len(), 2);
    assert_ne!(agents[0]["branches"], agents[1]["branches"]);
    let is_unbound = |agent: &&Value| agent["certificate_bound"] == false;
    assert_eq!(agents.iter().filter(is_unbound).count(), 1);
}

/// The address as somebody types it, and with another number.
fn check_typed(sandbox: &Sandbox, address: &str, chain: &Value) {
    let typed = address.to_lowercase().replace(',', "");
    let words: Vec<&str> = typed.split(' ').collect();
    assert_eq!(sandbox.query(&words)["chainId"], chain["chainId"]);
    let (start, _) = typed.rsplit_once(' ').unwrap();
    let too_little = start.replacen(|first: char| first.is_ascii_digit(), "99", 1);
    let uncertain = run(&["query", "--sandbox", sandbox.directory(), &too_little]);
    let said = &uncertain.err;
    let is_right = said.starts_with("onward: 404 ") && !said.contains("signature");
    assert!(is_right && uncertain.status == Some(1), "{said}");
}

/// Characters that mislead readers are shown by their numbers (S-96). The answer has the value as it was
/// sent.
fn check_disguise(sandbox: &Sandbox, address: &str) {
    let typed = format!("\u{202e}{address}");
    let answer = sandbox.file("disguised.json");
    let query = ["query", "--sandbox", sandbox.directory(), &typed];
    let drawn = run_well(&query);
    assert!(drawn.contains(&format!("U+202E{address}")), "{drawn}");
    let json = run_well(&[&query[..], &["--json", "--output", &answer]].concat());
    assert!(json.contains(&format!("\\u202e{address}")), "{json}");
    let verified = run_well(&["verify", &answer, "--sandbox", sandbox.directory()]);
    assert!(
        verified.contains(&format!("U+202E{address}: chain ")),
        "{verified}"
    );
    for printed in [drawn, json, verified] {
        assert!(!printed.contains('\u{202e}'), "{printed}");
    }
    let saved = std::fs::read_to_string(&answer).unwrap();
    assert!(saved.contains(&typed));
}

/// Each value without a chain is named, and on a later page the right property is marked.
fn check_explanation(sandbox: &Sandbox, uprn: &str, alone: &str) {
    let args = ["query", "--sandbox", sandbox.directory(), "--uprn"];
    let drawn = run_well(&[&args[..], &["5", uprn, alone, "--rows", "1", "--page", "2"]].concat());
    assert!(
        drawn.contains("no chain for 5: no known property fits (not signed)"),
        "{drawn}"
    );
    let mut lines = drawn
        .lines()
        .skip_while(|line| !line.contains("(asked for)"));
    let below = lines
        .find(|line| line.contains("UPRN "))
        .unwrap_or_default();
    assert!(below.contains(&format!("UPRN {alone} ")), "{drawn}");
    let refused = run(&[&args[..], &["5"]].concat());
    let lines: Vec<&str> = refused.err.lines().collect();
    let is_named = lines[1].starts_with("  no chain for 5: no known property fits (request ");
    assert!(is_named && refused.status == Some(1), "{lines:?}");
}

/// A saved answer is verified, and a changed one is not.
fn check_verification(sandbox: &Sandbox, uprn: &str) {
    let saved = sandbox.file("answer.json");
    let args = ["query", "--sandbox", sandbox.directory()];
    let asked = ["--uprn", uprn, "--output", &saved];
    let drawn = run_well(&[&args[..], &asked].concat());
    for part in ["(asked for)", "signature verified: key "] {
        assert!(drawn.contains(part), "{drawn}");
    }
    let verified = run_well(&["verify", &saved, "--sandbox", sandbox.directory()]);
    assert!(verified.contains("signature verified"), "{verified}");

    let text = std::fs::read_to_string(&saved).unwrap();
    let tampered = sandbox.file("tampered.json");
    std::fs::write(&tampered, text.replacen("2026", "2025", 1)).unwrap();
    let args = ["verify", &tampered, "--sandbox", sandbox.directory()];
    let refused = run(&[&args[..], &["--json"]].concat());
    let said: Value = serde_json::from_str(&refused.out).unwrap_or_else(|_| panic!("{refused:?}"));
    refused.failure();
    assert_eq!(said["verified"], false);
}

/// A query about a time says so, and so does the saved answer. The default client is the auditor (S-60).
fn check_as_of(sandbox: &Sandbox, uprn: &str) {
    let saved = sandbox.file("past.json");
    let query = |time: &str, more: &[&str]| {
        let args = ["query", "--sandbox", sandbox.directory(), "--as-of", time];
        run(&[&args[..], &["--uprn", uprn], more].concat())
    };
    // The sales were made a moment ago.
    let said = loop {
        let time = clock::to_rfc3339(Clock::System.now_seconds() - 5);
        let drawn = query(&time, &["--output", &saved]);
        if drawn.status == Some(0) {
            assert!(drawn.out.contains("signature verified: key "), "{drawn:?}");
            break format!("The state as of {time}, not the present one:");
        }
        assert!(drawn.err.starts_with("onward: 404 "), "{drawn:?}");
        std::thread::sleep(Duration::from_millis(200));
    };
    let verified = run_well(&["verify", &saved, "--sandbox", sandbox.directory()]);
    assert!(verified.starts_with(&said), "{verified}");
    let early = query("2020-01-01", &[]);
    let why = "`asOf` is before the first state that this service keeps.";
    assert!(
        early.status == Some(1) && early.err.contains(why),
        "{early:?}"
    );
    let lender = query("2026-01-01", &["--client", "Example Lender"]);
    assert!(lender.failure().contains("invalid_scope"), "{lender:?}");
}

#[test]
fn a_newcomer_gets_everything_in_one_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let file = sandbox.read();
    check_shape(&file, sandbox.port);
    check_clients(&file["clients"]);
    let metadata = std::fs::metadata(sandbox.file("sandbox.json")).unwrap();
    let mode = metadata.permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it leads to keys");

    let samples = &file["samples"];
    for (name, kind) in [
        ("uprn_in_chain", "IN_CHAIN"),
        ("uprn_split", "SPLIT_CHAIN"),
        ("uprn_alone", "NOT_IN_CHAIN"),
    ] {
        let chain = sandbox.query(&["--uprn", &samples[name].to_string()]);
        assert_eq!(chain["chainSummary"]["chainType"], kind, "{name}");
    }
    let by_address = sandbox.query(&[samples["address"].as_str().unwrap()]);
    let by_uprn = sandbox.query(&["--uprn", &samples["uprn_in_chain"].to_string()]);
    assert_eq!(by_address["chainId"], by_uprn["chainId"]);
    check_typed(&sandbox, samples["address"].as_str().unwrap(), &by_uprn);
    check_disguise(&sandbox, samples["address"].as_str().unwrap());

    let [in_chain, alone] = ["uprn_in_chain", "uprn_alone"].map(|name| samples[name].to_string());
    check_explanation(&sandbox, &in_chain, &alone);
    check_verification(&sandbox, &in_chain);
    check_as_of(&sandbox, &in_chain);

    let args = ["sandbox", "--dir", sandbox.directory()];
    assert!(run(&args).failure().contains("another sandbox runs in "));
    program.stop("INT");
}

#[test]
fn a_port_in_use_names_the_way_out() {
    let sandbox = Sandbox::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", sandbox.port + 3)).unwrap();
    let port = sandbox.port.to_string();
    let data = ["--listings", "10", "--port", &port];
    let file = sandbox.file("sandbox.json");
    std::fs::write(&file, "of another time").unwrap();
    let failed = run(&[&["sandbox", "--dir", sandbox.directory()][..], &data].concat());
    let said = failed.failure();
    assert!(said.contains("--port chooses other ports"), "{said}");
    assert!(!Path::new(&file).exists(), "nothing listens");
    drop(taken);
    let failed = run(&["sandbox", "--dir", sandbox.directory(), "--port", "65533"]);
    assert!(failed.failure().contains("too high"), "{failed:?}");
}
