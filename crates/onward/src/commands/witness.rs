//! `onward witness`: cosigns the checkpoints of logs (C2SP tlog-witness).

mod routes;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ::witness::{Directory, Fault, Witness};
use clap::Args;
use client::sandbox::read_file;
use edge::connection::peers::Peers;
use edge::connection::{self, Endpoint, EndpointTls};
use edge::tls::live::{self, LiveTls};
use edge::tls::{ClientCertificate, ExtendedKeyUsage, TlsPaths};
use edge::{Edge, EdgeSettings, FailedAccepts, FailedHandshakes, SpareFiles};
use log::note::{KeyKind, VerifierKey};
use log::policy::{MAX_POLICY_BYTES, Policy};
use observe::clock::Clock;
use observe::telemetry::{self, LogFormat, TelemetrySettings};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

use super::{Failure, Output, say};
use crate::limits;
use crate::sandbox::{OwnWitness, WITNESS_NAME};
use crate::signals::StopSignals;

/// Cosigns the checkpoints of logs (C2SP tlog-witness), until a signal stops it. It prints the line that names
/// it in a policy.
#[derive(Args, Debug)]
pub struct WitnessArgs {
    /// The directory of the witness's key and of the checkpoints that it cosigned last; made if it is missing.
    /// Never replace it by an older copy.
    #[arg(long, value_name = "DIR")]
    directory: PathBuf,

    /// The address and the port to listen on; port 0 for any free one.
    #[arg(long, value_name = "IP:PORT")]
    listen: SocketAddr,

    /// The name of the witness, such as `witness.example/w1`. It is part of the key and never changes.
    #[arg(long, value_name = "NAME")]
    name: String,

    /// The address at which logs reach the witness [default: the one that it listens on]
    #[arg(long, value_name = "URL")]
    url: Option<Url>,

    /// The certificate to listen with, PEM. Without it the witness speaks plain HTTP.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,

    /// The private key of that certificate, PEM.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,

    /// Listens with plain HTTP on other addresses than loopback: a proxy in front of it has TLS.
    #[arg(long, conflicts_with = "certificate")]
    behind_proxy: bool,

    /// The public key of a log, `NAME+ID+KEY`; several may follow.
    #[arg(
        long,
        value_name = "VKEY",
        num_args = 1..,
        value_parser = parse_log,
        conflicts_with = "policy",
        required_unless_present = "policy"
    )]
    log: Vec<VerifierKey>,

    /// The policy that has the logs, instead of `--log`. Its other lines count for nothing.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

impl WitnessArgs {
    fn check(&self) -> Result<(), Failure> {
        let is_open = !self.listen.ip().is_loopback();
        if is_open && self.certificate.is_none() && !self.behind_proxy {
            return Err(Failure::unusable(
                "plain HTTP is for loopback addresses: use --certificate and --key, or --behind-proxy if a \
                 proxy in front of the witness has TLS",
            ));
        }
        if is_open && self.url.is_none() {
            return Err(Failure::unusable(
                "--url is missing: say at which address logs reach the witness",
            ));
        }
        Ok(())
    }

    fn logs(&self) -> Result<Vec<VerifierKey>, Failure> {
        let Some(path) = &self.policy else {
            return Ok(self.log.clone());
        };
        let limit = u64::try_from(MAX_POLICY_BYTES).unwrap_or(u64::MAX);
        let bytes = read_file(path, limit).map_err(Failure::unusable)?;
        let shown = path.display();
        let text = String::from_utf8(bytes).map_err(|_| "it must be UTF-8".to_owned());
        let policy = text.and_then(|text| Policy::parse(&text).map_err(|error| error.to_string()));
        let policy = policy.map_err(|error| Failure::unusable(format!("{shown}: {error}")))?;
        if policy.logs().is_empty() {
            return Err(Failure::unusable(format!("{shown} names no log")));
        }
        let logs = policy.logs().iter().map(|log| log.key.clone());
        Ok(logs.collect())
    }

    fn open(&self) -> Result<Witness, Failure> {
        let logs = self.logs()?;
        let directory = Directory::hold(&self.directory).map_err(failed)?;
        let key = directory.key(&self.name).map_err(failed)?;
        Witness::open(directory, key, logs).map_err(failed)
    }

    /// The bounds of connections, as the nodes of Onward have them.
    fn edge(&self) -> Edge {
        let path = |file: Option<&PathBuf>| {
            let path = file.map(|file| file.to_string_lossy().into_owned());
            path.unwrap_or_default()
        };
        let host = self.url.as_ref().and_then(Url::host_str);
        let settings = EdgeSettings {
            handshake_timeout: limits::WITNESS_TIMEOUT,
            header_timeout: limits::WITNESS_TIMEOUT,
            idle_timeout: limits::WITNESS_IDLE_TIMEOUT,
            body_timeout: limits::WITNESS_TIMEOUT,
            answer_timeout: limits::WITNESS_TIMEOUT,
            certificate_check_interval: limits::WITNESS_CERTIFICATE_INTERVAL,
            hosts: host
                .map(|host| ("--url", host.to_owned()))
                .into_iter()
                .collect(),
            tls: TlsPaths {
                certificate: path(self.certificate.as_ref()),
                private_key: path(self.key.as_ref()),
                client_ca: None,
                client_crl: String::new(),
                client_usage: ExtendedKeyUsage::Required,
            },
        };
        Edge {
            clock: Clock::System,
            metrics: Arc::default(),
            failed_handshakes: FailedHandshakes::default(),
            failed_accepts: FailedAccepts::default(),
            spare_files: SpareFiles::open(),
            drain: Arc::default(),
            settings,
        }
    }
}

