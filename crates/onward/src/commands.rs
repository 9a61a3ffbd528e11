//! The command line: every command, its errors and its exit status.

pub mod access_log;
pub mod api_key;
pub mod audit;
pub mod audit_log;
pub mod backup;
pub mod branch;
pub mod check;
pub mod client;
pub mod completions;
pub mod erase;
pub mod evidence;
pub mod framework;
pub mod generate;
pub mod import;
pub mod init;
pub mod keys;
pub mod link;
pub mod listen;
pub mod listing;
pub mod man;
pub mod migrate;
mod names;
mod operator;
mod output;
pub mod packs;
pub mod participant;
pub mod person;
pub mod preflight;
pub mod properties;
pub mod query;
mod read_args;
pub mod restore;
pub mod sandbox;
pub mod scenario;
pub mod serve;
pub mod simulate;
mod source;
pub mod subscription;
pub mod token;
pub mod verify;
pub mod witness;

use std::future::Future;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use clap::{Args, Parser, Subcommand};
use observe::clock::Clock;
use server::config::{Config, Source, Sources};
use storage::operator_changes::OperatorCommand;
use storage::{Opening, Storage};

use self::output::{Output, answer, say, say_json};
pub use self::read_args::ReadArgs;
pub use crate::failure::Failure;
use crate::limits::COMMAND_CHARACTERS_MAX;

/// Serves the signed state of property chains in England and Wales.
#[derive(Debug, Parser)]
#[command(name = "onward", version, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Creates a complete service with sample data in one folder, and serves it.
    Sandbox(sandbox::SandboxArgs),
    /// Plays stories of chains in a running sandbox.
    Scenario(scenario::ScenarioArgs),
    /// Serves all listeners.
    Serve(serve::ServeArgs),
    /// Writes a commented configuration, keys and an empty store into a folder.
    Init(init::InitArgs),
    /// Checks a configuration, its certificates and its store without serving.
    Check(check::CheckArgs),
    /// Loads properties, listings, links, milestones and parties from files.
    Import(import::ImportArgs),
    /// Upgrades the store of an older version.
    Migrate(migrate::MigrateArgs),
    /// Writes sample data: synthetic chains, as an import file.
    Generate(generate::GenerateArgs),
    /// Registers, lists and changes clients.
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Shows what this service knows of the framework that somebody else runs.
    #[command(subcommand)]
    Framework(framework::FrameworkCommand),
    /// Adds, changes, lists and disables the organisations of the directory.
    #[command(subcommand)]
    Participant(participant::ParticipantCommand),
    /// Issues, lists and revokes keys for webhook management.
    #[command(subcommand)]
    ApiKey(api_key::ApiKeyCommand),
    /// Shows and removes subscriptions.
    #[command(subcommand)]
    Subscription(subscription::SubscriptionCommand),
    /// Lists, rotates and revokes signing keys.
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Adds, renames and lists branches, and sets which clients act for them.
    #[command(subcommand)]
    Branch(branch::BranchCommand),
    /// Adds, lists, invites and disables people who use the console.
    #[command(subcommand)]
    Person(person::PersonCommand),
    /// Links two listings as the operator; the chain may be a split one.
    Link(link::LinkArgs),
    /// Breaks a link as the operator, also one of a locked listing.
    Unlink(link::UnlinkArgs),
    /// Decides about listings as the operator.
    #[command(subcommand)]
    Listing(listing::ListingCommand),
    /// Removes a sale and its evidence from the store for ever.
    Erase(erase::EraseArgs),
    /// Lists properties that need the operator's attention.
    Properties(properties::PropertiesArgs),
    /// Compares all sealed versions and logs with what they should be.
    Audit(audit::AuditArgs),
    /// Lists the changes that operators made by commands.
    AuditLog(audit_log::AuditLogArgs),
    /// Lists the properties that clients were shown, while `access_log_days` asks for it.
    AccessLog(access_log::AccessLogArgs),
    /// Copies an SQLite store into a new file while the service runs.
    Backup(backup::BackupArgs),
    /// Replaces the store by a backup while the service is stopped.
    Restore(restore::RestoreArgs),
    /// Queries chains, verifies the signed answer and draws the chains.
    Query(query::QueryArgs),
    /// Checks an integrator's set-up step by step, and says what to change.
    Preflight(preflight::PreflightArgs),
    /// Gets an access token for use in other tools.
    Token(token::TokenArgs),
    /// Gets the evidence pack of a saved answer, or leaves properties out of a pack.
    Evidence(evidence::EvidenceArgs),
    /// Verifies a saved answer, or an evidence pack.
    Verify(verify::VerifyArgs),
    /// Cosigns the checkpoints of logs, so that nobody can show two histories of one log.
    Witness(witness::WitnessArgs),
    /// Receives events on this computer, verifies them and prints them.
    Listen(listen::ListenArgs),
    /// Sends a test event to the API key's own subscriptions.
    Simulate(simulate::SimulateArgs),
    /// Prints a completion script for a shell.
    Completions(completions::CompletionsArgs),
    /// Writes the manual pages of all commands.
    Man(man::ManArgs),
}

