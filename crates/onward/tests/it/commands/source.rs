//! `token`, `query` and `verify` of a service that options name, and of the sandbox in this folder.

use serde_json::Value;

use super::program::{Finished, Program, command, run, run_well};
use super::sandbox::Sandbox;

/// The options that name a service and one of its clients.
fn options(file: &Value, client: &Value) -> Vec<String> {
    let service = ["base-url", "auth-url", "jwks-url"];
    let service = service.map(|name| (name, &file[name.replace('-', "_")]));
    let others = [
        ("ca", &file["ca_file"]),
        ("certificate", &client["certificate_file"]),
        ("key", &client["key_file"]),
        ("client-id", &client["client_id"]),
        ("assertion-key", &client["assertion_key_file"]),
        ("assertion-alg", &client["assertion_alg"]),
        ("assertion-kid", &client["assertion_kid"]),
    ];
    let all = service.into_iter().chain(others);
    let texts =
        all.flat_map(|(name, value)| [format!("--{name}"), value.as_str().unwrap().to_owned()]);
    texts.collect()
}

/// The options, with another value of this one.
fn with(options: &[String], name: &str, value: &str) -> Vec<String> {
    let mut options = options.to_vec();
    let at = options.iter().position(|option| option == name).unwrap();
    value.clone_into(&mut options[at + 1]);
    options
}

fn run_with(args: &[&str], options: &[String]) -> Finished {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    run(&[args, &options].concat())
}

fn end(program: Program) {
    program.stop("TERM");
}

#[test]
fn options_name_a_service_and_everything_that_a_call_needs() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let file = sandbox.read();
    let clients = file["clients"].as_array().unwrap();
    let is_fapi = |client: &&Value| client["assertion_alg"] == "PS256";
    let options = options(&file, clients.iter().find(is_fapi).unwrap());

    let token = run_with(&["token"], &options);
    assert_eq!(token.out.matches('.').count(), 2, "{token:?}");
    let line = run_with(&["token", "--curl"], &options).out;
    assert!(line.contains("--form 'value[]=UPRN' "), "{line}");
    let chains = format!(
        "{}/api/v1/standard/chains\n",
        file["base_url"].as_str().unwrap()
    );
    assert!(line.ends_with(&chains), "{line}");
    let uprn = file["samples"]["uprn_in_chain"].to_string();
    let drawn = run_with(&["query", "--uprn", &uprn], &options);
    assert!(drawn.out.contains("signature verified: key "), "{drawn:?}");

    for (name, value, said) in [
        (
            "--assertion-alg",
            "HS256",
            "the algorithm `HS256` is unknown",
        ),
        (
            "--assertion-alg",
            "ES256",
            "the assertion key cannot be used",
        ),
        (
            "--assertion-kid",
            "other",
            "401 Unauthorized, invalid_client",
        ),
        ("--assertion-key", "none.key", "cannot read none.key"),
        ("--ca", "none.pem", "cannot read none.pem"),
        // The operating system does not know the authority of a sandbox.
        ("--ca", "system", "invalid peer certificate: UnknownIssuer"),
    ] {
        let refused = run_with(&["token"], &with(&options, name, value));
        assert!(refused.failure().contains(said), "{refused:?}");
    }
    let partly = run_with(&["token"], &options[..4]);
    assert_eq!(partly.status, Some(2));
    assert!(partly.err.contains("--assertion-key <FILE>"), "{partly:?}");
    end(program);
}

#[test]
fn without_options_the_sandbox_in_this_folder_is_asked() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let folder = tempfile::tempdir().unwrap();
    let run_there = |args: &[&str]| {
        let mut started = command(args);
        Program::spawn(started.current_dir(folder.path())).wait()
    };
    let advice = "start `onward sandbox` here, or pass --sandbox DIR, or name a service with";
    for args in [
        &["token"][..],
        &["token", "--curl"],
        &["query", "--uprn", "5"],
    ] {
        let lost = run_there(args);
        assert!(lost.failure().contains(advice), "{lost:?}");
    }
    let here = folder.path().join("onward-sandbox");
    std::os::unix::fs::symlink(sandbox.directory(), here).unwrap();
    let uprn = sandbox.read()["samples"]["uprn_in_chain"].to_string();
    let asked = run_there(&["query", "--uprn", &uprn, "--output", "answer.json"]);
    assert_eq!(asked.status, Some(0), "{asked:?}");
    let verified = run_there(&["verify", "answer.json"]);
    assert!(verified.out.contains("signature verified"), "{verified:?}");
    end(program);
}

/// An address that fits no property well enough leads to those that may be meant, a line each.
#[test]
fn an_uncertain_address_leads_to_suggestions() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let samples = sandbox.read()["samples"].clone();
    let address = samples["address"].as_str().unwrap().to_owned();
    let (start, _inward) = address.rsplit_once(' ').unwrap();
    let elsewhere = format!("{start} 1AA");
    let args = ["query", "--sandbox", sandbox.directory()];
    let uncertain = run(&[&args[..], &[&elsewhere]].concat());
    assert_eq!((uncertain.status, uncertain.out.as_str()), (Some(1), ""));
    let lines: Vec<&str> = uncertain.err.lines().collect();
    let refusal = "onward: 404 Not found: No property with a current listing fits";
    assert!(lines[0].starts_with(refusal), "{lines:?}");
    assert!(
        lines[1].starts_with(&format!("  no chain for {elsewhere}: ")),
        "{lines:?}"
    );
    assert_eq!(lines[2], "Perhaps one of these is meant:");
    let uprn = samples["uprn_in_chain"].to_string();
    let suggested = format!("  --uprn {uprn:<12}  {address}  (");
    let is_suggested = |line: &&str| line.starts_with(&suggested) && line.ends_with(" %)");
    assert!(lines[3..].iter().any(is_suggested), "{lines:?}");
    assert_eq!(lines.last(), Some(&"Ask again with one of these UPRNs."));
    run_well(&[&args[..], &["--uprn", &uprn]].concat());
    end(program);
}
