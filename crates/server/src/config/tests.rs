//! What a wrong setting says.

use std::io::Write as _;

use super::{Config, ConfigError};

fn load(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> Result<Config, ConfigError> {
    let mut written = tempfile::NamedTempFile::new().unwrap();
    written.write_all(file.as_bytes()).unwrap();
    let environment = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    Config::load(written.path(), environment, &flags)
}

fn refusal(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> String {
    load(file, environment, flags).unwrap_err().to_string()
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let file = "token_lifetime_seconds = 100\nrate_limit_burst = 7\nlog = \"warn\"";
    let environment = [
        ("ONWARD_TOKEN_LIFETIME_SECONDS", "200"),
        ("ONWARD_LOG", "debug"),
    ];
    let config = load(file, &environment, &["token_lifetime_seconds=300"]).unwrap();
    assert_eq!(config.token_lifetime_seconds, 300);
    assert_eq!(config.log, "debug");
    assert_eq!(config.rate_limit_burst, 7);
}

#[test]
fn an_unknown_setting_is_refused_wherever_it_stands() {
    for (said, part) in [
        (
            refusal("bse_url = 1", &[], &[]),
            "`bse_url`, which is no setting",
        ),
        (
            refusal("rate_limit_brust = 1", &[], &[]),
            "perhaps `rate_limit_burst` is meant",
        ),
        (
            refusal("", &[("ONWARD_TYPO", "1")], &[]),
            "environment variable ONWARD_TYPO",
        ),
        (refusal("", &[], &["typo=1"]), "--set"),
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_other_commands_read_from_the_environment_is_no_setting() {
    let environment = [
        ("ONWARD_API_KEY", "onward_1_secret"),
        ("ONWARD_CONFIG", "onward.toml"),
        ("ONWARD_CRASH_SEED", "1"),
    ];
    assert!(load("", &environment, &[]).is_ok());
}

/// In each line: a configuration file, and a part of the message that refuses it.
const WRONG_VALUES: &str = r#"token_lifetime_seconds = "long" | `token_lifetime_seconds`
token_lifetime_seconds = 0 | not from 1 to 3600
signature_reuse_seconds = 301 | not from 0 to 300
base_url = "http://example.org" | must be https://HOST
base_url = "https://example.org/" | must be https://HOST
auth_url = "https://example.org/a" | must be https://HOST
auth_url = "https://a@example.org" | must be https://HOST
listen_base = "here" | `listen_base`
log_format = "xml" | `log_format`
trace_endpoint = "collector:4318" | http or https address
trace_endpoint = "grpc://collector:4317" | `trace_endpoint`
trace_endpoint = "http://a:b@collector" | without a password
callback_allowed_networks = 1 | `callback_allowed_networks`
callback_allowed_networks = ["10.1.0.0/8"] | write 10.0.0.0/8 if that is meant
state_log_witnesses = ["https://witness.example"] | `state_log_witnesses` wrongly: each must be a line `witness NAME VKEY URL`
state_log_witness_quorum = 2 | `state_log_witness_quorum` wrongly: 2 is not from 1 to the number
state_log_witness_quorum = 0 | not from 1
path_segments = ["opda"] | must contain `standard`
path_segments = ["standard", "opda", "opda"] | `opda` stands there twice
path_segments = ["standard", "a/b"] | `a/b` must be 1 to 32 lower-case letters, digits and hyphens
path_segments = ["standard", ""] | `` must be 1 to 32
path_segments = ["standard", "webhook"] | `webhook` is the path of another call
path_segments = "opda" | `path_segments`
store =  | line 1"#;

#[test]
fn a_value_of_the_wrong_kind_or_range_is_refused() {
    for row in WRONG_VALUES.lines() {
        let (file, part) = row.split_once(" | ").unwrap();
        let said = refusal(file, &[], &[]);
        assert!(said.contains(part), "{file}: {said}");
    }
    let said = refusal("callback_allowed_networks = [\"10.0.0.0/33\"]", &[], &[]);
    let part = "sets `callback_allowed_networks` wrongly: `10.0.0.0/33` is no network";
    assert!(said.contains(part), "{said}");
}

#[test]
fn no_network_that_is_not_public_is_allowed_unless_it_is_listed() {
    let address = "10.1.2.3".parse().unwrap();
    let allows = |config: Config| config.allowed_networks().unwrap().allows(address);
    assert!(!allows(load("", &[], &[]).unwrap()));
    let listed = "[\"10.1.0.0/16\", \"::1\"]";
    let line = format!("callback_allowed_networks = {listed}");
    assert!(allows(load(&line, &[], &[]).unwrap()));
    let environment = [("ONWARD_CALLBACK_ALLOWED_NETWORKS", listed)];
    assert!(allows(load("", &environment, &[]).unwrap()));
}

#[test]
fn a_missing_file_is_named() {
    let missing = Config::load("/nowhere/onward.toml".as_ref(), [], &[]).unwrap_err();
    assert!(missing.to_string().contains("/nowhere/onward.toml"));
}

#[test]
fn paths_are_relative_to_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("onward.toml");
    std::fs::write(&path, "store = \"sqlite:data/x.db\"").unwrap();
    let config = Config::load(&path, [], &[]).unwrap();
    let beside = |name: &str| directory.path().join(name).display().to_string();
    assert_eq!(config.store, beside("data/x.db"));
    assert_eq!(config.callback_ca_file, "", "none stays none");
    assert!(config.client_ca_file.starts_with(&beside("")));
}

/// The defaults, as the file would spell them.
fn defaults() -> toml::Table {
    toml::Table::try_from(Config::of_template().unwrap()).unwrap()
}

#[test]
fn the_operators_page_lists_every_setting_with_its_default() {
    let page = include_str!("../../../../docs/operations.md");
    let (_, after) = page.split_once("\n## Settings\n").unwrap();
    let (section, _) = after.split_once("\n## ").unwrap();
    let mut listed = Vec::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, default, reason] = cells[..] else {
            panic!("not three cells: {row}");
        };
        assert!(!reason.is_empty(), "{row}");
        listed.push(format!("{name} {default}"));
    }
    let mut real: Vec<_> = defaults()
        .iter()
        .map(|(name, value)| format!("`{name}` `{value}`"))
        .collect();
    listed.sort();
    real.sort();
    assert_eq!(listed, real);
}

#[test]
fn the_file_that_init_writes_holds_every_setting_with_its_default() {
    let file: toml::Table = super::TEMPLATE.parse().unwrap();
    assert_eq!(file, defaults());
}
