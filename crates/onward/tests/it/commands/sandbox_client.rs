//! `sandbox client` and `token`: a client of one's own, and its access tokens.

use serde_json::Value;

use super::program::{run, run_well};
use super::sandbox::Sandbox;

/// Runs `sandbox client` with these arguments.
fn add(sandbox: &Sandbox, args: &[&str]) -> super::program::Finished {
    let command = ["sandbox", "client", "--dir", sandbox.directory()];
    run(&[&command[..], args].concat())
}

/// An access token, with its lifetime and scopes.
fn token(sandbox: &Sandbox, args: &[&str]) -> Value {
    let command = ["token", "--json", "--sandbox", sandbox.directory()];
    serde_json::from_str(&run_well(&[&command[..], args].concat())).unwrap()
}

#[test]
fn a_client_of_ones_own_works_at_once_and_after_a_restart() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let made = add(
        &sandbox,
        &["My (first) Agent", "--profile", "fapi2", "--json"],
    );
    assert_eq!(made.status, Some(0), "{}", made.err);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    let listed = |sandbox: &Sandbox| {
        let file = sandbox.read();
        let clients = file["clients"].as_array().unwrap().clone();
        clients
            .into_iter()
            .find(|client| client["name"] == "My (first) Agent")
    };
    assert_eq!(listed(&sandbox).as_ref(), Some(&made));
    assert_eq!(made["branches"].as_array().unwrap().len(), 1);

    let mine = ["--client", "My (first) Agent"];
    let issued = token(&sandbox, &mine);
    assert_eq!(issued["scope"], "transaction-status listing");
    assert!(issued["expires_in"].as_u64().unwrap() > 0);
    let narrow = token(&sandbox, &[&mine[..], &["--scope", "listing"]].concat());
    assert_eq!(narrow["scope"], "listing");
    program.stop("INT");

    let program = sandbox.start();
    assert_eq!(listed(&sandbox), Some(made));
    let uprn = sandbox.read()["samples"]["uprn_in_chain"].to_string();
    let query = ["query", "--sandbox", sandbox.directory(), "--uprn", &uprn];
    run_well(&[&query[..], &mine].concat());
    program.stop("INT");
}

#[test]
fn a_wrong_client_is_refused_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let absent = add(&sandbox, &["Lender"]);
    assert!(absent.failure().contains("start one with `onward sandbox`"));
    let program = sandbox.start();
    let before = sandbox.read();
    for (args, reason) in [
        (&["example lender"][..], "choose another name"),
        (&["¿?"], "has no letter or digit"),
        (
            &["Agent", "--branch", "999999"],
            "there is no branch 999999",
        ),
        (
            &["Agent", "--scope", "all"],
            "it must be `transaction-status`, `transaction-history` or `listing`",
        ),
        (
            &["Agent", "--profile", "none"],
            "possible values: sector, fapi2",
        ),
        (&[" "], "1 to"),
    ] {
        let refused = add(&sandbox, args);
        assert_ne!(refused.status, Some(0));
        assert!(refused.err.contains(reason), "{}", refused.err);
    }
    assert_eq!(sandbox.read(), before);
    // The folder may stand before the word `client`, and options of a start may not.
    let place = ["sandbox", "--dir", sandbox.directory()];
    let early = run(&[&place[..], &["client", "example lender"]].concat());
    assert!(early.failure().contains("choose another name"), "{early:?}");
    let mixed = run(&[&place[..], &["--seed", "7", "client", "Agent"]].concat());
    assert!(
        mixed.failure().contains("only --dir goes with it"),
        "{mixed:?}"
    );
    assert_eq!(sandbox.read(), before);
    // A refused name is free.
    assert_eq!(
        add(&sandbox, &["Agent", "--scope", "listing"]).status,
        Some(0)
    );
    let again = add(&sandbox, &["agent"]);
    assert!(again.failure().contains("choose another name"));
    program.stop("INT");
}

#[test]
fn a_line_of_curl_names_everything_that_a_call_needs() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let file = sandbox.read();
    let line = |client: &str| {
        let args = ["token", "--curl", "--sandbox", sandbox.directory()];
        run_well(&[&args[..], &["--client", client]].concat())
    };
    let query = line("Example Lender");
    let uprn = format!("'value[]={}'", file["samples"]["uprn_in_chain"]);
    for part in [
        "curl --cacert ",
        " --cert ",
        " --key ",
        "'Authorization: Bearer ",
        &uprn,
    ] {
        assert!(query.contains(part), "{query}");
    }
    assert!(
        query.trim_end().ends_with("/api/v1/standard/chains"),
        "{query}"
    );
    assert!(
        line("Example Agent")
            .trim_end()
            .ends_with("/api/v1/listing")
    );
    let newcomer = ["--client", "Example Newcomer", "--scope", "listing"];
    let args = ["token", "--sandbox", sandbox.directory()];
    let refused = run(&[&args[..], &newcomer].concat());
    assert!(refused.failure().contains("scope"), "{refused:?}");
    program.stop("INT");
}
