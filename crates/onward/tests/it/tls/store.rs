//! The connection to PostgreSQL: encrypted to a server of the right authority, or none at all.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use server::config::Config;
use storage::Opening;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::test_server::{Database, https};

/// What a client of PostgreSQL sends first when it wants TLS.
const WANTS_TLS: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Somebody between program and database; the port, and how many bytes were read in plain text.
async fn stand_between(database: &str, tls: Option<TlsAcceptor>) -> (u16, Arc<AtomicUsize>) {
    let plain = Arc::new(AtomicUsize::new(0));
    let (_scheme, address) = database.split_once('@').unwrap();
    let address = address.split('/').next().unwrap().to_owned();
    let seen = Arc::clone(&plain);
    let pass = move |stream| pass_on(stream, address.clone(), tls.clone(), Arc::clone(&seen));
    let (port, _task) = https::listen(pass).await;
    (port, plain)
}

async fn pass_on(
    mut stream: TcpStream,
    address: String,
    tls: Option<TlsAcceptor>,
    plain: Arc<AtomicUsize>,
) {
    let mut first = [0; 8];
    stream.read_exact(&mut first).await.unwrap();
    if first != WANTS_TLS {
        plain.fetch_add(first.len(), Ordering::SeqCst);
        return;
    }
    let Some(tls) = tls else {
        stream.write_all(b"N").await.unwrap();
        let read = stream.read(&mut first).await.unwrap_or_default();
        plain.fetch_add(read, Ordering::SeqCst);
        return;
    };
    stream.write_all(b"S").await.unwrap();
    // Whoever does not trust the certificate goes away.
    if let Ok(mut stream) = tls.accept(stream).await {
        let mut server = TcpStream::connect(address).await.unwrap();
        drop(copy_bidirectional(&mut stream, &mut server).await);
    }
}

async fn open(store: String, ca_file: &Path) -> Result<i64, String> {
    let config = Config {
        store,
        store_ca_file: ca_file.display().to_string(),
        store_connections: 1,
        ..Config::of_template().unwrap()
    };
    let opening = tokio::task::spawn_blocking(move || {
        let storage = server::foundation::open_storage(&config, Opening::Create);
        let storage = storage.map_err(|error| error.to_string())?;
        let revision = storage.read_blocking(storage::registry::find_revision);
        revision.map_err(|error| error.to_string())
    });
    opening.await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_is_reached_through_tls_or_not_at_all() {
    let Some(database) = Database::create().await else {
        return;
    };
    let name = database.url.rsplit('/').next().unwrap().to_owned();
    let (ours, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tls = https::issue_acceptor(ours.path(), "server");
    drop(https::issue_acceptor(others.path(), "server"));
    let ca_file = ours.path().join("ca.pem");
    let store = |port: u16| format!("postgres://onward@localhost:{port}/{name}");

    let (port, plain) = stand_between(&database.url, Some(tls)).await;
    assert_eq!(open(store(port), &ca_file).await, Ok(1));
    let refused = open(store(port), &others.path().join("ca.pem")).await;
    let refused = refused.unwrap_err();
    assert!(refused.contains("certificate"), "{refused}");
    assert_eq!(plain.load(Ordering::SeqCst), 0);

    // A peer without TLS sees nothing of the program.
    let (port, plain) = stand_between(&database.url, None).await;
    for parameters in ["", "?sslmode=prefer", "?sslmode=disable"] {
        let refused = open(store(port) + parameters, &ca_file).await;
        let refused = refused.unwrap_err();
        assert!(refused.contains("TLS"), "{parameters}: {refused}");
    }
    assert_eq!(plain.load(Ordering::SeqCst), 0, "in plain text");
    database.remove().await;
}
