//! Connecting to the primary server, and noticing when it is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::config::TargetSessionAttrs;
use postgres::error::DbError;
use postgres::{Config, NoTls};

use super::{PostgresOptions, PostgresSession, storage_error};
use crate::Result;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Options of each connection. The time limit of a statement also holds for imports and for
/// building an index. Generic plans, because planning each call costs more than the small indexed
/// reads of this program.
const SETTINGS: &str =
    "-c plan_cache_mode=force_generic_plan -c statement_timeout=60s -c timezone=UTC";
/// TCP probes of a silent server: after which time, at which intervals and how many. They notice
/// a machine that vanished within 20 s.
const PROBE_AFTER: Duration = Duration::from_secs(5);
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
const PROBES: u32 = 3;
/// How long sent data may stay unacknowledged.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// The server's function that warns when it stops waiting for a standby. Unlike messages, its name
/// is not translated.
const REPLICATION_WAIT: &str = "SyncRepWaitForLSN";

pub(super) fn connect(options: &PostgresOptions) -> Result<PostgresSession> {
    let mut config = configure(&options.config);
    let is_unreplicated = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_unreplicated);
    config.notice_callback(move |notice| log_notice(&notice, &flag));
    let client = match &options.tls {
        Some(tls) => config.connect(tokio_postgres_rustls::MakeRustlsConnect::new(tls.clone())),
        None => config.connect(NoTls),
    }
    .map_err(storage_error)?;
    Ok(PostgresSession {
        client,
        statements: HashMap::new(),
        failure: None,
        is_read_only: false,
        is_unreplicated,
    })
}

fn configure(config: &Config) -> Config {
    let mut config = config.clone();
    config
        .connect_timeout(CONNECT_TIMEOUT)
        .keepalives(true)
        .keepalives_idle(PROBE_AFTER)
        .keepalives_interval(PROBE_INTERVAL)
        .keepalives_retries(PROBES)
        .tcp_user_timeout(SEND_TIMEOUT)
        // A load balancer may lead to a standby for a moment. Its data is old, and would accept a
        // revoked token.
        .target_session_attrs(TargetSessionAttrs::ReadWrite)
        .options(SETTINGS)
        .application_name("onward");
    config
}

fn log_notice(notice: &DbError, is_unreplicated: &AtomicBool) {
    if notice.routine() == Some(REPLICATION_WAIT) {
        is_unreplicated.store(true, Ordering::SeqCst);
    } else {
        tracing::info!("the store says: {}", notice.message());
    }
}
