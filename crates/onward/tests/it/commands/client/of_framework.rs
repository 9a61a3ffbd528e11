//! `onward client add`, `move` and `disable` for clients of a framework, and `onward framework status` (S-71, S-73).

use serde_json::json;
use storage::framework::{AdoptedAnswer, Member, adopt, begin_reading};

use crate::commands::folder::Folder;

const CLIENT: &str = "https://rp.framework.example/1";
const MEMBER: &str = "00000000-0000-4000-8000-000000000001";
const OTHER: &str = "00000000-0000-4000-8000-000000000002";
const SOURCE: &str = "https://directory.framework.example/participants";

/// The command that adds the client for this organisation.
fn add(organisation: &str) -> [&str; 7] {
    let options = ["--client-id", CLIENT, "--organisation", organisation];
    let [first, second, third, fourth] = options;
    ["client", "add", "--framework", first, second, third, fourth]
}

/// Adopts an answer that lists two members.
fn list_members(folder: &Folder) {
    let storage = folder.open();
    let member = |id: &str, name: &str| Member {
        organisation_id: id.to_owned(),
        name: name.to_owned(),
        status: "Active".to_owned(),
    };
    let answer = AdoptedAnswer {
        changed: vec![
            member(MEMBER, "Framework Lender"),
            member(OTHER, "Framework Bank"),
        ],
        gone: Vec::new(),
        kept_though_missing: 0,
    };
    let adopting = storage.write_blocking(move |write| {
        assert!(begin_reading(write, SOURCE, 1_700_000_000, (300, 30))?);
        adopt(write, &answer, 1_700_000_000)
    });
    assert!(adopting.unwrap());
}

/// The settings that name a framework, for a command that opens none of its files.
fn settings() -> Vec<String> {
    let named = [
        ("framework_issuer", "https://auth.framework.example"),
        (
            "framework_introspection_url",
            "https://auth.framework.example/introspect",
        ),
        ("framework_directory_url", SOURCE),
        (
            "framework_organisation_id",
            "00000000-0000-4000-8000-000000000000",
        ),
        ("framework_client_id", "https://rp.framework.example/us"),
        ("framework_certificate_file", "us.pem"),
        ("framework_certificate_key_file", "us.key"),
        ("framework_assertion_key_file", "assertion.key"),
        ("framework_ca_file", "framework.pem"),
    ];
    let set = |(name, value)| ["--set".to_owned(), format!("{name}={value}")];
    named.into_iter().flat_map(set).collect()
}

#[test]
fn a_client_of_the_framework_is_added_for_a_member_alone() {
    let folder = Folder::new();
    let add = add(MEMBER);
    assert_eq!(folder.run(&["framework", "status"]).status, Some(1));
    let unknown = folder.run(&add);
    assert!(unknown.err.contains("does not list"), "{}", unknown.err);
    list_members(&folder);
    let added = folder.run(&add);
    assert_eq!(added.status, Some(0), "{}", added.err);
    let listed = folder.list("client");
    let first = &listed[0];
    let shown = (
        &first["of_framework"],
        &first["participant"],
        &first["scopes"],
    );
    let expected = (
        json!(true),
        json!("Framework Lender"),
        json!(["transaction-status"]),
    );
    assert_eq!(shown, (&expected.0, &expected.1, &expected.2));
    let again = [&add[..], &["--scope", "transaction-history"]].concat();
    let again = folder.run(&again);
    assert!(again.out.contains("does not count"), "{}", again.out);
    assert_eq!(
        folder.list("client")[0]["scopes"],
        json!(["transaction-history"])
    );
    let elsewhere = folder.run(&self::add(OTHER));
    assert!(
        elsewhere.err.contains("belongs to Framework Lender"),
        "{}",
        elsewhere.err
    );
    let moved = ["client", "move", CLIENT, "--framework", "--organisation"];
    let same = folder.run(&[&moved[..], &[MEMBER]].concat());
    assert!(same.err.contains("there already"), "{}", same.err);
    let moved = folder.run(&[&moved[..], &[OTHER]].concat());
    assert_eq!(moved.status, Some(0), "{}", moved.err);
    assert_eq!(folder.list("client")[0]["participant"], "Framework Bank");
    let moved = folder.run(&["client", "move", CLIENT, "--own"]);
    assert!(moved.err.contains("has no keys here"), "{}", moved.err);
    let status = folder.run(&["framework", "status"]);
    assert!(
        status.out.contains("2 active members of 2"),
        "{}",
        status.out
    );
}

#[test]
fn a_client_without_a_row_is_disabled_where_a_framework_is_set() {
    let folder = Folder::new();
    let disable = ["client", "disable", CLIENT];
    let unknown = folder.run(&disable);
    assert!(
        unknown.err.contains("there is no client"),
        "{}",
        unknown.err
    );
    let settings = settings();
    let with: Vec<_> = settings.iter().map(String::as_str).collect();
    let disabled = folder.run(&[&disable[..], &with].concat());
    assert_eq!(disabled.status, Some(0), "{}", disabled.err);
    list_members(&folder);
    let add = add(MEMBER);
    let refused = folder.run(&add);
    assert!(refused.err.contains("is disabled"), "{}", refused.err);
    assert_eq!(folder.run(&["client", "enable", CLIENT]).status, Some(0));
    assert_eq!(folder.run(&add).status, Some(0));
}

#[test]
fn a_removed_client_of_the_framework_stays_out() {
    let folder = Folder::new();
    list_members(&folder);
    assert_eq!(folder.run(&add(MEMBER)).status, Some(0));
    for command in ["disable", "remove"] {
        assert_eq!(folder.run(&["client", command, CLIENT]).status, Some(0));
    }
    let status = folder.run(&["framework", "status"]);
    let line = format!("Disabled without a registration: {CLIENT}");
    assert!(status.out.contains(&line), "{}", status.out);
}

#[test]
fn settings_of_a_framework_come_together() {
    let folder = Folder::new();
    let run = |settings: &[&str]| folder.run(&[&["client", "list"], settings].concat());
    let alone = run(&["--set", "framework_directory_url=https://directory.example"]);
    assert!(
        alone.err.contains("`framework_issuer` is empty"),
        "{}",
        alone.err
    );
    let alone = run(&["--set", "framework_issuer=https://auth.framework.example"]);
    assert!(alone.err.contains("it must be set too"), "{}", alone.err);
    let settings = settings();
    let with: Vec<_> = settings.iter().map(String::as_str).collect();
    assert_eq!(run(&with).status, Some(0));
    for wrong in [
        "framework_issuer=http://auth.framework.example",
        "framework_organisation_id=us",
        "framework_assertion_alg=HS256",
        "framework_scopes=[\"payments\"]",
        "framework_cache_seconds=301",
        "framework_outage_seconds=301",
    ] {
        let refused = run(&[&with[..], &["--set", wrong]].concat());
        assert_eq!(refused.status, Some(78), "{wrong}: {}", refused.err);
    }
}
