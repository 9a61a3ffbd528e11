//! `onward client grant|withdraw|update|disable|enable`: changes a registered client. A change
//! applies from the client's next request on.

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use observe::clock::Clock;
use serde_json::json;
use signing::certificate::AcceptedCertificate;
use storage::{clients, framework};

use super::certificate::CertificateArgs;
use super::{
    assigned_scopes, find_client, is_resource_server, needs_no_certificate, read_jwks,
    read_jwks_uri, read_scope, unknown_client,
};
use crate::commands::{Failure, OperatorArgs};

/// The client and the scopes.
#[derive(Debug, Args)]
pub struct ScopeArgs {
    /// The client's id.
    id: String,
    /// `transaction-status`, `transaction-history` or `listing`; may be repeated.
    #[arg(long, required = true, value_parser = read_scope)]
    scope: Vec<String>,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The changes of a client; anything not named stays as it is.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("changes")
    .args(["jwks", "jwks_uri", "certificate", "subject", "any_certificate"])
    .required(true)
    .multiple(true))]
struct Changes {
    /// A file with the client's public keys, a JWK set, which replaces the registered keys.
    #[arg(long, value_name = "FILE")]
    jwks: Option<PathBuf>,
    /// The URL where the client publishes its public keys, which replaces the registered keys.
    #[arg(long, value_name = "URL", conflicts_with = "jwks", value_parser = read_jwks_uri)]
    jwks_uri: Option<String>,
    #[command(flatten)]
    certificate: CertificateArgs,
}

impl Changes {
    /// The new keys, inline or by their URL. `None`: the registered keys stay.
    fn read_keys(&self) -> Result<Option<(String, Option<String>)>, Failure> {
        let inline = self.jwks.as_deref().map(read_jwks).transpose()?;
        Ok(match (inline, &self.jwks_uri) {
            (Some(jwks), _) => Some((jwks, None)),
            (None, Some(uri)) => Some((String::new(), Some(uri.clone()))),
            (None, None) => None,
        })
    }
}

/// The client and its changes.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// The client's id.
    id: String,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The client to disable or to enable.
#[derive(Debug, Args)]
pub struct ClientIdArgs {
    /// The client's id.
    id: String,
    #[command(flatten)]
    output: OperatorArgs,
}

/// Runs `onward client grant` and `onward client withdraw`.
pub(super) fn assign(
    args: &ScopeArgs,
    is_granted: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let (id, named) = (args.id.clone(), args.scope.clone());
    let scopes = storage.write_blocking(move |write| {
        let client = find_client(write, &id)?;
        let mut scopes = assigned_scopes(&client).to_vec();
        scopes.retain(|scope| !named.contains(scope));
        if is_granted {
            scopes.extend(named.iter().cloned());
            scopes.sort();
            scopes.dedup();
        }
        if !is_resource_server(&client) {
            clients::update_scopes(write, &id, &scopes, now)?;
        } else if scopes.is_empty() {
            return Err(Failure::new(
                "a resource server keeps at least one scope: disable the client instead",
            ));
        } else {
            clients::update_introspects(write, &id, &scopes, now)?;
        }
        Ok::<_, Failure>(scopes)
    })?;
    let document = json!({ "client_id": args.id, "scopes": scopes });
    let text = format!("{} has the scopes [{}]", args.id, scopes.join(" "));
    args.output.answer(out, &document, text);
    Ok(())
}

/// Runs `onward client update`.
pub(super) fn update(args: &UpdateArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let keys = args.changes.read_keys()?;
    let accepted = args.changes.certificate.read()?;
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let id = args.id.clone();
    storage.write_blocking(move |write| {
        let client = find_client(write, &id)?;
        let is_bound = client.certificate_bound;
        let is_restricted = |accepted: &AcceptedCertificate| *accepted != AcceptedCertificate::Any;
        if !is_bound && accepted.as_ref().is_some_and(is_restricted) {
            return Err(needs_no_certificate());
        }
        if let Some((jwks, jwks_uri)) = &keys {
            clients::update_keys(write, &id, jwks, jwks_uri.as_deref(), now)?;
        }
        if let Some(accepted) = &accepted {
            clients::update_accepted_certificate(write, &id, &accepted.to_lines(), now)?;
        }
        Ok::<_, Failure>(())
    })?;
    let document = json!({ "client_id": args.id });
    args.output
        .answer(out, &document, format_args!("Updated {}", args.id));
    Ok(())
}

/// Runs `onward client disable` and `onward client enable`.
pub(super) fn set_active(
    args: &ClientIdArgs,
    is_active: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let id = args.id.clone();
    let has_framework = args.output.config.load()?.framework().is_some();
    let (is_known, is_registered) = storage.write_blocking(move |write| {
        let is_registered = if is_active {
            clients::enable_client(write, &id, now)?
        } else {
            clients::disable_client(write, &id, now)?
        };
        // A client of the framework may call without a row (S-71).
        if is_active {
            let was_blocked = framework::unblock_client(write, &id)?;
            return Ok::<_, Failure>((was_blocked || is_registered, is_registered));
        }
        if !is_registered && has_framework {
            framework::block_client(write, &id, now)?;
        }
        Ok((is_registered || has_framework, is_registered))
    })?;
    if !is_known {
        return Err(unknown_client(&args.id));
    }
    let (status, verb) = if is_active {
        ("active", "Enabled")
    } else {
        ("disabled", "Disabled")
    };
    let document = json!({ "client_id": args.id, "status": status });
    let remark = if is_registered {
        ""
    } else {
        ", which has no registration here"
    };
    let text = format_args!("{verb} {}{remark}", args.id);
    args.output.answer(out, &document, text);
    Ok(())
}

/// Runs `onward client remove`. A removed client's id names nobody, so the history must not name it.
pub(super) fn remove(args: &ClientIdArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.output.open()?;
    let now = Clock::System.now_seconds();
    let id = args.id.clone();
    // The history is long, so it is read outside the write. A disabled client adds nothing to it.
    let is_author = storage.read_blocking(move |read| clients::is_author(read, &id))?;
    let id = args.id.clone();
    storage.write_blocking(move |write| {
        let client = find_client(write, &id)?;
        if client.is_active {
            let reason = "disable the client first: `onward client disable` ends its tokens";
            return Err(Failure::new(reason));
        }
        if is_author {
            return Err(Failure::new(format!(
                "the history names {id} as the author of changes, so it stays, disabled"
            )));
        }
        if client.of_framework {
            // Without a row the client would get in again (S-71).
            framework::block_client(write, &id, now)?;
        }
        Ok(clients::remove_client(write, &id)?)
    })?;
    let document = json!({ "client_id": args.id, "status": "removed" });
    args.output
        .answer(out, &document, format_args!("Removed {}", args.id));
    Ok(())
}