/// The configuration that a command uses.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The configuration file.
    #[arg(long, value_name = "FILE", env = "ONWARD_CONFIG")]
    config: PathBuf,
    /// Overrides a setting, for example `--set log=debug`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// The configuration of a command that changes something, and the form of its answer.
#[derive(Debug, Args)]
pub struct OperatorArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    why: ReasonArgs,
}

/// The reason for a change.
#[derive(Debug, Args)]
pub struct ReasonArgs {
    /// Why; the audit log keeps it.
    #[arg(long, value_name = "TEXT", value_parser = names::read_name)]
    reason: Option<String>,
}

impl ConfigArgs {
    /// Loads the settings: the file first, then the environment, then the flags.
    pub fn load(&self) -> Result<Config, Failure> {
        Config::load(&self.config, std::env::vars(), &self.set).map_err(Failure::unusable)
    }

    /// As [`ConfigArgs::load`]. Also returns the sources.
    fn load_with_sources(&self) -> Result<(Config, Sources), Failure> {
        let loaded = Config::load_with_sources(&self.config, std::env::vars(), &self.set);
        loaded.map_err(Failure::unusable)
    }

    /// The settings in use as lines of TOML, each with its source.
    fn load_effective(&self) -> Result<Vec<(String, String)>, Failure> {
        let (config, sources) = self.load_with_sources()?;
        let source = |(name, line)| {
            let source = sources.get(&name).map(Source::to_string);
            (line, source.unwrap_or_else(|| "the default".to_owned()))
        };
        Ok(config.lines().into_iter().map(source).collect())
    }
}

impl OperatorArgs {
    /// Opens the store.
    fn open(&self) -> Result<Storage, Failure> {
        open_for_operator(&self.config.load()?, &self.why)
    }

    /// The reason of a command that needs one.
    fn reason(&self) -> Result<&str, Failure> {
        self.why.reason.as_deref().ok_or_else(|| Failure {
            status: 2,
            ..Failure::new("--reason is missing: say why, for the history and the audit log")
        })
    }

    /// Prints the answer as JSON or as text, as the flags say.
    fn answer(
        &self,
        out: &mut dyn std::io::Write,
        document: &serde_json::Value,
        text: impl std::fmt::Display,
    ) {
        answer(self.json, out, document, text);
    }
}

/// Runs the command that the arguments name. The exit status is 0 on success, 1 on failure, 2 on wrong
/// usage and 78 if the configuration cannot be used.
pub fn run() -> ExitCode {
    match run_command(CommandLine::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_told {
                let text = failure.printable();
                drop(writeln!(std::io::stderr(), "onward: {text}"));
            }
            ExitCode::from(failure.status)
        }
    }
}

