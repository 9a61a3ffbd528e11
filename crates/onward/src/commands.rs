//! The command line: every command, its exit status, its errors.

pub mod api_key;
pub mod backup;
pub mod branch;
pub mod check;
pub mod client;
pub mod completions;
pub mod generate;
pub mod import;
pub mod init;
pub mod keys;
pub mod link;
pub mod listen;
pub mod man;
pub mod participant;
pub mod query;
pub mod restore;
pub mod sandbox;
pub mod serve;
pub mod simulate;
pub mod verify;

use std::future::Future;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use clap::{Args, Parser, Subcommand};
use observe::clock::Clock;
use server::config::Config;
use storage::{Opening, Storage};

/// The state of property chains in England and Wales, signed.
#[derive(Debug, Parser)]
#[command(name = "onward", version, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes everything that a newcomer needs in one folder, and serves it.
    Sandbox(sandbox::SandboxArgs),
    /// Serves all addresses.
    Serve(serve::ServeArgs),
    /// Writes a commented configuration, keys and an empty store into a folder.
    Init(init::InitArgs),
    /// Checks a configuration, its certificates and its store without serving.
    Check(check::CheckArgs),
    /// Loads properties, listings, links, milestones and parties from files.
    Import(import::ImportArgs),
    /// Writes made-up chains as an import file.
    Generate(generate::GenerateArgs),
    /// Measures which property a typed address leads to, and how fast.
    /// Registers, lists and changes clients.
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Adds, changes, lists and disables the organisations of the directory.
    #[command(subcommand)]
    Participant(participant::ParticipantCommand),
    /// Issues, lists and revokes keys for webhook management.
    #[command(subcommand)]
    ApiKey(api_key::ApiKeyCommand),
    /// Lists, rotates and revokes signing keys.
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Adds and lists branches, and says which clients act for them.
    #[command(subcommand)]
    Branch(branch::BranchCommand),
    /// Links two listings as the operator, into a split chain too.
    Link(link::LinkArgs),
    /// Copies an SQLite store into a new file, while it serves.
    Backup(backup::BackupArgs),
    /// Puts such a copy in the place of the store, while nothing serves it.
    Restore(restore::RestoreArgs),
    /// Asks for chains, verifies the answer and draws it.
    Query(query::QueryArgs),
    /// Checks a saved answer.
    Verify(verify::VerifyArgs),
    /// Receives events on this computer, verifies and prints them.
    Listen(listen::ListenArgs),
    /// Has a test event sent to one's own subscriptions.
    Simulate(simulate::SimulateArgs),
    /// Prints what a shell needs to complete arguments.
    Completions(completions::CompletionsArgs),
    /// Writes manual pages of all commands.
    Man(man::ManArgs),
}

/// Which configuration a command works on.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The configuration file.
    #[arg(long, value_name = "FILE", env = "ONWARD_CONFIG")]
    config: PathBuf,
    /// Overrides a setting, for example `--set log=debug`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// Which configuration an operator's command works on, and how it answers.
#[derive(Debug, Args)]
pub struct OperatorArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Why a command failed: one sentence for the person at the terminal.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    /// A failure that says this.
    pub fn new(reason: impl std::fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// Standard output. That whoever reads it has seen enough, as `head` does, is no failure.
#[derive(Debug)]
struct Output(std::io::Stdout);

impl ConfigArgs {
    /// Loads the settings: file, then environment, then flags.
    pub fn load(&self) -> Result<Config, Failure> {
        Config::load(&self.config, std::env::vars(), &self.set).map_err(Failure::new)
    }
}

impl OperatorArgs {
    /// Opens the store.
    fn open(&self) -> Result<Storage, Failure> {
        server::foundation::open_storage(&self.config.load()?, Opening::AsItIs)
            .map_err(Failure::new)
    }

    /// Prints the answer in the form that was asked for.
    fn answer(
        &self,
        out: &mut dyn std::io::Write,
        document: &serde_json::Value,
        text: impl std::fmt::Display,
    ) {
        if self.json {
            say(out, document);
        } else {
            say(out, text);
        }
    }
}

impl std::io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(written: std::io::Result<T>, all: T) -> std::io::Result<T> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(all),
        Ok(_) | Err(_) => written,
    }
}

/// Runs the command that the arguments name. Exit status: 0 on success, 1 on
/// failure, 2 on wrong usage.
pub fn run() -> ExitCode {
    let command = CommandLine::parse().command;
    let outcome = match command {
        Command::Sandbox(args) => wait_for(sandbox::run(args)),
        Command::Serve(args) => wait_for(serve::run(args)),
        Command::Init(args) => init::run(&args, &mut std::io::stdout()),
        Command::Check(args) => wait_for(check::run(args)),
        Command::Import(args) => import::run(&args),
        Command::Generate(args) => {
            let (out, summary) = (&mut std::io::stdout(), &mut std::io::stderr());
            generate::run(&args, out, summary).map_err(Failure::new)
        }
        Command::Client(command) => client::run(command, &mut std::io::stdout()),
        Command::Participant(command) => participant::run(command, &mut std::io::stdout()),
        Command::ApiKey(command) => api_key::run(command, &mut std::io::stdout()),
        Command::Keys(command) => keys::run(command, &mut std::io::stdout()),
        Command::Branch(command) => branch::run(command, &mut std::io::stdout()),
        Command::Link(args) => link::run(&args, &mut std::io::stdout()),
        Command::Backup(args) => backup::run(&args, &mut std::io::stdout()),
        Command::Restore(args) => restore::run(&args, &mut std::io::stdout()),
        Command::Query(args) => wait_for(async move {
            let ran = query::run(args, client_clock(), &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::new)
        }),
        Command::Verify(args) => wait_for(async move {
            let ran = verify::run(args, &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::new)
        }),
        Command::Listen(args) => wait_for(async move {
            let ran = listen::run(args, client_clock(), Box::new(std::io::stdout())).await;
            ran.map_err(Failure::new)
        }),
        Command::Simulate(args) => wait_for(async move {
            let ran = simulate::run(args, &mut Output(std::io::stdout())).await;
            ran.map_err(Failure::new)
        }),
        Command::Completions(args) => completions::run(&args, &mut std::io::stdout()),
        Command::Man(args) => man::run(&args, &mut std::io::stdout()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            drop(writeln!(std::io::stderr(), "onward: {failure}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs async work to its end.
fn wait_for(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::new)?
        .block_on(work)
}

/// The client library takes its time from here.
fn client_clock() -> ::client::Clock {
    Arc::new(|| {
        let seconds = u64::try_from(Clock::System.now_seconds()).unwrap_or_default();
        UNIX_EPOCH + Duration::from_secs(seconds)
    })
}

/// Writes one line to the terminal. A closed pipe is no failure.
fn say(out: &mut dyn std::io::Write, line: impl std::fmt::Display) {
    drop(writeln!(out, "{line}"));
}
