//! What the program says of itself while it runs: log lines, for people or for machines, on
//! standard error; and spans, to a collector.

mod export;

use std::io::IsTerminal as _;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use self::export::SpanExport;
use crate::config::{Config, LogFormat};
use crate::trace;

/// What was begun, to be ended with the program.
#[derive(Debug)]
#[must_use]
pub struct Telemetry {
    spans: Option<SpanExport>,
}

impl Telemetry {
    /// Sends the spans that are left.
    pub async fn end(self) {
        if let Some(spans) = self.spans {
            spans.end().await;
        }
    }
}

/// Begins to log, and to export spans, as the settings say; a second call
/// changes nothing.
pub fn begin(config: &Config) -> Result<Telemetry, String> {
    let filter = read_filter(config)?;
    // It logs each bad certificate as an error of this program. What is wrong with a subscriber's
    // certificate stands in the attempt's outcome, once.
    let filter = match "rustls_platform_verifier=off".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_impossible) => filter,
    };
    let format = config.log_format;
    if config.trace_endpoint.is_empty() {
        // One filter for all: what is not logged costs nothing.
        let begun = tracing_subscriber::registry()
            .with(filter)
            .with(log_lines(format))
            .try_init();
        drop(begun);
        return Ok(Telemetry { spans: None });
    }
    let spans = SpanExport::begin(&config.trace_endpoint)?;
    let exported = tracing_opentelemetry::layer()
        .with_tracer(spans.tracer())
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(trace::TARGET, LevelFilter::TRACE));
    let begun = tracing_subscriber::registry()
        .with(log_lines(format).with_filter(filter))
        .with(exported)
        .try_init();
    drop(begun);
    Ok(Telemetry { spans: Some(spans) })
}

fn log_lines<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // Colours are for people who look at it now; a file or journal keeps plain text.
    let is_seen = std::io::stderr().is_terminal();
    let lines = fmt::layer().with_ansi(is_seen).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    }
}

/// Reads what the setting `log` lets through.
pub fn read_filter(config: &Config) -> Result<EnvFilter, String> {
    EnvFilter::try_new(&config.log).map_err(|error| format!("the setting `log` is wrong: {error}"))
}