fn run_command(command: Command) -> Result<(), Failure> {
    match command {
        Command::Sandbox(args) => wait_for(sandbox::run(args)),
        Command::Scenario(args) => wait_for(async move {
            scenario::run(args, client_clock(), &mut Output(std::io::stdout())).await
        }),
        Command::Serve(args) => wait_for(serve::run(args)),
        Command::Init(args) => init::run(&args, &mut std::io::stdout()),
        Command::Check(args) => wait_for(check::run(args)),
        Command::Import(args) => import::run(&args),
        Command::Migrate(args) => migrate::run(&args, &mut std::io::stdout()),
        Command::Generate(args) => {
            let (out, summary) = (&mut std::io::stdout(), &mut std::io::stderr());
            generate::run(&args, out, summary).map_err(Failure::new)
        }
        Command::Client(command) => client::run(command, &mut std::io::stdout()),
        Command::Framework(command) => framework::run(command, &mut std::io::stdout()),
        Command::Participant(command) => participant::run(command, &mut std::io::stdout()),
        Command::ApiKey(command) => api_key::run(command, &mut std::io::stdout()),
        Command::Subscription(command) => subscription::run(&command, &mut std::io::stdout()),
        Command::Keys(command) => keys::run(command, &mut std::io::stdout()),
        Command::Branch(command) => branch::run(command, &mut std::io::stdout()),
        Command::Person(command) => person::run(command, &mut std::io::stdout()),
        Command::Link(args) => link::run(&args, &mut std::io::stdout()),
        Command::Unlink(args) => link::break_link(&args, &mut std::io::stdout()),
        Command::Listing(command) => listing::run(command, &mut std::io::stdout()),
        Command::Erase(args) => erase::run(&args, &mut std::io::stdout()),
        Command::AccessLog(args) => access_log::run(args, &mut std::io::stdout()),
        Command::Audit(args) => wait_for(audit::run(args)),
        Command::AuditLog(args) => audit_log::run(&args, &mut std::io::stdout()),
        Command::Properties(args) => properties::run(&args, &mut std::io::stdout()),
        Command::Backup(args) => backup::run(args, &mut std::io::stdout()),
        Command::Restore(args) => restore::run(&args, &mut std::io::stdout()),
        Command::Query(args) => wait_for(async move {
            let ran = query::run(args, client_clock(), &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::of_lines)
        }),
        Command::Preflight(args) => wait_for(async move {
            preflight::run(args, client_clock(), &mut Output(std::io::stdout())).await
        }),
        Command::Token(args) => wait_for(async move {
            token::run(args, client_clock(), &mut Output(std::io::stdout())).await
        }),
        Command::Evidence(args) => wait_for(evidence::run(args, client_clock())),
        Command::Verify(args) => wait_for(async move {
            let ran = verify::run(args, &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::new)
        }),
        Command::Witness(args) => wait_for(witness::run(args)),
        Command::Listen(args) => wait_for(async move {
            let ran = listen::run(args, client_clock(), Box::new(std::io::stdout())).await;
            ran.map_err(Failure::of_lines)
        }),
        Command::Simulate(args) => wait_for(async move {
            let ran = simulate::run(args, &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::of_lines)
        }),
        Command::Completions(args) => completions::run(&args, &mut std::io::stdout()),
        Command::Man(args) => man::run(&args, &mut std::io::stdout()),
    }
}

/// Opens the store for an operator's command, which is noted if it writes.
fn open_for_operator(config: &Config, why: &ReasonArgs) -> Result<Storage, Failure> {
    let storage = server::foundation::open_storage(config, Opening::Unchanged);
    let storage = storage.map_err(Failure::new)?;
    Ok(storage.noting(note_of(why)))
}

/// This command, for the audit log.
fn note_of(why: &ReasonArgs) -> OperatorCommand {
    let arguments = std::env::args_os().skip(1);
    let command =
        describe_command(arguments.map(|argument| argument.to_string_lossy().into_owned()));
    OperatorCommand {
        os_user: operator::name(),
        command,
        reason: why.reason.clone().unwrap_or_default(),
        now: Clock::System.now_seconds(),
    }
}

/// Arguments that the audit log leaves out, or keeps elsewhere.
const LEFT_OUT: [&str; 3] = ["--set=", "--config=", "--reason="];

/// The command with its arguments, without its settings, which may hold a password.
fn describe_command(mut arguments: impl Iterator<Item = String>) -> String {
    let mut shown = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--set" | "--config" | "--reason" => drop(arguments.next()),
            "--json" => {}
            other if LEFT_OUT.iter().any(|name| other.starts_with(name)) => {}
            plain if plain.bytes().all(|byte| byte.is_ascii_graphic()) => {
                shown.push(plain.to_owned());
            }
            // In quotes, and without control characters, which a terminal would obey.
            other => shown.push(format!("{other:?}")),
        }
    }
    shown
        .join(" ")
        .chars()
        .take(COMMAND_CHARACTERS_MAX)
        .collect()
}

/// Runs a future to its end on a new runtime.
fn wait_for<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::new)?
        .block_on(work)
}

/// The clock of the client library.
fn client_clock() -> ::client::Clock {
    Arc::new(|| {
        let seconds = u64::try_from(Clock::System.now_seconds()).unwrap_or_default();
        UNIX_EPOCH + Duration::from_secs(seconds)
    })
}
