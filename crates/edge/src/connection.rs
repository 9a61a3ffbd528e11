//! Accepts connections: TLS, bounds of time and number, draining.

mod paced;
mod parser_refusal;
pub mod peers;
pub mod slow_body;
mod streams;
pub mod unproven_bodies;
mod unread;

use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use http::{HeaderValue, Request, header};
use hyper::body::{Body as _, Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulConnection;
use signing::certificate::PeerCertificate;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use self::paced::{Pace, Paced};
use self::peers::Peers;
use self::slow_body::TimedBody;
use self::streams::{PiecedBody, Streams};
use crate::peer::Peer;
use crate::tls::ClientCertificate;
use crate::tls::live::{LiveTls, VerifiedCertificate};
use crate::{Edge, EdgeSettings, limits};

/// One listener with everything that serves it.
#[derive(Debug)]
pub struct Endpoint {
    /// Its socket.
    pub listener: TcpListener,
    /// Its TLS settings; `None`: plain HTTP.
    pub tls: Option<EndpointTls>,
    /// Its routes.
    pub router: Router,
    /// Bounds the open connections. Several listeners may share the permits.
    pub permits: Arc<Semaphore>,
    /// Bounds the open connections of each peer address.
    pub peers: Arc<Peers>,
    /// Whether its connections may use the spare files when no other file can be opened.
    pub uses_spare_files: bool,
}

/// The TLS settings of one listener.
#[derive(Debug, Clone)]
pub struct EndpointTls {
    /// The current settings of all listeners.
    pub live: Arc<LiveTls>,
    /// Whether this listener requests a client certificate.
    pub client_certificate: ClientCertificate,
}

/// Accepts connections until `stop` turns true, then lets open requests end.
pub async fn serve(endpoint: Endpoint, edge: Arc<Edge>, mut stop: watch::Receiver<bool>) {
    // Each connection holds a receiver until it has ended.
    let drain = watch::Sender::new(());
    loop {
        let accepted = tokio::select! {
            accepted = endpoint.listener.accept() => accepted,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // No file descriptor is free, or the peer has closed the connection.
                let listener = endpoint.listener.local_addr();
                edge.failed_accepts.note(listener, &error);
                if !endpoint.uses_spare_files || !edge.spare_files.give_up() {
                    tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                    edge.spare_files.refill();
                }
                continue;
            }
        };
        if endpoint.uses_spare_files {
            edge.spare_files.refill();
        }
        let Some(peer_place) = endpoint.peers.admit(address.ip()) else {
            edge.metrics.connections_refused.inc();
            tracing::debug!(%address, "a connection was refused: its address has too many");
            continue;
        };
        // Without a free permit this connection waits here, and later ones wait in the kernel.
        let permit = tokio::select! {
            permit = Arc::clone(&endpoint.permits).acquire_owned() => permit,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let connection = Connection {
            edge: Arc::clone(&edge),
            tls: endpoint.tls.clone(),
            router: endpoint.router.clone(),
            address,
        };
        let draining = drain.subscribe();
        tokio::spawn(async move {
            connection.edge.metrics.connections.inc();
            let edge = Arc::clone(&connection.edge);
            connection.run(stream, draining).await;
            edge.metrics.connections.dec();
            drop((permit, peer_place));
        });
    }
    drop(endpoint.listener);
    drain.send_replace(());
    if tokio::time::timeout(limits::DRAIN_TIMEOUT, drain.closed())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not end in time and were cut off");
    }
}

struct Connection {
    edge: Arc<Edge>,
    tls: Option<EndpointTls>,
    router: Router,
    address: SocketAddr,
}

/// The result of a handshake, for all requests of the connection.
#[derive(Debug)]
struct Handshake {
    /// The certificate that the handshake verified (RFC 8705 section 3.1), and the state of its
    /// verification.
    certificate: Option<(PeerCertificate, VerifiedCertificate)>,
    is_http2: bool,
}

