//! Spans of requests and of their steps.
//!
//! Spans exist only while the settings name a collector (`telemetry/export.rs`). Without a
//! collector, each span costs the check of one flag. A span holds the method, the trace ids that
//! the caller sent and the status of the answer, and nothing else of request or answer.

use std::cell::RefCell;
use std::pin::pin;
use std::sync::Arc;

use http::{HeaderMap, Method, StatusCode};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{TraceContextExt as _, TraceId};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Level, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The `tracing` target of spans. Log lines have other targets.
pub const TARGET: &str = "onward::trace";

const TRACE_PARENT: &str = "traceparent";

/// The parts of a request that its span shows.
#[derive(Debug, Clone, Copy)]
pub struct RequestParts<'a> {
    /// The address that answers, such as `base`.
    pub listener: &'static str,
    /// The id of the request in answer and log.
    pub request_id: &'a str,
    /// The method.
    pub method: &'a Method,
    /// The pattern of the path. The path itself is not shown, because it names listings.
    pub route: Option<&'a str>,
    /// The header, for the caller's `traceparent`.
    pub headers: &'a HeaderMap,
}

/// Begins the span of a request, with the names of OpenTelemetry's conventions for HTTP servers.
/// It continues the trace that the caller names (W3C Trace Context).
pub fn begin_request(request: &RequestParts<'_>) -> Span {
    let span = tracing::trace_span!(
        target: TARGET,
        parent: None,
        "request",
        otel.name = field::Empty,
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = field::Empty,
        http.route = field::Empty,
        http.response.status_code = field::Empty,
        onward.door = request.listener,
        onward.request_id = request.request_id,
        onward.client_id = field::Empty,
    );
    if span.is_disabled() {
        return span;
    }
    let method = name_method(request.method);
    span.record("http.request.method", method);
    match request.route {
        Some(route) => {
            span.record("http.route", route);
            span.record("otel.name", format!("{method} {route}"));
        }
        None => {
            span.record("otel.name", method);
        }
    }
    let parent = TraceContextPropagator::new().extract(&TraceParent(request.headers));
    if parent.span().span_context().is_remote() {
        // This fails only where no collector takes the span.
        let _unset = span.set_parent(parent);
    }
    span
}

/// The trace id of a span, for log lines. `None` without a collector.
pub fn read_trace_id(span: &Span) -> Option<String> {
    let id = span.context().span().span_context().trace_id();
    (id != TraceId::INVALID).then(|| id.to_string())
}

/// Records the status of the answer.
pub fn note_status(span: &Span, status: StatusCode) {
    if !span.is_disabled() {
        span.record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            span.record("otel.status_code", "ERROR");
        }
    }
}

tokio::task_local! {
    /// The proven caller of the request that this task answers.
    static CALLER: RefCell<Option<Arc<str>>>;
}

/// Answers a request. Also returns its caller, if [`note_caller`] noted one meanwhile.
pub async fn with_caller<T>(answering: impl Future<Output = T>) -> (T, Option<Arc<str>>) {
    let mut answering = pin!(CALLER.scope(RefCell::default(), answering));
    let answer = answering.as_mut().await;
    let caller = answering.take_value().and_then(RefCell::into_inner);
    (answer, caller)
}

/// Notes who calls: the id of a client, or the number of an API key. Only a proof may say so.
pub fn note_caller(id: &Arc<str>) {
    // There is no request in tests of single functions.
    let _unset = CALLER.try_with(|caller| caller.replace(Some(Arc::clone(id))));
    if tracing::enabled!(target: TARGET, Level::TRACE) {
        Span::current().record("onward.client_id", &**id);
    }
}

/// Whether [`note_caller`] noted the caller of this request.
pub fn has_caller() -> bool {
    CALLER
        .try_with(|caller| caller.borrow().is_some())
        .unwrap_or(false)
}

/// A span for one step that the request waits for, such as `sign`.
pub fn step(name: &'static str) -> Span {
    tracing::trace_span!(target: TARGET, "step", otel.name = name)
}

/// Replaces unknown methods, because callers may send any text as a method.
fn name_method(method: &Method) -> &str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if known.contains(method) {
        method.as_str()
    } else {
        "_OTHER"
    }
}

/// Reads the caller's trace ids. It ignores `tracestate`, which is for other vendors.
struct TraceParent<'a>(&'a HeaderMap);

impl Extractor for TraceParent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let mut fields = self.0.get_all(TRACE_PARENT).iter();
        match (key, fields.next(), fields.next()) {
            (TRACE_PARENT, Some(only), None) => only.to_str().ok(),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACE_PARENT]
    }
}
