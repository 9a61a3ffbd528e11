//! The whole server: opened from settings, served, stopped.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::middleware;
use observe::clock::Clock;
use outbound::client::{OutboundClient, OutboundError, OutboundSettings};
use outbound::networks::NetworkError;
use storage::{OpenOptions, Opening, Storage, StorageError, StoreUrl};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::app::App;
use crate::config::{Config, seconds};
use crate::context;
use crate::delivery::dispatcher;
use crate::door::peers::Peers;
use crate::door::{self, DoorTls, OpenDoor};
use crate::housekeeping;
use crate::keys::{self, KeyError};
use crate::limits;
use crate::listener::Listener;
use crate::registry::Registry;
use crate::router;
use crate::tls::live::{self, Asked, LiveTls};
use crate::tls::{ClientCertificate, TlsError};

/// Why the server does not start, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Events cannot be sent.
    #[error(transparent)]
    OutboundClient(#[from] OutboundError),
    /// A network that callbacks may lie in is none.
    #[error("callback_allowed_networks: {0}")]
    Network(#[from] NetworkError),
    /// The certificate authority of the database cannot be read.
    #[error("cannot read store_ca_file {0}: {1}")]
    StoreCa(String, String),
    /// The machine gives no more threads.
    #[error("cannot start the threads that sign: {0}")]
    Threads(std::io::Error),
    /// An address cannot be listened on.
    #[error("cannot listen on {address} ({setting}): {reason}")]
    Listen {
        /// The setting that names it.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why not.
        reason: String,
    },
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    /// What it shares among its requests.
    pub app: Arc<App>,
    /// The sockets it really has, in the order of [`Listener`].
    pub addresses: [SocketAddr; 5],
    tls: Arc<LiveTls>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// The signal that asks the program to read its certificates again: SIGHUP.
#[derive(Debug)]
pub struct ReloadSignal(Signal);

/// The signals that ask the program to stop: SIGINT and SIGTERM.
#[derive(Debug)]
pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

/// Who asked the program to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// A person at a terminal, who waits for it.
    Interrupt,
    /// Whatever runs the program.
    Terminate,
}

/// Opens the store that the settings name. Blocks.
pub fn open_storage(config: &Config, opening: Opening) -> Result<Storage, StartError> {
    let url: StoreUrl = config.store.parse()?;
    let postgres_ca_pem = if config.store_ca_file.is_empty() {
        None
    } else {
        let read = std::fs::read(&config.store_ca_file);
        let path = || config.store_ca_file.clone();
        Some(read.map_err(|error| StartError::StoreCa(path(), error.to_string()))?)
    };
    let options = OpenOptions {
        opening,
        connections: config.store_connections,
        postgres_ca_pem,
    };
    Ok(Storage::open(&url, &options)?)
}

/// Opens store and keys. Blocks.
pub fn open_app(config: Config, clock: Clock, opening: Opening) -> Result<Arc<App>, StartError> {
    // What can be wrong without the store is found before the store is upgraded.
    let sealing = keys::read_key_encryption_key(&config.key_encryption_key_file)?;
    let outbound = OutboundClient::open(outbound_settings(&config)?)?;
    let storage = open_storage(&config, opening)?;
    let registry = Registry::open(storage.clone(), sealing)?;
    App::start(config, clock, storage, registry, outbound).map_err(StartError::Threads)
}

fn outbound_settings(config: &Config) -> Result<OutboundSettings, StartError> {
    let ca_file = (!config.callback_ca_file.is_empty()).then(|| (&config.callback_ca_file).into());
    Ok(OutboundSettings {
        allowed: config.allowed_networks()?,
        ca_files: ca_file.into_iter().collect(),
        ..OutboundSettings::default()
    })
}

impl Server {
    /// Opens everything and begins to serve. Either all addresses are served
    /// or none.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let opening = tokio::task::spawn_blocking(move || {
            let app = open_app(config, clock, Opening::Upgrade)?;
            let tls = LiveTls::open(&app.config)?;
            Ok::<_, StartError>((app, Arc::new(tls)))
        });
        let (app, tls) = opening.await.unwrap_or(Err(StorageError::Stopped.into()))?;
        live::note_endings(&app, &tls);
        let (doors, addresses) = open_doors(&app, &tls).await?;
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for open in doors {
            tasks.spawn(door::serve(open, Arc::clone(&app), stopped.clone()));
        }
        let watching = live::watch_files(Arc::clone(&app), Arc::clone(&tls), stopped.clone());
        tasks.spawn(watching);
        tasks.spawn(dispatcher::run(Arc::clone(&app), stopped.clone()));
        tasks.spawn(housekeeping::run(Arc::clone(&app), stopped));
        Ok(Self {
            app,
            addresses,
            tls,
            stop,
            tasks,
        })
    }

    /// Reads the certificate files again: new connections get what is in them.
    pub async fn reload_certificates(&self) {
        let (app, tls) = (Arc::clone(&self.app), Arc::clone(&self.tls));
        let reading = move || live::reload(&app, &tls, Asked::ByOperator);
        // It fails when the program ends.
        drop(tokio::task::spawn_blocking(reading).await);
    }

    /// Lets callers go to other nodes before this one stops, for `drain_seconds`: it says that it
    /// is not ready and answers all the same, because a balancer hears of it only when it asks
    /// again. In the second half it asks callers to come back on another connection.
    pub async fn leave(&self) {
        let half = seconds(self.app.config.drain_seconds) / 2;
        if half.is_zero() {
            return;
        }
        self.app.leaving.begin();
        tokio::time::sleep(half).await;
        self.app.leaving.part();
        tokio::time::sleep(half).await;
    }

    /// Accepts nothing new, lets open requests end, and closes.
    pub async fn stop(mut self) {
        // An error means that all tasks have ended already.
        let _all_ended = self.stop.send(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl StopSignals {
    /// Catches both signals from now on: before, they would end the program at
    /// once. So this comes before anybody is told that the program serves.
    pub fn catch() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the first of them.
    pub async fn wait(mut self) {
        self.next().await;
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _interrupted = self.interrupt.recv() => StopSignal::Interrupt,
            _terminated = self.terminate.recv() => StopSignal::Terminate,
        }
    }
}

impl ReloadSignal {
    /// Catches it from now on: before, it would end the program.
    pub fn catch() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// Listens on all sockets.
async fn open_doors(
    app: &Arc<App>,
    tls: &Arc<LiveTls>,
) -> Result<(Vec<OpenDoor>, [SocketAddr; 5]), StartError> {
    let config = &app.config;
    let (asked, not_asked) = (ClientCertificate::Asked, ClientCertificate::NotAsked);
    let plan = [
        (
            Listener::Base,
            "listen_base",
            config.listen_base,
            Some(asked),
        ),
        (
            Listener::Auth,
            "listen_auth",
            config.listen_auth,
            Some(asked),
        ),
        (
            Listener::Directory,
            "listen_directory",
            config.listen_directory,
            Some(not_asked),
        ),
        (
            Listener::Listing,
            "listen_listing",
            config.listen_listing,
            Some(asked),
        ),
        (Listener::Ops, "listen_ops", config.listen_ops, None),
    ];
    let peers = Arc::new(Peers::new(config));
    let permits = Arc::new(Semaphore::new(config.connections_max));
    let mut addresses = [config.listen_base; 5];
    let mut doors = Vec::with_capacity(plan.len());
    for (index, (listener, setting, address, client_certificate)) in plan.into_iter().enumerate() {
        let socket = listen(setting, address).await?;
        addresses[index] = socket.local_addr().unwrap_or(address);
        let stamp = middleware::from_fn_with_state((listener, Arc::clone(app)), context::stamp);
        // Who watches this node is answered when callers have taken all the rest.
        let is_private = matches!(listener, Listener::Ops);
        let own_permits = || Arc::new(Semaphore::new(limits::OPS_CONNECTIONS_MAX));
        doors.push(OpenDoor {
            listener: socket,
            tls: client_certificate.map(|client_certificate| DoorTls {
                live: Arc::clone(tls),
                client_certificate,
            }),
            router: router::routes(listener, Arc::clone(app)).layer(stamp),
            permits: if is_private {
                own_permits()
            } else {
                Arc::clone(&permits)
            },
            // Callers may come from the same address, behind a balancer.
            peers: if is_private {
                Arc::new(Peers::new(&app.config))
            } else {
                Arc::clone(&peers)
            },
        });
    }
    Ok((doors, addresses))
}

async fn listen(setting: &'static str, address: SocketAddr) -> Result<TcpListener, StartError> {
    let failed = |error: std::io::Error| StartError::Listen {
        setting,
        address,
        reason: if error.kind() == std::io::ErrorKind::AddrInUse {
            "another program uses this port".to_owned()
        } else {
            error.to_string()
        },
    };
    TcpListener::bind(address).await.map_err(failed)
}
