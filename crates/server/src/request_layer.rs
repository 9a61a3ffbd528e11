//! The layer around all routes: request ids, trusted proxies, refusal bodies, spans and metrics.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use edge::connection::unproven_bodies::UnprovenBodies;
use edge::peer::Peer;
use edge::tls::ExtendedKeyUsage;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use observe::clock::Stopwatch;
use observe::trace::{self, RequestParts};
use prometheus_client::metrics::counter::Counter;
use signing::certificate::PeerCertificate;
use tokens::rate_limit::RateLimits;
use tracing::{Instrument as _, Span};
use uuid::Uuid;
use uuid::fmt::Hyphenated;
use web::answered::{Answered, logged_path, network_of};
use web::listener::Listener;
use web::problem::Problem;
use web::rate_limit_fields;

use crate::failure_log::FailureLog;
use crate::host;
use crate::metrics::{DurationLabels, Metrics, RequestLabels, Route};
use crate::security_log::SecurityLog;
use crate::unread_answers::UnreadAnswers;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const INTERACTION_ID: HeaderName = HeaderName::from_static("x-fapi-interaction-id");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");
/// Two years, as browsers' preload lists ask for.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=63072000");
const CLIENT_CERTIFICATE: HeaderName = HeaderName::from_static("client-cert");

/// The state that the layers of all listeners share.
#[derive(Debug)]
pub(crate) struct SharedLayer {
    /// Proxies that may send the `Client-Cert` field (RFC 9440).
    pub trusted_proxies: Vec<IpAddr>,
    /// Whether a client certificate must name its uses.
    pub client_usage: ExtendedKeyUsage,
    /// The rate limits that every answer shows (S-14).
    pub rate_limits: Option<Arc<RateLimits>>,
    /// Receives the count and duration of requests.
    pub metrics: Arc<Metrics>,
    /// Receives the tokens issued and refused, and refused calls.
    pub security_log: SecurityLog,
    /// Receives calls that failed by no fault of their callers.
    pub failure_log: FailureLog,
    /// Bounds the answers that nobody reads.
    pub unread: Arc<UnreadAnswers>,
    /// Bounds the bodies of callers who have not proved who they are.
    pub bodies: Arc<UnprovenBodies>,
}

impl SharedLayer {
    /// Counts a large answer for its caller until it is sent. Refuses it past the bound.
    fn bound_unread(&self, response: Response, answered: &Answered<'_>) -> Response {
        // A proxy's address stands for all its callers.
        if answered.proven.is_none() && self.trusted_proxies.contains(&answered.address) {
            return response;
        }
        let counted = self.unread.count(|| answered.caller(), response);
        counted.unwrap_or_else(|| Problem::AnswersUnread.into_response())
    }

    /// Counts the body of a request while it arrives and its caller is unproven.
    fn bound_body(&self, address: IpAddr, request: Request) -> Request {
        let is_proxy = self.trusted_proxies.contains(&address);
        let network = (!is_proxy).then(|| network_of(address));
        request.map(|body| self.bodies.count(network, body))
    }

    /// Takes the client certificate from the `Client-Cert` field of a trusted proxy that terminates
    /// TLS (S-20, RFC 9440 section 2.4). The field of any other peer is ignored.
    fn read_trusted_proxy(&self, request: &mut Request) {
        let is_trusted = |peer: &Peer| self.trusted_proxies.contains(&peer.address);
        if !request.extensions().get().is_some_and(is_trusted) {
            return;
        }
        let der =
            read_client_certificate(request.headers()).filter(|der| self.client_usage.allows(der));
        if let Some(peer) = request.extensions_mut().get_mut::<Peer>() {
            peer.certificate = der.map(|der| PeerCertificate::of_der(&der));
        }
    }
}

/// Writes a refusal of the request with this id.
pub(crate) type WriteRefusal = fn(&Problem, &str) -> Response;

