//! Accepting connections: TLS, bounds of time and number, draining.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use signing::certificate::Thumbprint;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::access::Peer;
use crate::app::App;
use crate::limits;

/// One address that is being served.
#[derive(Debug)]
pub struct OpenDoor {
    /// Its socket.
    pub listener: TcpListener,
    /// Its TLS settings; without, plain HTTP.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Its routes.
    pub router: Router,
}

/// Accepts connections until `stop` turns true, then lets open requests end.
pub async fn serve(
    door: OpenDoor,
    app: Arc<App>,
    permits: Arc<Semaphore>,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    loop {
        // A permit first: past the limit, connections wait in the kernel.
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let accepted = tokio::select! {
            accepted = door.listener.accept() => accepted,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or the peer is gone already.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = Connection {
            app: Arc::clone(&app),
            tls: door.tls.clone(),
            router: door.router.clone(),
            address,
        };
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            connection.app.metrics.connections.inc();
            let app = Arc::clone(&connection.app);
            connection.run(stream, watcher).await;
            app.metrics.connections.dec();
            drop(permit);
        });
    }
    drop(door.listener);
    if tokio::time::timeout(limits::DRAIN_TIMEOUT, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not end in time and were cut off");
    }
}

struct Connection {
    app: Arc<App>,
    tls: Option<Arc<rustls::ServerConfig>>,
    router: Router,
    address: SocketAddr,
}

type Watcher = hyper_util::server::graceful::Watcher;

impl Connection {
    async fn run(self, stream: TcpStream, watcher: Watcher) {
        drop(stream.set_nodelay(true));
        let Some(tls) = self.tls.clone() else {
            self.answer_requests(stream, None, watcher).await;
            return;
        };
        let handshake = TlsAcceptor::from(tls).accept(stream);
        let shaken = tokio::time::timeout(limits::HANDSHAKE_TIMEOUT, handshake).await;
        let Ok(Ok(stream)) = shaken else {
            self.app.metrics.handshakes_failed.inc();
            tracing::debug!(address = %self.address, "a TLS handshake failed");
            return;
        };
        // RFC 8705 section 3.1: the thumbprint of the certificate that this
        // connection's handshake verified; computed once for all its requests.
        let certificate = stream
            .get_ref()
            .1
            .peer_certificates()
            .and_then(<[_]>::first)
            .map(|certificate| Thumbprint::of_der(certificate.as_ref()));
        self.answer_requests(stream, certificate, watcher).await;
    }

    async fn answer_requests<S>(self, stream: S, certificate: Option<Thumbprint>, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let peer = Peer {
            address: self.address.ip().to_canonical(),
            certificate,
        };
        let router = self.router;
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request)
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(limits::HEADER_READ_TIMEOUT)
            .max_buf_size(limits::HEADER_BYTES_MAX.max(64 * 1024));
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(limits::HTTP2_STREAMS_MAX)
            .max_header_list_size(32 * 1024)
            .keep_alive_interval(Some(std::time::Duration::from_secs(30)))
            .keep_alive_timeout(std::time::Duration::from_secs(20));
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        if let Err(error) = watcher.watch(connection.into_owned()).await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}
