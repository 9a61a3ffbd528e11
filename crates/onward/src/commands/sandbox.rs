//! `onward sandbox`: creates and serves a complete service with sample data.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use listing_management::forecasts::pass;
use log::note::VerifierKey;
use observe::clock::Clock;
use observe::telemetry;
use server::config::Config;
use server::foundation::Foundation;
use server::lifecycle::Server;
use storage::state_log::list_verifiers;
use storage::{Opening, Storage, StorageError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::import::Bar;
use super::{Failure, say, witness};
use crate::sandbox::data::DataOptions;
use crate::sandbox::pedantry::{Pedantry, background};
use crate::sandbox::{self, Prepared, SandboxOptions};
use crate::signals::StopSignals;

mod client;

/// The subcommands of `onward sandbox`.
#[derive(Debug, Subcommand)]
enum SandboxCommand {
    /// Makes a client: its key, its certificate and its registration.
    Client(client::ClientArgs),
}

/// Creates a certificate authority, certificates, keys, clients and a store with sample data, and
/// serves them until interrupted.
#[derive(Debug, Args)]
pub struct SandboxArgs {
    #[command(subcommand)]
    command: Option<SandboxCommand>,
    /// The folder; an existing sandbox in it is continued.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = "./onward-sandbox"
    )]
    dir: PathBuf,
    /// The store [default: an SQLite file in the folder]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The first of six ports [default: 8440, or the port of the last start]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Files to import instead of generated data.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// The number of generated listings of a new sandbox [default: 800]
    #[arg(long, value_name = "N")]
    listings: Option<u64>,
    /// The seed of the generated data [default: 1] and of --pedantic [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Turns the rate limit off.
    #[arg(long)]
    no_rate_limit: bool,
    /// Serves a trust framework besides, whose member calls the sandbox with the framework's tokens.
    #[arg(long)]
    framework: bool,
    /// Does what the contract allows and few clients expect: late, repeated and overtaking events,
    /// rotated keys, slow answers and refusals.
    #[arg(long)]
    pedantic: bool,
}

/// The number of generated listings of a new sandbox, unless an option says another one.
const LISTINGS_DEFAULT: u64 = 800;
/// The seed of the generated data, unless an option says another one.
const SEED_DEFAULT: u64 = 1;
/// How long the sandbox waits for the framework's directory.
const DIRECTORY_PATIENCE: Duration = Duration::from_mins(1);
const DIRECTORY_CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl SandboxArgs {
    /// Whether an option says how a sandbox starts.
    fn is_about_a_start(&self) -> bool {
        let has_data = !self.data.is_empty() || self.listings.is_some() || self.seed.is_some();
        let has_manner = self.no_rate_limit || self.pedantic || self.framework;
        has_data || has_manner || self.store.is_some() || self.port.is_some()
    }
}

/// Runs `onward sandbox`.
pub async fn run(args: SandboxArgs) -> Result<(), Failure> {
    if let Some(SandboxCommand::Client(client)) = &args.command {
        if args.is_about_a_start() {
            return Err(Failure::new(
                "of the options before `client`, only --dir goes with it: the others are for a start",
            ));
        }
        let (client, directory) = (client.clone(), args.dir);
        let adding = tokio::task::spawn_blocking(move || {
            client::run(client, &directory, &mut std::io::stdout())
        });
        return adding.await.map_err(Failure::new)?;
    }
    let drawn = || Clock::System.now_milliseconds().unsigned_abs();
    let pedantry = args
        .pedantic
        .then(|| Arc::new(Pedantry::new(args.seed.unwrap_or_else(drawn))));
    let options = SandboxOptions {
        directory: args.dir,
        store: args.store,
        port: args.port,
        has_rate_limit: !args.no_rate_limit,
        has_framework: args.framework,
        pedantry,
        data: DataOptions {
            files: args.data,
            listings: args.listings.unwrap_or(LISTINGS_DEFAULT),
            seed: args.seed.unwrap_or(SEED_DEFAULT),
        },
    };
    serve(options).await
}

async fn serve(options: SandboxOptions) -> Result<(), Failure> {
    let preparing = tokio::task::spawn_blocking(move || {
        let mut bar = Bar::new();
        let prepared = sandbox::prepare(&options, &Clock::System, &mut bar);
        bar.finish();
        prepared
    });
    let prepared = preparing
        .await
        .map_err(Failure::new)?
        .map_err(Failure::new)?;
    let telemetry = telemetry::begin(&prepared.config.telemetry()).map_err(Failure::new)?;
    let stop = StopSignals::catch().map_err(Failure::new)?;
    // The sandbox reads the framework's directory when it starts.
    let framework = prepared.framework();
    let served_framework = match framework {
        Some(framework) => Some(Served::start(&framework.prepared).await?),
        None => None,
    };
    let served = Served::start(&prepared).await?;
    let member = match framework {
        Some(framework) => {
            wait_for_directory(&served.server.foundation.storage).await?;
            Some(framework.publish_member(&prepared).map_err(Failure::new)?)
        }
        None => None,
    };
    prepared.publish(&served.policy).map_err(Failure::new)?;
    introduce(&prepared, member.as_deref());
    let pedantry = prepared.pedantry.as_ref();
    let background = pedantry.map(|pedantry| background::start(pedantry, &served.server));
    stop.wait().await;
    if let Some(background) = background {
        background.abort();
    }
    for served in [Some(served), served_framework].into_iter().flatten() {
        served.stop().await?;
    }
    telemetry.end().await;
    Ok(())
}

