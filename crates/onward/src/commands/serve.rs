//! `onward serve`: serves all listeners until a signal stops it.

use clap::Args;
use observe::clock::Clock;
use observe::telemetry;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use server::lifecycle::Server;
use storage::{Opening, StoreUrl};

use super::{ConfigArgs, Failure};
use crate::signals::{ReloadSignal, StopSignal, StopSignals};

/// Serves all five listeners: base, auth, directory, listing and ops.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Upgrades an older store first, as `onward migrate` does. No older node may serve it meanwhile.
    #[arg(long)]
    migrate: bool,
}

/// Runs `onward serve`.
pub async fn run(args: ServeArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    let telemetry = telemetry::begin(&config.telemetry()).map_err(Failure::unusable)?;
    allow_open_files();
    let mut stop = StopSignals::catch().map_err(Failure::new)?;
    let mut reload = ReloadSignal::catch().map_err(Failure::new)?;
    let opening = if args.migrate {
        Opening::Upgrade
    } else {
        Opening::Unchanged
    };
    let starting = Server::start_on(config, Clock::System, opening);
    let server = starting.await.map_err(Failure::of_start)?;
    let config = &server.foundation.config;
    // The URL is logged without its password.
    let store = config.store.parse::<StoreUrl>();
    tracing::info!(
        base_url = config.base_url,
        auth_url = config.auth_url,
        jwks_url = config.jwks_url(),
        store = %store.map_or_else(|error| error.to_string(), |url| url.to_string()),
        "serving"
    );
    let asked = loop {
        tokio::select! {
            asked = stop.next() => break asked,
            () = reload.next() => server.reload_certificates().await,
        }
    };
    if asked == StopSignal::Terminate {
        tracing::info!(
            drain_seconds = config.drain_seconds,
            "draining: no longer ready"
        );
        tokio::select! {
            () = server.drain() => {}
            _asked_again = stop.next() => {}
        }
    }
    tracing::info!("stopping: open requests may end");
    server.stop().await;
    telemetry.end().await;
    Ok(())
}

/// Lets this process open as many files as the machine allows it. Shells often start programs with a
/// limit of 1,024.
fn allow_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}
