//! Connections that send one request and then stay idle.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::client::TlsStream;

use crate::connection::shake_hands;
use crate::load::now;
use crate::process::{Node, raise_own_limit};

/// The number of idle connections.
const COUNT: usize = 10_000;
/// Connections from one address, below the server's limit.
const PER_ADDRESS: usize = 900;
/// Handshakes in progress at once.
const OPENING: usize = 64;
/// Open files other than these connections.
const OTHER_FILES: u64 = 500;
/// The time for the server to settle after the connections open or close.
const CALM: Duration = Duration::from_secs(2);

/// Idle connections, held open until dropped or closed by the server.
pub(crate) struct IdleConnections(Vec<TlsStream<TcpStream>>);

impl IdleConnections {
    /// Opens as many connections as the machine's limit of open files allows, and prints the memory
    /// that they use in the server.
    pub(crate) async fn open(node: &Node, tls: Arc<ClientConfig>) -> Self {
        let count = allowed(node);
        let address = node.base_address();
        let (before, begun) = (node.resident_kibibytes(), now());
        let mut opening = JoinSet::new();
        let mut outcomes = Vec::with_capacity(count);
        for number in 0..count {
            if opening.len() >= OPENING {
                outcomes.extend(opening.join_next().await.unwrap());
            }
            let tls = Arc::clone(&tls);
            let from = u8::try_from(2 + number / PER_ADDRESS).unwrap();
            opening.spawn(async move { ask_once(from, address, &tls).await });
        }
        outcomes.extend(opening.join_all().await);
        let held: Vec<_> = outcomes.into_iter().filter_map(Result::ok).collect();
        println!(
            "{} idle TLS connections opened in {:.1} s, {} failed",
            held.len(),
            begun.elapsed().as_secs_f64(),
            count - held.len()
        );
        sleep(CALM).await;
        let grown = node.resident_kibibytes().saturating_sub(before) as f64;
        println!(
            "  {} open files, {:.1} MiB more memory, {:.1} KiB a connection",
            node.open_files(),
            grown / 1024.0,
            grown / held.len().max(1) as f64
        );
        Self(held)
    }

    /// Closes the connections and prints how many files the server still has open.
    pub(crate) async fn close(self, node: &Node) {
        drop(self.0);
        sleep(CALM).await;
        println!("  closed: {} open files", node.open_files());
    }
}

fn allowed(node: &Node) -> usize {
    let wanted = COUNT as u64 + OTHER_FILES;
    let granted = raise_own_limit(wanted).min(node.raise_limit(wanted));
    if granted >= wanted {
        return COUNT;
    }
    println!("this machine allows {granted} open files of the {wanted} that are needed");
    usize::try_from(granted.saturating_sub(OTHER_FILES)).unwrap()
}

async fn ask_once(
    from: u8,
    address: SocketAddr,
    tls: &Arc<ClientConfig>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut stream = shake_hands(from, address, tls).await?;
    stream
        .write_all(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await?;
    let mut part = [0; 4096];
    let count = stream.read(&mut part).await?;
    if part[..count].starts_with(b"HTTP/1.1 404 ") {
        Ok(stream)
    } else {
        Err(std::io::ErrorKind::InvalidData.into())
    }
}
