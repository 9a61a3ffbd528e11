//! `onward serve`: serves all listeners until a signal stops it.

use clap::Args;
use observe::clock::Clock;
use observe::telemetry::{self, LogFormat, Telemetry};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sd_notify::NotifyState;
use server::config::Config;
use server::lifecycle::Server;
use storage::{Opening, StoreUrl};

use super::{ConfigArgs, Failure, check};
use crate::signals::{ReloadSignal, StopSignal, StopSignals};
use crate::supervisor;

/// Serves all five listeners: base, auth, directory, listing and ops.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Sends no events, for instance to try a restored copy. They wait in the store.
    #[arg(long)]
    no_deliveries: bool,
    /// Upgrades an older store first, as `onward migrate` does. No older node may serve it meanwhile.
    #[arg(long)]
    migrate: bool,
}

/// Runs `onward serve`.
pub async fn run(args: ServeArgs) -> Result<(), Failure> {
    let (config, sources) = args.config.load_with_sources()?;
    let notices = check::notices(&config, &sources);
    let telemetry = telemetry::begin(&config.telemetry()).map_err(Failure::unusable)?;
    let is_json = config.log_format == LogFormat::Json;
    let mut served = serve(args, config, notices, &telemetry).await;
    if is_json && let Err(failure) = &mut served {
        tracing::error!(%failure, "the program ends");
        failure.is_told = true;
    }
    telemetry.end().await;
    served
}

async fn serve(
    args: ServeArgs,
    config: Config,
    notices: Vec<String>,
    telemetry: &Telemetry,
) -> Result<(), Failure> {
    allow_open_files();
    let mut stop = StopSignals::catch().map_err(Failure::new)?;
    let mut reload = ReloadSignal::catch().map_err(Failure::new)?;
    let server = start(&args, config).await?;
    let config = &server.foundation.config;
    for notice in notices {
        tracing::warn!(event = "configuration", "{notice}");
    }
    // The URL is logged without its password.
    let store = config.store.parse::<StoreUrl>();
    tracing::info!(
        base_url = config.base_url,
        auth_url = config.auth_url,
        jwks_url = config.urls().jwks_url(),
        store = %store.map_or_else(|error| error.to_string(), |url| url.to_string()),
        "serving"
    );
    supervisor::tell(NotifyState::Ready);
    tokio::spawn(supervisor::feed_watchdog());
    let mut settings = Config::clone(config);
    let asked = loop {
        tokio::select! {
            asked = stop.next() => break asked,
            () = reload.next() => {
                supervisor::tell_reloading();
                server.reload_certificates().await;
                reload_settings(&server, &args.config, &mut settings, telemetry);
                supervisor::tell(NotifyState::Ready);
            }
        }
    };
    supervisor::tell(NotifyState::Stopping);
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
    Ok(())
}

async fn start(args: &ServeArgs, config: Config) -> Result<Server, Failure> {
    let opening = if args.migrate {
        Opening::Upgrade
    } else {
        Opening::Unchanged
    };
    let starting = if args.no_deliveries {
        Server::start_without_deliveries(config, Clock::System, opening).await
    } else {
        Server::start_on(config, Clock::System, opening).await
    };
    let server = starting.map_err(Failure::of_start)?;
    if args.no_deliveries {
        tracing::warn!(
            event = "no_deliveries",
            "this node sends no events: --no-deliveries"
        );
    }
    Ok(server)
}

/// Applies the setting `log` if it is another one now.
fn apply_log(read: &Config, settings: &mut Config, telemetry: &Telemetry) -> Result<(), Failure> {
    if read.log != settings.log {
        let filter = read.log_filter();
        telemetry.set_filter(&filter).map_err(Failure::new)?;
        tracing::info!(log = read.log, "the setting `log` is in use");
        settings.log.clone_from(&read.log);
    }
    Ok(())
}

/// Reads the settings again, applies `log`, and names the changed settings that need a restart.
fn reload_settings(
    server: &Server,
    args: &ConfigArgs,
    settings: &mut Config,
    telemetry: &Telemetry,
) {
    let applied = args.load().and_then(|read| {
        apply_log(&read, settings, telemetry)?;
        Ok(read)
    });
    let were_refused = server.note_settings(applied.is_err());
    let read = match applied {
        Ok(read) => read,
        Err(error) => {
            tracing::error!(%error, "the settings were refused; the node keeps the old ones");
            return;
        }
    };
    if were_refused {
        tracing::info!("the settings can be used again");
    }
    let others = settings.differing_settings(&read);
    if !others.is_empty() {
        let settings = others.join(", ");
        tracing::warn!(settings, "these settings have changed and need a restart");
    }
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
