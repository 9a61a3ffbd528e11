//! Subscribers: HTTPS receivers in the benchmark's own process, so that their CPU time does not
//! count as the server's.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::load::now;
use crate::recorder::number_of;

/// How often a dripping subscriber sends one more byte of its answer.
const DRIP_INTERVAL: Duration = Duration::from_millis(200);

/// The behaviour of a subscriber.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Manner {
    /// Acknowledges each event at once.
    Healthy,
    /// Reads and never answers.
    Hanging,
    /// Sends an endless answer, byte by byte.
    Dripping,
    /// Does not listen at all.
    Dead,
}

/// An event that arrived at a healthy subscriber.
pub(crate) struct Receipt {
    pub(crate) number: u64,
    pub(crate) at: Instant,
}

/// A subscriber; dropping it stops its receiver.
pub(crate) struct Subscriber {
    pub(crate) callback_url: String,
    listening: Option<tokio::task::JoinHandle<()>>,
}

impl Subscriber {
    /// Listens on a free port.
    pub(crate) async fn open(
        manner: Manner,
        tls: Arc<rustls::ServerConfig>,
        receipts: UnboundedSender<Receipt>,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let listening = (manner != Manner::Dead).then(|| {
            let acceptor = TlsAcceptor::from(tls);
            tokio::spawn(listen(listener, acceptor, manner, receipts))
        });
        Self {
            callback_url: format!("https://localhost:{port}/events"),
            listening,
        }
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

async fn listen(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    manner: Manner,
    receipts: UnboundedSender<Receipt>,
) {
    // Dropping the set ends the connections together with the receiver.
    let mut connections = JoinSet::new();
    loop {
        let (stream, _peer) = listener.accept().await.unwrap();
        let (acceptor, receipts) = (acceptor.clone(), receipts.clone());
        connections.spawn(async move {
            drop(stream.set_nodelay(true));
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            match manner {
                Manner::Healthy => receive(stream, receipts).await,
                Manner::Hanging | Manner::Dead => read_only(stream).await,
                Manner::Dripping => drip(stream).await,
            }
        });
    }
}

async fn receive(stream: TlsStream<TcpStream>, receipts: UnboundedSender<Receipt>) {
    let receipts = &receipts;
    let service = service_fn(|request: Request<Incoming>| async move {
        if let Ok(body) = request.into_body().collect().await {
            let at = now();
            let number = read_number(&body.to_bytes());
            drop(receipts.send(Receipt { number, at }));
        }
        Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
    });
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    drop(serving.await);
}

/// The number of the event in a delivered token; its signature is not checked.
fn read_number(token: &[u8]) -> u64 {
    let payload = token.split(|byte| *byte == b'.').nth(1).unwrap();
    let payload = URL_SAFE_NO_PAD.decode(payload).unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    let text = |name: &str| claims["data"]["milestone"][name].as_str().unwrap();
    number_of(text("label"), text("date"))
}

async fn read_only(mut stream: TlsStream<TcpStream>) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

async fn drip(mut stream: TlsStream<TcpStream>) {
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer).await.is_err() {
        return;
    }
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n";
    let mut sent = stream.write_all(head).await;
    while sent.is_ok() {
        drop(stream.flush().await);
        tokio::time::sleep(DRIP_INTERVAL).await;
        sent = stream.write_all(b".").await;
    }
}
