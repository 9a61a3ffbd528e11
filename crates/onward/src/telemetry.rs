//! Log lines, for people or for machines, on standard error.

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Begins to log as the settings say; a second call changes nothing.
pub fn begin(config: &Config) -> Result<(), String> {
    let filter = read_filter(config)?;
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
