//! `onward serve`: serves all addresses until it is told to stop.

use clap::Args;

use super::{ConfigArgs, Failure};
use crate::clock::Clock;
use crate::server::{self, Server};
use crate::telemetry;

/// Serves the chain query, the token endpoint, the key set and the rest.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `onward serve`.
pub async fn run(args: ServeArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    telemetry::begin(&config).map_err(Failure::new)?;
    let server = Server::start(config, Clock::System)
        .await
        .map_err(Failure::new)?;
    let config = &server.app.config;
    tracing::info!(
        base_url = config.base_url,
        auth_url = config.auth_url,
        jwks_url = config.jwks_url(),
        store = %config.store.split('@').next_back().unwrap_or_default(),
        "serving"
    );
    server::wait_for_signal().await;
    tracing::info!("stopping: open requests may end");
    server.stop().await;
    Ok(())
}
