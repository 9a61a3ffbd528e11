//! Spans: what a request, or an attempt to deliver an event, did and how long each step took.
//!
//! They exist while the settings name a collector (`telemetry/export.rs`). Without one, each costs
//! a look at a flag. Of what callers send, nothing is in them but the method and the ids that they
//! continue; of what is answered, the status.

use axum::extract::{MatchedPath, Request};
use http::{HeaderMap, Method, StatusCode};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Level, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::listener::Listener;

/// By this they are told from what is logged.
pub const TARGET: &str = "onward::trace";

const TRACE_PARENT: &str = "traceparent";

/// The span of a request, as OpenTelemetry's conventions for HTTP servers name its parts. It
/// continues the caller's trace (W3C Trace Context), if the caller names one.
pub fn of_request(listener: Listener, request: &Request, request_id: &str) -> Span {
    if matches!(listener, Listener::Ops) {
        // Who watches this node asks all the time.
        return Span::none();
    }
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
        onward.door = listener.as_str(),
        onward.request_id = request_id,
        onward.client_id = field::Empty,
    );
    if span.is_disabled() {
        return span;
    }
    let method = name_method(request.method());
    span.record("http.request.method", method);
    // The pattern of the path, never the path itself: that names listings.
    match request.extensions().get::<MatchedPath>() {
        Some(route) => {
            span.record("http.route", route.as_str());
            span.record("otel.name", format!("{method} {}", route.as_str()));
        }
        None => {
            span.record("otel.name", method);
        }
    }
    let parent = TraceContextPropagator::new().extract(&TraceParent(request.headers()));
    if parent.span().span_context().is_remote() {
        // It fails only where nobody exports this span.
        let _unset = span.set_parent(parent);
    }
    span
}

/// Notes what came of a request.
pub fn note_status(span: &Span, status: StatusCode) {
    if !span.is_disabled() {
        span.record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// Notes which client sent the request that is being answered here.
pub fn note_client(id: &str) {
    if tracing::enabled!(target: TARGET, Level::TRACE) {
        Span::current().record("onward.client_id", id);
    }
}

/// A step that the request waits for, by a short name.
pub fn step(name: &'static str) -> Span {
    tracing::trace_span!(target: TARGET, "step", otel.name = name)
}

/// An attempt to deliver an event. Where it goes is not said: a callback's address may be secret.
pub fn of_attempt(event_id: &str, delivery: i64, number: i64) -> Span {
    tracing::trace_span!(
        target: TARGET,
        parent: None,
        "attempt",
        otel.name = "deliver event",
        otel.kind = "client",
        otel.status_code = field::Empty,
        http.response.status_code = field::Empty,
        onward.event_id = event_id,
        onward.delivery_id = delivery,
        onward.attempt = number,
    )
}

/// Notes what came of an attempt.
pub fn note_attempt(span: &Span, status: Option<u16>, is_success: bool) {
    if !span.is_disabled() {
        if let Some(status) = status {
            span.record("http.response.status_code", status);
        }
        if !is_success {
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// Callers make methods up.
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

/// The caller's ids. Its `tracestate` means something to others only, and is not passed on.
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
