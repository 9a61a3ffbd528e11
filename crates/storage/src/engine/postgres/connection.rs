//! Connecting to the primary server, and noticing when it is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::DbError;

use super::PostgresOptions;
use super::PostgresSession;
use super::client::{Client, StepError};

const CONNECT_DEADLINE: Duration = Duration::from_secs(5);
/// How long one of several addresses may take.
const CONNECT_ADDRESS_DEADLINE: Duration = Duration::from_secs(2);
/// How much later than the server Onward gives a statement up.
const GRACE: Duration = Duration::from_secs(1);
/// How long the server lets a transaction wait for its next statement. None of this program's waits for
/// anything outside the store, so only a frozen node or machine waits this long. Its locks would stop others.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Options of each connection. Generic plans, because planning each call costs more than the small
/// indexed reads of this program.
const SETTINGS: &str = "-c plan_cache_mode=force_generic_plan -c timezone=UTC";
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

/// Connects. The server ends a statement after `deadline`.
pub(super) fn connect(
    options: &PostgresOptions,
    deadline: Duration,
) -> Result<PostgresSession, StepError> {
    let is_unreplicated = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_unreplicated);
    let client = Client::connect(
        &configure(&options.config, deadline),
        options.tls.as_ref(),
        Box::new(move |notice| log_notice(notice, &flag)),
        CONNECT_DEADLINE,
        deadline + GRACE,
    )?;
    Ok(PostgresSession {
        client,
        statements: HashMap::new(),
        failure: None,
        exclusive_turns: 0,
        is_read_only: false,
        is_unreplicated,
        counted: None,
    })
}

fn configure(config: &Config, deadline: Duration) -> Config {
    let mut config = config.clone();
    config
        .connect_timeout(CONNECT_ADDRESS_DEADLINE)
        .keepalives(true)
        .keepalives_idle(PROBE_AFTER)
        .keepalives_interval(PROBE_INTERVAL)
        .keepalives_retries(PROBES)
        .tcp_user_timeout(SEND_TIMEOUT)
        // A load balancer may lead to a standby for a moment. Its data is old, and would accept a
        // revoked token.
        .target_session_attrs(TargetSessionAttrs::ReadWrite)
        .options(format!(
            "{SETTINGS} -c statement_timeout={} -c idle_in_transaction_session_timeout={}",
            deadline.as_millis(),
            IDLE_TIMEOUT.as_millis()
        ))
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
