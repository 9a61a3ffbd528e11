//! Log lines on standard error, as text or JSON, and spans for a collector.

mod export;
mod lines;

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt, reload};

use self::export::SpanExport;
use self::lines::VisibleLines;
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

/// Lines that wait for a slow reader of standard error. Further ones are lost.
const LINES_WAITING_MAX: usize = 16_384;

/// Counts the lines that were lost.
static LOST: OnceLock<ErrorCounter> = OnceLock::new();

/// The running export of spans and the writer of log lines. The program ends both before it stops.
#[must_use]
pub struct Telemetry {
    spans: Option<SpanExport>,
    replace_filter: ReplaceFilter,
    /// Dropping it writes the waiting lines, for a second at most.
    _lines: WorkerGuard,
}

type ReplaceFilter = Box<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>;

/// The log lines that were lost because nobody read standard error in time.
pub fn lost_lines() -> u64 {
    let lost = LOST.get().map_or(0, ErrorCounter::dropped_lines);
    u64::try_from(lost).unwrap_or(u64::MAX)
}

impl Telemetry {
    /// Replaces the filter of log lines. [`TelemetrySettings::filter`] says how a filter is written.
    pub fn set_filter(&self, filter: &str) -> Result<(), String> {
        let filter = read_filter(filter)?;
        (self.replace_filter)(without_noise(filter)).map_err(|error| error.to_string())
    }

    /// Sends the remaining spans, and writes the remaining lines.
    pub async fn end(self) {
        if let Some(spans) = self.spans {
            spans.end().await;
        }
    }
}

/// Starts logging and the export of spans. A second call changes nothing.
pub fn begin(settings: &TelemetrySettings<'_>) -> Result<Telemetry, String> {
    let filter = without_noise(read_filter(&settings.filter)?);
    let format = settings.format;
    // A full pipe must not hold up the requests that log into it.
    let (writer, lines) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LINES_WAITING_MAX)
        .thread_name("onward-log")
        .finish(std::io::stderr());
    LOST.get_or_init(|| writer.error_counter());
    if settings.trace_endpoint.is_empty() {
        // With one filter for everything, a line that is not logged costs nothing.
        let (filter, handle) = reload::Layer::new(filter);
        let begun = tracing_subscriber::registry()
            .with(filter)
            .with(log_lines(format, writer))
            .try_init();
        drop(begun);
        return Ok(Telemetry {
            spans: None,
            replace_filter: Box::new(move |filter| handle.reload(filter)),
            _lines: lines,
        });
    }
    let spans = SpanExport::begin(settings.trace_endpoint)?;
    let exported = tracing_opentelemetry::layer()
        .with_tracer(spans.tracer())
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(trace::TARGET, LevelFilter::TRACE));
    let (filter, handle) = reload::Layer::new(filter);
    let begun = tracing_subscriber::registry()
        .with(log_lines(format, writer).with_filter(filter))
        .with(exported)
        .try_init();
    drop(begun);
    Ok(Telemetry {
        spans: Some(spans),
        replace_filter: Box::new(move |filter| handle.reload(filter)),
        _lines: lines,
    })
}

fn log_lines<S>(format: LogFormat, writer: NonBlocking) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // Colours are for terminals. Files and journals get plain text.
    let is_terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer()
        .with_ansi(is_terminal)
        .with_writer(move || VisibleLines::new(writer.clone(), is_terminal));
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    }
}

/// A library logs each bad certificate of a subscriber as an error of this program. The attempt's
/// result names the fault already.
fn without_noise(filter: EnvFilter) -> EnvFilter {
    match "rustls_platform_verifier=off".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_impossible) => filter,
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
