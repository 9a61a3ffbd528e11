//! Log lines on standard error, as text or JSON, and spans for a collector.

mod export;

use std::io::IsTerminal as _;

use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use self::export::SpanExport;
use crate::trace;

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The settings of log lines and spans.
#[derive(Debug, Clone)]
pub struct TelemetrySettings<'a> {
    /// A level or a filter by module, as `tracing_subscriber::EnvFilter` reads it.
    pub filter: String,
    /// How log lines are written.
    pub format: LogFormat,
    /// The collector's address for spans (OTLP over HTTP); empty: no spans.
    pub trace_endpoint: &'a str,
}

/// The running export of spans. The program ends it before it stops.
#[derive(Debug)]
#[must_use]
pub struct Telemetry {
    spans: Option<SpanExport>,
}

impl Telemetry {
    /// Sends the remaining spans.
    pub async fn end(self) {
        if let Some(spans) = self.spans {
            spans.end().await;
        }
    }
}

/// Starts logging and the export of spans. A second call changes nothing.
pub fn begin(settings: &TelemetrySettings<'_>) -> Result<Telemetry, String> {
    let filter = read_filter(&settings.filter)?;
    // This library logs each bad certificate of a subscriber as an error of this program. The
    // attempt's result names the fault already.
    let filter = match "rustls_platform_verifier=off".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_impossible) => filter,
    };
    let format = settings.format;
    if settings.trace_endpoint.is_empty() {
        // With one filter for everything, a line that is not logged costs nothing.
        let begun = tracing_subscriber::registry()
            .with(filter)
            .with(log_lines(format))
            .try_init();
        drop(begun);
        return Ok(Telemetry { spans: None });
    }
    let spans = SpanExport::begin(settings.trace_endpoint)?;
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
    // Colours are for terminals. Files and journals get plain text.
    let is_terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer()
        .with_ansi(is_terminal)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    }
}

/// Parses the setting `log`.
pub fn read_filter(filter: &str) -> Result<EnvFilter, String> {
    // The library takes a misspelt level for the name of a crate.
    let is_level = |text: &str| text.parse::<LevelFilter>().is_ok();
    let mut bare = filter.split(',').map(str::trim);
    if let Some(text) = bare.find(|text| !text.contains(['=', '[']) && !is_level(text)) {
        return Err(format!(
            "the setting `log` is wrong: `{text}` is no level; write error, warn, info, debug, trace \
             or off, or CRATE=LEVEL"
        ));
    }
    EnvFilter::try_new(filter).map_err(|error| format!("the setting `log` is wrong: {error}"))
}
