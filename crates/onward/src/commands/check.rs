//! `onward check`: checks a configuration, its certificates, keys and store without serving.

use clap::Args;
use edge::tls::TlsSettings;
use observe::clock::Clock;
use observe::telemetry;
use server::foundation::Foundation;
use server::lifecycle::StartError;
use storage::{Opening, StorageError};

use super::{ConfigArgs, Failure, say};

/// Checks settings, certificates, keys and store.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `onward check`.
pub async fn run(args: CheckArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    telemetry::read_filter(&config.log_filter()).map_err(Failure::new)?;
    let tls = TlsSettings::load(&config.edge().tls).map_err(Failure::new)?;
    let out = &mut std::io::stdout();
    let now = Clock::System.now_seconds();
    for warning in tls.endings.iter().filter_map(|ending| ending.warning(now)) {
        say(out, warning);
    }
    let opening = move || Foundation::open(config, Clock::System, Opening::Unchanged);
    let opened = tokio::task::spawn_blocking(opening).await;
    let foundation = match opened.map_err(Failure::new)? {
        Ok(foundation) => foundation,
        Err(StartError::Storage(
            error @ (StorageError::OlderStore { .. } | StorageError::OlderIndex { .. }),
        )) => {
            say(
                out,
                format_args!("The configuration can be served, but {error}."),
            );
            return Ok(());
        }
        Err(error) => return Err(Failure::new(error)),
    };
    foundation.registry.snapshot().await.map_err(Failure::new)?;
    say(out, "The configuration can be served.");
    // Dropping the last handle closes the store and blocks until its threads end.
    tokio::task::spawn_blocking(move || drop(foundation))
        .await
        .map_err(Failure::new)
}