/// The layer around the routes of one listener.
#[derive(Debug)]
pub(crate) struct RequestLayer {
    /// The listener that this layer serves.
    listener: Listener,
    /// URL of the listener's metadata (RFC 9728). `None` if the listener accepts no tokens.
    metadata_url: Option<String>,
    /// Writes refusals in the format of this listener.
    write_refusal: WriteRefusal,
    /// State that the layers of all listeners share.
    shared: Arc<SharedLayer>,
    /// Counts the most frequent answers without a search for their counter.
    answered_ok: Counter,
}

/// Handles one request of a listener. It writes the body of a refusal, adds the shared header
/// fields and records logs, spans and metrics.
pub(crate) async fn wrap(
    State(layer): State<Arc<RequestLayer>>,
    mut request: Request,
    next: Next,
) -> Response {
    let stopwatch = Stopwatch::start();
    let listener = layer.listener;
    let mut buffer = Uuid::encode_buffer();
    let request_id = &*Uuid::new_v4().hyphenated().encode_lower(&mut buffer);
    let sent = read_interaction_id(request.headers());
    layer.shared.read_trusted_proxy(&mut request);
    let span = begin_span(listener, &request, request_id);
    let route = Route(request.extensions().get::<MatchedPath>().cloned());
    let method = request.method().clone();
    let uri = request.uri().clone();
    let address = find_address(&request);
    let answering = async {
        match host::check(&request) {
            Ok(()) => next.run(layer.shared.bound_body(address, request)).await,
            Err(problem) => problem.into_response(),
        }
    };
    let answering = answering.instrument(span.clone());
    let (response, proven) = trace::with_caller(answering).await;
    let mut answered = Answered {
        request_id,
        interaction_id: sent.as_ref().and_then(|sent| sent.to_str().ok()),
        path: uri.path(),
        proven: proven.as_deref(),
        address,
        problem: None,
    };
    let mut response = layer.shared.bound_unread(response, &answered);
    let problem = response.extensions_mut().remove::<Problem>();
    answered.problem = problem.as_ref();
    layer.shared.security_log.note(&answered, &response);
    if let Some(problem) = &problem {
        let log = &layer.shared.failure_log;
        log.note(problem, &answered, &method);
        response = layer.shape_refusal(problem, request_id, response.headers());
    }
    layer.add_fields(response.headers_mut(), &answered);
    let elapsed = stopwatch.elapsed();
    trace::note_status(&span, response.status());
    let status = response.status();
    let door = listener.as_str();
    let seconds = elapsed.as_secs_f64();
    tracing::debug!(
        request_id,
        interaction_id = answered.interaction_id,
        trace_id = trace::read_trace_id(&span),
        door, %method, path = logged_path(uri.path()), status = status.as_u16(), seconds, "answered"
    );
    layer.count(status, route, seconds);
    response
}

impl RequestLayer {
    /// The layer of a listener. `metadata_url` is the URL of the listener's metadata.
    pub(crate) fn new(
        listener: Listener,
        metadata_url: Option<String>,
        write_refusal: WriteRefusal,
        shared: Arc<SharedLayer>,
    ) -> Self {
        let labels = RequestLabels {
            door: listener.as_str(),
            status: StatusCode::OK.as_u16(),
        };
        let answered_ok = shared.metrics.requests.get_or_create_owned(&labels);
        Self {
            listener,
            metadata_url,
            write_refusal,
            shared,
            answered_ok,
        }
    }

    /// Counts an answered request.
    fn count(&self, status: StatusCode, route: Route, seconds: f64) {
        let metrics = &self.shared.metrics;
        let door = self.listener.as_str();
        if status == StatusCode::OK {
            self.answered_ok.inc();
        } else {
            let status = status.as_u16();
            let labels = RequestLabels { door, status };
            metrics.requests.get_or_create(&labels).inc();
        }
        let labels = DurationLabels { door, route };
        let seconds_of_route = metrics.request_seconds.get_or_create(&labels);
        seconds_of_route.observe(seconds);
    }

