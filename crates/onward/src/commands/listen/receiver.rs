//! The receiver's socket: TLS and HTTP with limits on time and connections.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use super::answer::EventReceiver;
use crate::limits;

/// Accepts deliveries until `stop` turns true, then drains.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Arc<rustls::ServerConfig>,
    receiver: Arc<EventReceiver>,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let acceptor = TlsAcceptor::from(tls);
    let permits = Arc::new(Semaphore::new(limits::RECEIVER_CONNECTIONS_MAX));
    loop {
        // A permit comes first: beyond the limit, connections wait in the kernel.
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _stopped = stop.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, _address)) = accepted else {
            // The process has no free file descriptor, or the peer is gone already.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (acceptor, receiver, watcher) =
            (acceptor.clone(), Arc::clone(&receiver), graceful.watcher());
        tokio::spawn(async move {
            answer_connection(stream, acceptor, receiver, watcher).await;
            drop(permit);
        });
    }
    drop(listener);
    // A delivery that is cut off here gets no answer, so the service delivers it again.
    drop(tokio::time::timeout(limits::RECEIVER_DRAIN_TIMEOUT, graceful.shutdown()).await);
}

async fn answer_connection(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    receiver: Arc<EventReceiver>,
    watcher: Watcher,
) {
    drop(stream.set_nodelay(true));
    let handshake = acceptor.accept(stream);
    let shaken = tokio::time::timeout(limits::RECEIVER_HANDSHAKE_TIMEOUT, handshake).await;
    let stream = match shaken {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            let shown = client::printable(&error.to_string());
            super::notice(format_args!("a TLS handshake failed: {shown}"));
            return;
        }
        Err(_elapsed) => return,
    };
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let receiver = Arc::clone(&receiver);
        async move { Ok::<_, Infallible>(receiver.answer(request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::RECEIVER_IDLE_TIMEOUT)
        .max_buf_size(limits::EVENT_BODY_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(edge::limits::HTTP2_STREAMS_MAX)
        .max_header_list_size(edge::limits::HTTP2_HEADER_BYTES_MAX)
        .keep_alive_interval(Some(edge::limits::HTTP2_PROBE_INTERVAL))
        .keep_alive_timeout(edge::limits::HTTP2_PROBE_TIMEOUT);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // A peer that hangs up early is no error.
    drop(watcher.watch(connection.into_owned()).await);
}
