//! Connections over mutual TLS, and kept-alive HTTP/1.1 connections.

use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    /// Connects and completes the TLS handshake.
    pub(crate) async fn open(address: SocketAddr, tls: Arc<rustls::ClientConfig>) -> Self {
        Self::open_from(1, address, tls).await
    }

    /// Connects from `127.0.0.{last}` and completes the TLS handshake.
    pub(crate) async fn open_from(
        last: u8,
        address: SocketAddr,
        tls: Arc<rustls::ClientConfig>,
    ) -> Self {
        let stream = shake_hands(last, address, &tls).await.unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Self { sender }
    }

    /// Queries one property and checks that the answer is 200.
    pub(crate) async fn query(&mut self, token: &str, uprn: u64) {
        let (status, body) = self.ask(token, uprn).await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    }

    /// Queries one property and returns status and body.
    pub(crate) async fn ask(&mut self, token: &str, uprn: u64) -> (u16, Bytes) {
        self.ask_form(token, format!("inputType=uprn&value%5B%5D={uprn}"))
            .await
    }

    /// Sends a query with this form and returns status and body.
    pub(crate) async fn ask_form(&mut self, token: &str, form: String) -> (u16, Bytes) {
        let request = Request::post("/api/v1/standard/chains")
            .header("host", "localhost")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::new(Bytes::from(form)))
            .unwrap();
        self.send(request).await
    }

    /// Sends a request and reads the complete answer.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> (u16, Bytes) {
        self.sender.ready().await.unwrap();
        let response = self.sender.send_request(request).await.unwrap();
        let status = response.status().as_u16();
        (
            status,
            response.into_body().collect().await.unwrap().to_bytes(),
        )
    }
}

/// Connects from `127.0.0.{last}`, because real callers have different addresses.
pub(crate) async fn connect_from(last: u8, address: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 0, last], 0)))?;
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Connects from `127.0.0.{last}` and completes the TLS handshake.
pub(crate) async fn shake_hands(
    last: u8,
    address: SocketAddr,
    tls: &Arc<rustls::ClientConfig>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = connect_from(last, address).await?;
    let name = "localhost".try_into().unwrap();
    let connector = TlsConnector::from(Arc::clone(tls));
    connector.connect(name, stream).await
}
