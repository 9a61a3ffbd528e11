//! `onward client`: registers, lists and changes clients.

use std::io::Write;
use std::path::{Path, PathBuf};

use chain::ids::BranchId;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use observe::clock::Clock;
use outbound::callback::CallbackUrl;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::assertion::MAX_ID_CHARS;
use signing::certificate::AcceptedCertificate;
use storage::clients::{self, StoredClient};
use tokens::registry::Scope;

use self::certificate::CertificateArgs;
use self::change::{ClientIdArgs, ScopeArgs, UpdateArgs};
use self::of_framework::{AddArgs, MoveArgs};
use super::names::read_name;
use super::{Failure, OperatorArgs, ReadArgs};
use crate::registration::{check_jwks, make_client_id, register_client};

mod certificate;
mod change;
mod of_framework;

/// The subcommands of `onward client`.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Registers a client and prints its id.
    Register(RegisterArgs),
    /// Gives rights to a client whose tokens the framework issues.
    Add(AddArgs),
    /// Lets the framework, or this service, issue a client's tokens; those that it has end.
    Move(MoveArgs),
    /// Lists all clients.
    List(ReadArgs),
    /// Assigns scopes to a client; its next token has them.
    Grant(ScopeArgs),
    /// Withdraws scopes from a client; tokens that it holds lose them at once.
    Withdraw(ScopeArgs),
    /// Changes a client's keys or the certificates that it may present.
    Update(UpdateArgs),
    /// Disables a client; its tokens end at once.
    Disable(ClientIdArgs),
    /// Enables a disabled client.
    Enable(ClientIdArgs),
    /// Removes a disabled client that changed nothing.
    Remove(ClientIdArgs),
}

/// The registration of a new client.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("accepted")
    .args(["certificate", "subject", "any_certificate", "unbound_tokens"])
    .required(true)
    .multiple(true))]
pub struct RegisterArgs {
    /// The name of the application.
    #[arg(long, value_parser = read_name)]
    name: String,
    /// The organisation that owns the client; created if it is new.
    #[arg(long, value_parser = read_name)]
    participant: String,
    /// A file with the client's public keys, a JWK set.
    #[arg(long, value_name = "FILE", required_unless_present = "jwks_uri")]
    jwks: Option<PathBuf>,
    /// The URL where the client publishes its public keys, instead of a file.
    #[arg(long, value_name = "URL", conflicts_with = "jwks", value_parser = read_jwks_uri)]
    jwks_uri: Option<String>,
    #[command(flatten)]
    certificate: CertificateArgs,
    /// A scope to assign: `transaction-status`, `transaction-history` or `listing`; may be repeated.
    #[arg(long, value_parser = read_scope)]
    scope: Vec<String>,
    /// The client is a resource server: it may introspect tokens of others that carry one of its scopes (S-75). It
    /// gets no token with these scopes.
    #[arg(long, requires = "scope", conflicts_with_all = ["branch", "unbound_tokens"])]
    resource_server: bool,
    /// The id of a branch that the client acts for; may be repeated.
    #[arg(long, value_name = "ID")]
    branch: Vec<i64>,
    /// The rules that the client's assertions must satisfy.
    #[arg(long, value_enum, default_value = "sector")]
    profile: ProfileName,
    /// The only algorithm of the client's assertions: PS256, ES256, `EdDSA` or RS256.
    #[arg(long, value_parser = read_algorithm)]
    assertion_alg: Option<String>,
    /// The id to register; generated when left out.
    #[arg(long, value_name = "URL", value_parser = read_client_id)]
    client_id: Option<String>,
    /// Issues tokens for `listing` to the client without a certificate.
    #[arg(long)]
    unbound_tokens: bool,
    #[command(flatten)]
    output: OperatorArgs,
}

/// The profiles of client assertions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ProfileName {
    Sector,
    Fapi2,
}

impl ProfileName {
    /// The name in the store.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Sector => "sector",
            Self::Fapi2 => "fapi2",
        }
    }
}

/// Runs `onward client …`.
pub fn run(command: ClientCommand, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        ClientCommand::Register(args) => register(&args, out),
        ClientCommand::Add(args) => of_framework::add(&args, out),
        ClientCommand::Move(args) => of_framework::move_client(&args, out),
        ClientCommand::List(output) => list(&output, out),
        ClientCommand::Grant(args) => change::assign(&args, true, out),
        ClientCommand::Withdraw(args) => change::assign(&args, false, out),
        ClientCommand::Update(args) => change::update(&args, out),
        ClientCommand::Disable(args) => change::set_active(&args, false, out),
        ClientCommand::Enable(args) => change::set_active(&args, true, out),
        ClientCommand::Remove(args) => change::remove(&args, out),
    }
}

