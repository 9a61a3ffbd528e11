//! Export of spans to a collector: OTLP over HTTP, in batches, from a bounded queue.
//!
//! A finished span goes into the queue. A full queue drops spans, so that no request waits for
//! the collector.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};
use tokio::runtime::Handle;

/// Spans that wait for export. Past this number, spans are dropped.
const QUEUE_SPANS_MAX: usize = 8192;
/// Spans of one batch.
const BATCH_SPANS_MAX: usize = 512;
/// How long a span waits for others of its batch.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// How long the export of one batch may take, with repetitions.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one try to export a batch may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the export of the remaining spans may take when the program ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a collector's answer that are read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The export while the program runs.
#[derive(Debug)]
pub(super) struct SpanExport {
    provider: SdkTracerProvider,
}

impl SpanExport {
    /// Starts the export to this address, usually with the path `/v1/traces`. The current Tokio
    /// runtime sends the batches.
    pub(super) fn begin(endpoint: &str) -> Result<Self, String> {
        let wrong =
            |error: &dyn std::fmt::Display| format!("cannot export to trace_endpoint: {error}");
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(BatchSender::new().map_err(|error| wrong(&error))?)
            .with_endpoint(endpoint)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(EXPORT_TIMEOUT)
            .build()
            .map_err(|error| wrong(&error))?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_SPANS_MAX)
            .with_max_export_batch_size(BATCH_SPANS_MAX)
            .with_scheduled_delay(BATCH_DELAY)
            .build();
        let processor = BatchSpanProcessor::builder(exporter)
            .with_batch_config(batches)
            .build();
        let resource = Resource::builder()
            .with_service_name("onward")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            // The collector decides which traces it keeps, not the caller.
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(resource)
            .build();
        Ok(Self { provider })
    }

    /// The tracer that makes spans.
    pub(super) fn tracer(&self) -> SdkTracer {
        self.provider.tracer("onward")
    }

    /// Sends the remaining spans, for at most [`FLUSH_TIMEOUT`].
    pub(super) async fn end(self) {
        // Shutdown blocks on the sending thread, which needs this runtime.
        let ending = move || self.provider.shutdown_with_timeout(FLUSH_TIMEOUT);
        if let Ok(Err(error)) = tokio::task::spawn_blocking(ending).await {
            tracing::warn!(%error, "some spans were not exported");
        }
    }
}

/// Sends the batches of the export thread over this program's HTTP client.
#[derive(Debug)]
struct BatchSender {
    http: reqwest::Client,
    runtime: Handle,
    /// Whether the last batch failed. Only changes are logged.
    is_failing: Arc<AtomicBool>,
}

impl BatchSender {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        // This fails only when a provider is installed already, which is fine.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .timeout(ATTEMPT_TIMEOUT)
            .build()?;
        Ok(Self {
            http,
            runtime: Handle::try_current()?,
            is_failing: Arc::default(),
        })
    }
}

type Sending<'a> =
    Pin<Box<dyn Future<Output = Result<http::Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for BatchSender {
    fn send_bytes<'s, 'f>(&'s self, request: http::Request<Bytes>) -> Sending<'f>
    where
        's: 'f,
        Self: 'f,
    {
        let sending = send(self.http.clone(), request);
        let is_failing = Arc::clone(&self.is_failing);
        let sent = self.runtime.spawn(async move {
            let sent = sending.await;
            note(&is_failing, &sent);
            sent
        });
        Box::pin(async move { sent.await? })
    }
}

async fn send(
    http: reqwest::Client,
    request: http::Request<Bytes>,
) -> Result<http::Response<Bytes>, HttpError> {
    let (parts, body) = request.into_parts();
    let request = http
        .request(parts.method, parts.uri.to_string())
        .headers(parts.headers)
        .body(body);
    let mut answer = request.send().await?;
    let mut received = Vec::new();
    while let Some(part) = answer.chunk().await? {
        received.extend_from_slice(&part);
        if received.len() > ANSWER_BYTES_MAX {
            return Err("the collector's answer is too long".into());
        }
    }
    let mut response = http::Response::new(Bytes::from(received));
    *response.status_mut() = answer.status();
    Ok(response)
}

fn note(is_failing: &AtomicBool, sent: &Result<http::Response<Bytes>, HttpError>) {
    let failure = match sent {
        Ok(answer) if answer.status().is_success() => None,
        Ok(answer) => Some(format!("it answered {}", answer.status())),
        Err(error) => Some(error.to_string()),
    };
    let was_failing = is_failing.swap(failure.is_some(), Ordering::Relaxed);
    match failure {
        Some(reason) if !was_failing => {
            tracing::warn!(%reason, "the collector takes no spans; requests go on");
        }
        None if was_failing => tracing::info!("the collector takes spans again"),
        Some(_) | None => {}
    }
}
