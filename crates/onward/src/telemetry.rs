//! Log lines, for people or for machines, on standard error.

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Begins to log as the settings say; a second call changes nothing.
pub fn begin(config: &Config) -> Result<(), String> {
    let filter = read_filter(config)?;
    // It logs each bad certificate as an error of this program. What is wrong with a subscriber's
    // certificate stands in the attempt's outcome, once.
    let filter = match "rustls_platform_verifier=off".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_impossible) => filter,
    };
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    drop(match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    });
    Ok(())
}

/// Reads what the setting `log` lets through.
pub fn read_filter(config: &Config) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&config.log).map_err(|error| format!("the setting `log` is wrong: {error}"))
}