fn register(args: &RegisterArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.unbound_tokens && matches!(args.profile, ProfileName::Fapi2) {
        return Err(Failure::new(
            "profile fapi2 allows bound tokens only (FAPI 2.0 section 5.3.2.1): \
             leave --unbound-tokens out",
        ));
    }
    let accepted = args.certificate.read()?.unwrap_or(AcceptedCertificate::Any);
    if args.unbound_tokens && accepted != AcceptedCertificate::Any {
        return Err(needs_no_certificate());
    }
    let id = match &args.client_id {
        Some(id) => id.clone(),
        None => make_client_id(&args.output.config.load()?.directory_url),
    };
    let client = StoredClient {
        id,
        participant: args.participant.clone(),
        name: args.name.clone(),
        profile: args.profile.as_str().to_owned(),
        jwks: args.jwks.as_deref().map_or(Ok(String::new()), read_jwks)?,
        jwks_uri: args.jwks_uri.clone(),
        assertion_algorithm: args.assertion_alg.clone(),
        certificate_bound: !args.unbound_tokens,
        accepted_certificate: accepted.to_lines(),
        scopes: kept(!args.resource_server, &args.scope),
        introspects: kept(args.resource_server, &args.scope),
        branches: args.branch.iter().map(|id| BranchId(*id)).collect(),
        is_active: true,
        of_framework: false,
        organisation_id: String::new(),
        token_generation: 0,
        created_at: Clock::System.now_seconds(),
    };
    let storage = args.output.open()?;
    let id = client.id.clone();
    storage.write_blocking(move |write| register_client(write, &client))?;
    let document = json!({ "client_id": id });
    args.output
        .answer(out, &document, format_args!("Registered {id}"));
    Ok(())
}

/// The scopes, or none.
fn kept(is_kept: bool, scopes: &[String]) -> Vec<String> {
    if is_kept { scopes.to_vec() } else { Vec::new() }
}

fn read_jwks(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let jwks = std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
    check_jwks(&jwks)
        .map_err(|reason| Failure::new(format!("{shown} cannot be registered: {reason}")))
}

/// Finds a client by its id.
pub(super) fn find_client(read: &mut storage::Read<'_>, id: &str) -> Result<StoredClient, Failure> {
    clients::find_client(read, id)?.ok_or_else(|| unknown_client(id))
}

/// The failure for a client that has registered certificates and needs none: it could avoid the check
/// by presenting no certificate (S-24).
fn needs_no_certificate() -> Failure {
    Failure::new(
        "a client with unbound tokens may call without a certificate, so that a registered one would \
         protect nothing: leave out --unbound-tokens, or --certificate and --subject",
    )
}

fn unknown_client(id: &str) -> Failure {
    Failure::new(format!("there is no client {id}"))
}

fn list(args: &ReadArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let storage = args.open()?;
    let clients = storage.read_blocking(clients::list_clients)?;
    args.list(out, &clients, describe, line);
    Ok(())
}

fn line(client: &StoredClient) -> String {
    let branches: Vec<_> = client.branches.iter().map(ToString::to_string).collect();
    format!(
        "{}\n  {} of {}, {}, {}, {} [{}], branches [{}], certificate [{}]",
        client.id,
        client.name,
        client.participant,
        status(client),
        if client.of_framework {
            "of the framework".to_owned()
        } else {
            format!("profile {}", client.profile)
        },
        if is_resource_server(client) {
            "introspects"
        } else {
            "scopes"
        },
        assigned_scopes(client).join(" "),
        branches.join(" "),
        describe_certificate(client)
    )
}

fn status(client: &StoredClient) -> &'static str {
    if client.is_active {
        "active"
    } else {
        "disabled"
    }
}

/// Whether the client may introspect tokens of others (S-75).
fn is_resource_server(client: &StoredClient) -> bool {
    !client.introspects.is_empty()
}

/// The scopes of the client's tokens, or those of the tokens that a resource server may introspect.
fn assigned_scopes(client: &StoredClient) -> &[String] {
    if is_resource_server(client) {
        &client.introspects
    } else {
        &client.scopes
    }
}

fn describe_certificate(client: &StoredClient) -> String {
    if !client.certificate_bound {
        return "not needed".to_owned();
    }
    if client.accepted_certificate.is_empty() {
        return "any".to_owned();
    }
    client.accepted_certificate.join("; ")
}

fn describe(client: &StoredClient) -> serde_json::Value {
    let branches: Vec<_> = client.branches.iter().map(|branch| branch.0).collect();
    json!({
        "client_id": client.id,
        "name": client.name,
        "participant": client.participant,
        "profile": client.profile,
        "of_framework": client.of_framework,
        "scopes": client.scopes,
        "introspects": client.introspects,
        "branches": branches,
        "certificate_bound": client.certificate_bound,
        "accepted_certificate": client.accepted_certificate,
        "jwks_uri": client.jwks_uri,
        "assertion_alg": client.assertion_algorithm,
        "status": status(client),
        "created_at": client.created_at,
    })
}

/// Accepts the text unchanged, because ids are compared character by character (RFC 6749 section
/// 2.2).
fn read_client_id(text: &str) -> Result<String, String> {
    let is_url = url::Url::parse(text).is_ok_and(|url| url.scheme() == "https");
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_url && is_plain && text.len() <= MAX_ID_CHARS {
        return Ok(text.to_owned());
    }
    Err(format!(
        "it must be an https:// URL of at most {MAX_ID_CHARS} characters, without spaces"
    ))
}

/// Checks only the form of the URL. Each connection checks whether its host may be reached.
fn read_jwks_uri(text: &str) -> Result<String, String> {
    let url = CallbackUrl::parse_written(text).map_err(|refusal| {
        let reason = refusal.to_string();
        reason.replacen("the callback URL", "it", 1)
    })?;
    Ok(url.as_str().to_owned())
}

pub(super) fn read_scope(text: &str) -> Result<String, String> {
    Scope::parse(text)
        .map(|scope| scope.as_str().to_owned())
        .ok_or_else(|| {
            "it must be `transaction-status`, `transaction-history` or `listing`".to_owned()
        })
}

fn read_algorithm(text: &str) -> Result<String, String> {
    Algorithm::parse(text)
        .map(|algorithm| algorithm.as_str().to_owned())
        .ok_or_else(|| "it must be PS256, ES256, EdDSA or RS256".to_owned())
}
