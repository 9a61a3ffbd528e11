//! Fake servers of the tests: one way to listen, to accept TLS and to answer HTTP.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use edge::tls;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use observe::clock::Clock;
use provision::authority::Authority;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Shows the certificate `name` of this folder, and speaks HTTP/1.1 only.
pub(crate) fn acceptor(folder: &Path, name: &str) -> TlsAcceptor {
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let mut config = (*tls::receiver_config(&file("pem"), &file("key")).unwrap()).clone();
    config.alpn_protocols.clear();
    TlsAcceptor::from(Arc::new(config))
}

/// The same with a new certificate of the authority in this folder.
pub(crate) fn issue_acceptor(folder: &Path, name: &str) -> TlsAcceptor {
    std::fs::create_dir_all(folder).unwrap();
    let authority = Authority::ensure(folder, Clock::System.now_seconds()).unwrap();
    authority.issue_server_certificate(folder, name).unwrap();
    acceptor(folder, name)
}

/// Listens on a free port; `converse` gets each connection. The port, and the task to abort.
pub(crate) async fn listen<F>(
    converse: impl Fn(TcpStream) -> F + Send + 'static,
) -> (u16, JoinHandle<()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        while let Ok((stream, _peer)) = listener.accept().await {
            tokio::spawn(converse(stream));
        }
    });
    (port, task)
}

/// The same with TLS; `converse` gets the connections whose handshake succeeds.
pub(crate) async fn listen_tls<F>(
    tls: TlsAcceptor,
    converse: impl Fn(TlsStream<TcpStream>) -> F + Clone + Send + 'static,
) -> (u16, JoinHandle<()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let accept = move |stream| {
        let (tls, converse) = (tls.clone(), converse.clone());
        async move {
            if let Ok(stream) = tls.accept(stream).await {
                converse(stream).await;
            }
        }
    };
    listen(accept).await
}

/// Answers the HTTP requests of one connection.
pub(crate) async fn serve<F>(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    answer: impl Fn(Parts, Bytes) -> F + Clone + Send + 'static,
) where
    F: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (parts, body) = request.into_parts();
        let answer = answer.clone();
        async move {
            let body = body.collect().await.unwrap().to_bytes();
            Ok::<_, Infallible>(answer(parts, body).await)
        }
    });
    let builder = auto::Builder::new(TokioExecutor::new());
    // The other side may end the connection at any moment.
    drop(
        builder
            .serve_connection(TokioIo::new(stream), service)
            .await,
    );
}
