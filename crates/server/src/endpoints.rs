//! The sockets of all listeners, each with its routes, its TLS and its bounds.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::{Router, middleware};
use edge::connection::peers::Peers;
use edge::connection::{Endpoint, EndpointTls};
use edge::limits;
use edge::tls::ClientCertificate;
use edge::tls::live::LiveTls;
use oauth::wire::metadata::ProtectedResource;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use web::listener::Listener;

use crate::config::Config;
use crate::failure_log::FailureLog;
use crate::limits::FILES_RESERVED;
use crate::metrics::Metrics;
use crate::process_metrics::allowed_files;
use crate::request_layer::{self, RequestLayer, SharedLayer};
use crate::router::{self, Contexts, refusal_format};
use crate::security_log::SecurityLog;
use crate::start_error::StartError;

/// Opens the sockets of all listeners.
pub(crate) async fn open_endpoints(
    contexts: &Contexts,
    tls: &Arc<LiveTls>,
    metrics: &Arc<Metrics>,
) -> Result<(Vec<Endpoint>, [Option<SocketAddr>; 6]), StartError> {
    let config = &contexts.config;
    let shared = Arc::new(SharedLayer {
        trusted_proxies: config.trusted_proxies.clone(),
        client_usage: config.client_certificate_usage,
        rate_limits: contexts.tokens.rate_limits.clone(),
        metrics: Arc::clone(metrics),
        security_log: SecurityLog::new(),
        failure_log: FailureLog::new(),
        unread: Arc::default(),
        bodies: Arc::default(),
    });
    let new_peers = || {
        let exempt = config.trusted_proxies.clone();
        Arc::new(Peers::new(config.connections_per_address_max, exempt))
    };
    let (peers, permits) = (
        new_peers(),
        Arc::new(Semaphore::new(connections_max(config, allowed_files()))),
    );
    let mut addresses = [None; 6];
    let mut endpoints = Vec::with_capacity(addresses.len());
    for (index, listener) in Listener::ALL.into_iter().enumerate() {
        let Some((setting, address)) = config.socket(listener) else {
            continue;
        };
        let socket = listen(setting, address).await?;
        addresses[index] = Some(socket.local_addr().unwrap_or(address));
        // The operator's listener has its own bounds, so that it answers under full load.
        let is_private = matches!(listener, Listener::Ops);
        endpoints.push(Endpoint {
            listener: socket,
            tls: client_certificate(listener, config).map(|client_certificate| EndpointTls {
                live: Arc::clone(tls),
                client_certificate,
            }),
            router: wrapped_routes(listener, contexts, &shared),
            permits: if is_private {
                Arc::new(Semaphore::new(limits::OPS_CONNECTIONS_MAX))
            } else {
                Arc::clone(&permits)
            },
            peers: if is_private {
                new_peers()
            } else {
                Arc::clone(&peers)
            },
            uses_spare_files: is_private,
        });
    }
    Ok((endpoints, addresses))
}

/// Connections open at once on all listeners but `ops`: a process that may open few files keeps some for
/// `ops`, the store and callbacks.
fn connections_max(config: &Config, allowed_files: Option<u64>) -> usize {
    let Some(allowed) = allowed_files else {
        return config.connections_max;
    };
    let others = FILES_RESERVED.min(allowed / 2);
    let left = usize::try_from(allowed - others).unwrap_or(usize::MAX);
    left.max(1).min(config.connections_max)
}

/// The routes of a listener with the layer around them.
fn wrapped_routes(listener: Listener, contexts: &Contexts, shared: &Arc<SharedLayer>) -> Router {
    let metadata_url = ProtectedResource::url(listener, &contexts.urls);
    let format = refusal_format(listener);
    let layer = RequestLayer::new(listener, metadata_url, format, Arc::clone(shared));
    let wrap = middleware::from_fn_with_state(Arc::new(layer), request_layer::wrap);
    let routes = router::routes(listener, contexts);
    let routes = match &contexts.layer {
        Some(layer) => layer.wrap(listener, routes),
        None => routes,
    };
    routes.layer(wrap)
}

/// Whether the listener requests a client certificate (S-20); `None`: it has no TLS.
fn client_certificate(listener: Listener, config: &Config) -> Option<ClientCertificate> {
    match listener {
        Listener::Base | Listener::Auth | Listener::Listing => Some(ClientCertificate::Requested),
        Listener::Directory => Some(ClientCertificate::NotRequested),
        Listener::Console => {
            let has_tls = config.console_url.starts_with("https://");
            has_tls.then_some(ClientCertificate::NotRequested)
        }
        Listener::Ops => None,
    }
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
