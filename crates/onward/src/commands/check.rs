//! `onward check`: whether a configuration would serve, without serving.

use clap::Args;

use super::{ConfigArgs, Failure, say};
use crate::clock::Clock;
use crate::server;
use crate::telemetry;
use crate::tls::TlsSettings;

/// Checks settings, certificates, keys and store.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `onward check`.
pub async fn run(args: CheckArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    telemetry::read_filter(&config).map_err(Failure::new)?;
    TlsSettings::load(&config).map_err(Failure::new)?;
    let opened = tokio::task::spawn_blocking(move || server::open_app(config, Clock::System)).await;
    let app = opened.map_err(Failure::new)?.map_err(Failure::new)?;
    app.registry.snapshot().await.map_err(Failure::new)?;
    say(&mut std::io::stdout(), "The configuration can be served.");
    // The last handle closes the store, which waits for its threads.
    tokio::task::spawn_blocking(move || drop(app))
        .await
        .map_err(Failure::new)
}