    /// Writes a refusal in the format of this listener, with the header fields that the route set.
    fn shape_refusal(&self, problem: &Problem, request_id: &str, set: &HeaderMap) -> Response {
        let mut response = (self.write_refusal)(problem, request_id);
        for (name, value) in set {
            response.headers_mut().entry(name).or_insert(value.clone());
        }
        point_to_metadata(self.metadata_url.as_deref(), &mut response);
        response
    }

    /// Adds the header fields of every answer.
    fn add_fields(&self, headers: &mut HeaderMap, answered: &Answered<'_>) {
        // S-77: without an interaction id in the request, its own id is one, a new UUID version 4.
        let interaction_id = answered.interaction_id.unwrap_or(answered.request_id);
        for (name, id) in [
            (REQUEST_ID, answered.request_id),
            (INTERACTION_ID, interaction_id),
        ] {
            if let Ok(value) = HeaderValue::from_str(id) {
                headers.insert(name, value);
            }
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
        // Answers tell of people's homes. Key sets, metadata and descriptions set their own field.
        headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
        // Browsers ignore the field over plain HTTP (RFC 6797 section 8.1).
        if !matches!(self.listener, Listener::Ops) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
        }
        // S-14: every answer shows the limit, even to unknown callers. Pages and the ops listener have
        // none.
        if let Some(limits) = &self.shared.rate_limits
            && !matches!(self.listener, Listener::Ops | Listener::Console)
        {
            rate_limit_fields::show_untouched(limits, headers);
        }
    }
}

/// The address of the peer, which the edge put among the extensions.
fn find_address(request: &Request) -> IpAddr {
    let peer: Option<&Peer> = request.extensions().get();
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address)
}

/// Begins the request's span. Requests to the ops listener are frequent and get none.
fn begin_span(listener: Listener, request: &Request, request_id: &str) -> Span {
    if matches!(listener, Listener::Ops) {
        return Span::none();
    }
    let route = request.extensions().get::<MatchedPath>();
    trace::begin_request(&RequestParts {
        listener: listener.as_str(),
        request_id,
        method: request.method(),
        route: route.map(MatchedPath::as_str),
        headers: request.headers(),
    })
}

/// Adds the URL of the metadata to a `Bearer` challenge, so that clients learn how to get a token
/// (RFC 9728 section 5.1).
fn point_to_metadata(url: Option<&str>, response: &mut Response) {
    if response.status() != StatusCode::UNAUTHORIZED {
        return;
    }
    let headers = response.headers_mut();
    let challenge = headers.get(header::WWW_AUTHENTICATE);
    let challenge = challenge.and_then(|challenge| challenge.to_str().ok());
    if let (Some(url), Some(challenge)) = (url, challenge)
        && (challenge.starts_with("Bearer") || challenge.ends_with(", Bearer"))
    {
        let comma = if challenge.ends_with("Bearer") {
            ""
        } else {
            ","
        };
        let challenge = format!("{challenge}{comma} resource_metadata=\"{url}\"");
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
    }
}

/// The interaction id that the answer repeats (S-77): a UUID of any version with hyphens, sent once. It is no
/// error to send another text, and no such text gets into answers and logs.
fn read_interaction_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut fields = headers.get_all(INTERACTION_ID).iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return None;
    };
    let is_uuid =
        field.len() == Hyphenated::LENGTH && Uuid::try_parse_ascii(field.as_bytes()).is_ok();
    is_uuid.then(|| field.clone())
}

/// Parses a structured field of one byte sequence, `:base64 of the DER:`. Several fields count as
/// malformed, because the proxy's caller may have sent one of them.
fn read_client_certificate(headers: &HeaderMap) -> Option<Vec<u8>> {
    use base64::Engine as _;
    let mut fields = headers.get_all(CLIENT_CERTIFICATE).iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return None;
    };
    let text = field.to_str().ok()?.trim();
    let inner = text.strip_prefix(':')?.strip_suffix(':')?;
    let der = base64::engine::general_purpose::STANDARD
        .decode(inner)
        .ok()?;
    (!der.is_empty()).then_some(der)
}
