//! How a connection is made, and when it counts as broken.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::NoTls;
use postgres::config::TargetSessionAttrs;

use super::{PostgresOptions, PostgresSession, failed};
use crate::Result;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one statement may take, import and index builds included.
const STATEMENT_TIMEOUT: &str = "60s";
/// After how long without a word the server's machine is asked whether it is still there, how
/// often again, and how many times: one that vanished without a word is noticed in 20 s.
const PROBE_AFTER: Duration = Duration::from_secs(5);
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
const PROBES: u32 = 3;
/// How long its machine may leave unacknowledged what was sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// The part of the server that says that it no longer waits for a standby. Its name is the same
/// in every language of messages.
const REPLICATION_WAIT: &str = "SyncRepWaitForLSN";

pub(super) fn connect(options: &PostgresOptions) -> Result<PostgresSession> {
    let mut config = options.config.clone();
    config
        .connect_timeout(CONNECT_TIMEOUT)
        .keepalives(true)
        .keepalives_idle(PROBE_AFTER)
        .keepalives_interval(PROBE_INTERVAL)
        .keepalives_retries(PROBES)
        .tcp_user_timeout(SEND_TIMEOUT)
        // Never a standby, to which a balancer may lead for a moment: what it knows is old, and a
        // token that was revoked would count.
        .target_session_attrs(TargetSessionAttrs::ReadWrite);
    // Generic plans: a plan made anew for each call costs more than the
    // statement itself for the small indexed reads of this program.
    let settings = format!(
        "-c plan_cache_mode=force_generic_plan -c statement_timeout={STATEMENT_TIMEOUT} \
         -c timezone=UTC"
    );
    config.options(&settings);
    config.application_name("onward");
    let is_unreplicated = Arc::new(AtomicBool::new(false));
    let noticed = Arc::clone(&is_unreplicated);
    config.notice_callback(move |notice| {
        if notice.routine() == Some(REPLICATION_WAIT) {
            noticed.store(true, Ordering::SeqCst);
        } else {
            tracing::info!("the store says: {}", notice.message());
        }
    });
    let client = match &options.tls {
        Some(tls) => config.connect(tokio_postgres_rustls::MakeRustlsConnect::new(tls.clone())),
        None => config.connect(NoTls),
    }
    .map_err(|error| failed(&error))?;
    Ok(PostgresSession {
        client,
        statements: HashMap::new(),
        hurt: None,
        is_read_only: false,
        is_unreplicated,
    })
}