impl Connection {
    async fn run(self, stream: TcpStream, draining: watch::Receiver<()>) {
        drop(stream.set_nodelay(true));
        let Some(tls) = self.tls.clone() else {
            let handshake = Handshake {
                certificate: None,
                is_http2: false,
            };
            self.answer_requests(stream, handshake, draining).await;
            return;
        };
        let (settings, revision) = tls.live.current();
        let acceptor = TlsAcceptor::from(settings.server(tls.client_certificate));
        let limit = self.edge.settings.handshake_timeout;
        let accepting = tokio::time::timeout(limit, acceptor.accept(stream)).await;
        let accepted = accepting.unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()));
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                self.edge
                    .failed_handshakes
                    .note(&self.edge.metrics, self.address, &error);
                return;
            }
        };
        let session = stream.get_ref().1;
        let chain = session.peer_certificates().unwrap_or_default();
        let certificate = chain.split_first().map(|(leaf, intermediates)| {
            let now = self.edge.clock.now_seconds();
            let shown = VerifiedCertificate::new(Arc::clone(&tls.live), chain, revision, now);
            let intermediates = intermediates.iter().map(AsRef::as_ref);
            (
                PeerCertificate::of_chain(leaf.as_ref(), intermediates),
                shown,
            )
        });
        let handshake = Handshake {
            certificate,
            is_http2: session.alpn_protocol() == Some(b"h2"),
        };
        self.answer_requests(stream, handshake, draining).await;
    }

    async fn answer_requests<S>(
        self,
        stream: S,
        handshake: Handshake,
        draining: watch::Receiver<()>,
    ) where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let settings = &self.edge.settings;
        let (body_timeout, idle_timeout) = (settings.body_timeout, settings.idle_timeout);
        let is_http2 = handshake.is_http2;
        let streams = Streams::new(settings.answer_timeout);
        let builder = protocols(settings, streams.clone(), is_http2);
        let pace = Pace::new(settings, is_http2);
        let stream = TokioIo::new(Paced::new(stream, pace.clone()));
        let address = self.address.ip().to_canonical();
        let leaving = streams.clone();
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            pace.begin_answer();
            let certificate = handshake.valid_certificate(&self.edge);
            let timed = request.map(|body| TimedBody::new(body, body_timeout));
            let (lent, rest) = unread::lend(timed);
            let mut request = lent.map(axum::body::Body::new);
            let peer = Peer {
                address,
                certificate,
            };
            request.extensions_mut().insert(peer);
            let (router, pace) = (self.router.clone(), pace.clone());
            let (edge, leaving) = (Arc::clone(&self.edge), leaving.clone());
            async move {
                let mut answer = router.oneshot(request).await?;
                let is_read = rest.read().await;
                pace.end_answer(is_read);
                let is_long = answer.body().size_hint().lower() > limits::SHORT_ANSWER_BYTES;
                if is_http2 || is_long {
                    answer = answer.map(|body| axum::body::Body::new(PiecedBody::new(body)));
                }
                let is_closing = edge.drain.is_closing();
                // HTTP/2 announces the end of a connection with GOAWAY (RFC 9113 section 6.8).
                if is_http2 && is_closing {
                    leaving.send_away();
                }
                // With this field no caller sends a request that nobody reads (RFC 9112 section
                // 9.6).
                if !is_http2 && (is_closing || !is_read) {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(header::CONNECTION, close);
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = builder.serve_connection(stream, service).into_owned();
        if is_http2 {
            streams.serve(connection, draining, idle_timeout).await;
        } else {
            // hyper bounds the idle time between requests, and `Paced` the time before the first.
            serve_http1(connection, draining).await;
        }
    }
}

impl Handshake {
    /// Returns the certificate if it is still valid.
    fn valid_certificate(&self, edge: &Edge) -> Option<PeerCertificate> {
        let (certificate, shown) = self.certificate.as_ref()?;
        let is_valid = shown.is_still_valid(edge.clock.now_seconds());
        is_valid.then(|| certificate.clone())
    }
}

async fn serve_http1<C>(connection: C, mut draining: watch::Receiver<()>)
where
    C: GracefulConnection<Error: Display>,
{
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _drained = draining.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    note_end(ended);
}

fn note_end<E: Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The bounds of both versions of HTTP.
fn protocols(settings: &EdgeSettings, streams: Streams, is_http2: bool) -> auto::Builder<Streams> {
    let mut builder = auto::Builder::new(streams);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.idle_timeout)
        .max_buf_size(limits::HTTP1_BUFFER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits::HTTP2_STREAMS_MAX)
        .max_header_list_size(limits::HTTP2_HEADER_BYTES_MAX)
        .keep_alive_interval(Some(limits::HTTP2_PROBE_INTERVAL))
        .keep_alive_timeout(limits::HTTP2_PROBE_TIMEOUT);
    // Only the version of the handshake is served (RFC 9113 section 3.2), because the bounds of the
    // other would not apply.
    if is_http2 {
        builder.http2_only()
    } else {
        builder.http1_only()
    }
}
