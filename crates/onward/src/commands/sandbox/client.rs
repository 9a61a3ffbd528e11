//! `onward sandbox client`: makes a client of the sandbox in one step.

use std::io::Write;
use std::path::Path;

use clap::Args;
use client::sandbox::SandboxClient;
use serde_json::json;
use server::config::Config;
use signing::algorithm::Algorithm;

use crate::commands::client::{ProfileName, read_scope};
use crate::commands::names::read_name;
use crate::commands::{Failure, ReasonArgs, open_for_operator, say, say_json};
use crate::sandbox::{self, clients::Plan};

/// Makes a key, a certificate and a registration, also while the sandbox runs.
#[derive(Debug, Clone, Args)]
pub(super) struct ClientArgs {
    /// The client's name; its participant gets the same name.
    #[arg(value_parser = read_name)]
    name: String,
    /// The rules that the client's assertions must satisfy.
    #[arg(long, value_enum, default_value = "sector")]
    profile: ProfileName,
    /// A scope to assign; may be repeated [default: `transaction-status` and `listing`]
    #[arg(long, value_parser = read_scope)]
    scope: Vec<String>,
    /// The id of a branch that the client acts for; may be repeated [default: one of the sample's]
    #[arg(long, value_name = "ID")]
    branch: Vec<i64>,
    /// Prints the client's entry of `sandbox.json`.
    #[arg(long)]
    json: bool,
}

impl ClientArgs {
    fn into_plan(self) -> Plan {
        let usual = || {
            ["transaction-status", "listing"]
                .map(str::to_owned)
                .to_vec()
        };
        Plan {
            name: self.name,
            profile: self.profile.as_str().to_owned(),
            scopes: Some(self.scope)
                .filter(|scopes| !scopes.is_empty())
                .unwrap_or_else(usual),
            introspects: Vec::new(),
            branches: self.branch,
            algorithm: Algorithm::Ps256.as_str().to_owned(),
            certificate_bound: true,
        }
    }
}

/// Runs `onward sandbox client`, for the sandbox in this folder.
pub(super) fn run(args: ClientArgs, dir: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let file = dir.join("onward.toml");
    if !file.exists() {
        return Err(Failure::new(format!(
            "there is no sandbox in {}: start one with `onward sandbox`, or pass --dir",
            dir.display()
        )));
    }
    let config = Config::load(&file, std::env::vars(), &[]).map_err(Failure::unusable)?;
    let storage = open_for_operator(&config, &ReasonArgs { reason: None })?;
    let directory = dir.canonicalize().map_err(Failure::new)?;
    let is_json = args.json;
    let mut plan = args.into_plan();
    let client = sandbox::add_client(&directory, &storage, &mut plan).map_err(Failure::new)?;
    if is_json {
        say_json(out, json!(client));
    } else {
        introduce(&client, dir, out);
    }
    Ok(())
}

fn introduce(client: &SandboxClient, directory: &Path, out: &mut dyn Write) {
    say(
        out,
        format!("Registered {} as {}", client.name, client.client_id),
    );
    let kid = format!("{} ({})", client.assertion_kid, client.assertion_alg);
    let branches: Vec<_> = client.branches.iter().map(ToString::to_string).collect();
    for (name, text) in [
        ("certificate", client.certificate_file.display().to_string()),
        ("its key", client.key_file.display().to_string()),
        (
            "assertion key",
            client.assertion_key_file.display().to_string(),
        ),
        ("kid", kid),
        ("scopes", client.scopes.join(" ")),
        ("branches", branches.join(" ")),
    ] {
        say(out, format!("  {name:<15}{text}"));
    }
    say(out, "sandbox.json names it. Get an access token for it:");
    let line = format!(
        "  onward token --sandbox {} --client {:?}",
        directory.display(),
        client.name
    );
    say(out, line);
}