/// Runs `onward witness`.
///
/// # Errors
/// [`Failure`] if the witness cannot start.
pub async fn run(args: WitnessArgs) -> Result<(), Failure> {
    let settings = TelemetrySettings {
        filter: "info".to_owned(),
        format: LogFormat::Text,
        trace_endpoint: "",
    };
    let telemetry = telemetry::begin(&settings).map_err(Failure::unusable)?;
    let ran = serve(args).await;
    telemetry.end().await;
    ran
}

async fn serve(args: WitnessArgs) -> Result<(), Failure> {
    args.check()?;
    let signals = StopSignals::catch().map_err(Failure::new)?;
    let witness = args.open()?;
    let edge = Arc::new(args.edge());
    let tls = open_tls(&args, &edge)?;
    let bound = |error: io::Error| {
        let address = args.listen;
        Failure::new(format!("cannot listen on {address}: {error}"))
    };
    let listener = TcpListener::bind(args.listen).await.map_err(bound)?;
    let address = listener.local_addr().map_err(bound)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = args.url.as_ref().map(Url::to_string);
    let url = url.unwrap_or_else(|| format!("{scheme}://{address}"));
    let (name, key, url) = (&args.name, witness.verifier(), url.trim_end_matches('/'));
    let line = format!("witness {name} {key} {url}");

    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    if let Some(tls) = &tls {
        let (edge, tls) = (Arc::clone(&edge), Arc::clone(tls));
        let watching = live::watch_endings(Arc::clone(&edge), Arc::clone(&tls), stopped.clone());
        tasks.spawn(watching);
        tasks.spawn(live::watch_files(edge, tls, stopped.clone()));
    }
    let endpoint = new_endpoint(listener, tls, routes::router(Arc::new(witness)));
    tasks.spawn(connection::serve(endpoint, edge, stopped));
    say(&mut Output(io::stdout()), line);
    signals.wait().await;
    stop.send_replace(true);
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// Starts a sandbox's own witness of these logs, in this process, until `stopped` turns true.
pub(super) fn start_own(
    own: &OwnWitness,
    log: Vec<VerifierKey>,
    stopped: watch::Receiver<bool>,
) -> Result<JoinHandle<()>, Failure> {
    let listener = own.listener.try_clone().map_err(Failure::new)?;
    let listener = TcpListener::from_std(listener).map_err(Failure::new)?;
    let args = WitnessArgs {
        directory: own.directory.clone(),
        listen: listener.local_addr().map_err(Failure::new)?,
        name: WITNESS_NAME.to_owned(),
        url: None,
        certificate: None,
        key: None,
        behind_proxy: false,
        log,
        policy: None,
    };
    let router = routes::router(Arc::new(args.open()?));
    let endpoint = new_endpoint(listener, None, router);
    let serving = connection::serve(endpoint, Arc::new(args.edge()), stopped);
    Ok(tokio::spawn(serving))
}

fn new_endpoint(
    listener: TcpListener,
    tls: Option<Arc<LiveTls>>,
    router: axum::Router,
) -> Endpoint {
    // Without TLS, all callers have the address of the proxy.
    let of_address = match tls {
        Some(_) => limits::WITNESS_CONNECTIONS_PER_ADDRESS_MAX,
        None => 0,
    };
    Endpoint {
        listener,
        tls: tls.map(|live| EndpointTls {
            live,
            client_certificate: ClientCertificate::NotRequested,
        }),
        router,
        permits: Arc::new(Semaphore::new(limits::WITNESS_CONNECTIONS_MAX)),
        peers: Arc::new(Peers::new(of_address, Vec::new())),
        uses_spare_files: false,
    }
}

/// The settings of TLS. `None`: plain HTTP.
fn open_tls(args: &WitnessArgs, edge: &Edge) -> Result<Option<Arc<LiveTls>>, Failure> {
    if args.certificate.is_none() {
        return Ok(None);
    }
    let tls = LiveTls::open(&edge.settings, Clock::System.now_seconds());
    let tls = tls.map_err(Failure::unusable)?;
    match tls.faults().certificates.first() {
        Some(fault) => Err(Failure::unusable(fault)),
        None => Ok(Some(Arc::new(tls))),
    }
}

/// A process that holds the directory may end. Everything else needs somebody.
fn failed(fault: Fault) -> Failure {
    match fault {
        Fault::Held(_) => Failure::new(fault),
        Fault::File { .. } | Fault::Clock(_) | Fault::Key(_) | Fault::Signing(_) => {
            Failure::unusable(fault)
        }
    }
}

fn parse_log(text: &str) -> Result<VerifierKey, String> {
    let key = VerifierKey::parse(text).map_err(|error| error.to_string())?;
    match key.kind() {
        KeyKind::Log => Ok(key),
        KeyKind::Witness => Err("it is the key of a witness, not of a log".to_owned()),
    }
}