/// A sandbox that serves, with its witness.
struct Served {
    server: Server,
    witness: JoinHandle<()>,
    witness_stop: watch::Sender<bool>,
    /// The policy that verifies its evidence packs.
    policy: String,
}

impl Served {
    async fn start(prepared: &Prepared) -> Result<Self, Failure> {
        // The witness has to know the log before the server asks it.
        let logs = begin_log(prepared.config.clone()).await?;
        let (witness_stop, stopped) = watch::channel(false);
        let witness = witness::start_own(prepared.witness(), logs, stopped)?;
        let (config, parts) = (prepared.config.clone(), prepared.parts());
        let server = Server::start_sandbox(config, Clock::System, parts)
            .await
            .map_err(|error| Failure::new(format!("{error}; --port chooses other ports")))?;
        // The sample has past sales, and nobody wants to wait a night for the first forecast.
        let (_running, stopped) = watch::channel(false);
        pass::make_if_due(&server.foundation.housekeeping().daily_pass(), &stopped)
            .await
            .map_err(Failure::new)?;
        let policy = read_policy(&server).await?;
        Ok(Self {
            server,
            witness,
            witness_stop,
            policy,
        })
    }

    async fn stop(self) -> Result<(), Failure> {
        self.server.stop().await;
        self.witness_stop.send_replace(true);
        self.witness.await.map_err(Failure::new)
    }
}

/// Waits until the sandbox has read the framework's directory, so that the member's first call is accepted.
async fn wait_for_directory(storage: &Storage) -> Result<(), Failure> {
    let waiting = async {
        loop {
            let found = storage.read(storage::framework::find_directory).await?;
            if found.is_some_and(|directory| directory.adopted_at > 0) {
                return Ok::<_, StorageError>(());
            }
            tokio::time::sleep(DIRECTORY_CHECK_INTERVAL).await;
        }
    };
    let waited = tokio::time::timeout(DIRECTORY_PATIENCE, waiting).await;
    let late = |_elapsed| Failure::new("the framework's directory was not adopted: see the log");
    Ok(waited.map_err(late)??)
}

/// Begins the log if the store has none. Returns the keys of all logs.
async fn begin_log(config: Config) -> Result<Vec<VerifierKey>, Failure> {
    let beginning = tokio::task::spawn_blocking(move || {
        let foundation = Foundation::open(config, Clock::System, Opening::Unchanged);
        let foundation = foundation.map_err(Failure::new)?;
        foundation
            .state_log()
            .ensure_begun()
            .map_err(Failure::new)?;
        let verifiers = foundation.storage.read_blocking(list_verifiers);
        let verifiers = verifiers.map_err(|error: StorageError| Failure::new(error))?;
        let keys = verifiers.iter().map(|(_, key)| VerifierKey::parse(key));
        keys.collect::<Result<_, _>>().map_err(Failure::new)
    });
    beginning.await.map_err(Failure::new)?
}

/// The policy that verifies evidence packs.
async fn read_policy(server: &Server) -> Result<String, Failure> {
    let log = server.foundation.state_log();
    let reading = tokio::task::spawn_blocking(move || log.policy());
    let read = reading.await.map_err(Failure::new)?;
    read.map_err(Failure::new)
}

/// `member` is the folder of the framework's member.
fn introduce(prepared: &Prepared, member: Option<&Path>) {
    let file = prepared.file();
    let out = &mut std::io::stdout();
    let shown = |name: &str, value: &str| format!("  {name:<22}{value}");
    say(
        out,
        format!(
            "Onward's sandbox serves from {}",
            prepared.directory().display()
        ),
    );
    say(out, shown("chain query", &file.base_url));
    say(
        out,
        shown("token endpoint", &format!("{}/token", file.auth_url)),
    );
    say(out, shown("key set", &file.jwks_url));
    let directory = format!("{}/participants", file.directory_url);
    say(out, shown("directory", &directory));
    say(out, shown("listings and chains", &file.listing_base_url));
    let described = "/docs at each of these addresses";
    say(out, shown("descriptions", described));
    say(out, shown("health and metrics", &file.ops_url));
    say(
        out,
        shown("clients and samples", "sandbox.json in that folder"),
    );
    say(out, shown("console, for people", &file.console_url));
    if let Some(member) = member {
        let folder = member.display().to_string();
        say(out, shown("framework's member", &folder));
    }
    if let Some(pedantry) = &prepared.pedantry {
        let seed = pedantry.seed;
        let again = format!("yes; --pedantic --seed {seed} repeats its choices");
        say(out, shown("pedantic", &again));
    }
    say(out, "Ask for a chain, in another terminal:");
    let directory = member.unwrap_or_else(|| prepared.directory()).display();
    let uprn = file.samples.uprn_in_chain;
    // The printed line repeats the name under which this program was called, so that it can be
    // pasted.
    let program = std::env::args().next();
    let program = program.unwrap_or_else(|| "onward".to_owned());
    let line = format!("  {program} query --sandbox {directory} --uprn {uprn}");
    say(out, line);
    say(out, "Ctrl-C stops it; started again, it carries on.");
}
