//! Spans on their way to a collector: OTLP over HTTP, in batches, from a bounded queue.
//!
//! Whoever ends a span puts it into the queue and goes on. While the queue is full, spans are lost
//! and nothing else: no request waits for the collector.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};
use tokio::runtime::Handle;

use crate::limits;

/// The export while the program runs.
#[derive(Debug)]
pub(super) struct SpanExport {
    provider: SdkTracerProvider,
}

impl SpanExport {
    /// Begins to export to this address, of which `/v1/traces` is usually the path. Call it on the
    /// runtime that shall send.
    pub(super) fn begin(endpoint: &str) -> Result<Self, String> {
        let wrong =
            |error: &dyn std::fmt::Display| format!("cannot export to trace_endpoint: {error}");
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Courier::new().map_err(|error| wrong(&error))?)
            .with_endpoint(endpoint)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(limits::TRACE_EXPORT_TIMEOUT)
            .build()
            .map_err(|error| wrong(&error))?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(limits::TRACE_QUEUE_SPANS_MAX)
            .with_max_export_batch_size(limits::TRACE_BATCH_SPANS_MAX)
            .with_scheduled_delay(limits::TRACE_DELAY)
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
            // Whether a trace is kept is the collector's to decide, and not a caller's.
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(resource)
            .build();
        Ok(Self { provider })
    }

    /// What spans are made with.
    pub(super) fn tracer(&self) -> SdkTracer {
        self.provider.tracer("onward")
    }

    /// Sends what is left, within a bound.
    pub(super) async fn end(self) {
        // It waits for the thread that sends, which waits for this runtime.
        let ending = move || {
            self.provider
                .shutdown_with_timeout(limits::TRACE_FLUSH_TIMEOUT)
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(ending).await {
            tracing::warn!(%error, "some spans were not exported");
        }
    }
}

/// Sends batches from the export's own thread by the client of this program.
#[derive(Debug)]
struct Courier {
    http: reqwest::Client,
    runtime: Handle,
    /// Whether the last batch was lost: each change is logged once.
    is_failing: Arc<AtomicBool>,
}

impl Courier {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        // Fails only when a provider is installed already, and then that one is used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .timeout(limits::TRACE_ATTEMPT_TIMEOUT)
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

impl HttpClient for Courier {
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
    let mut said = Vec::new();
    while let Some(part) = answer.chunk().await? {
        said.extend_from_slice(&part);
        if said.len() > limits::TRACE_ANSWER_BYTES_MAX {
            return Err("the collector's answer is too long".into());
        }
    }
    let mut response = http::Response::new(Bytes::from(said));
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
