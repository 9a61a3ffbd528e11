//! How a PostgreSQL database is reached.

use std::net::IpAddr;

use tokio_postgres::config::Host;

use super::{OpenOptions, StoreUrl};
use crate::engine::{self, PostgresOptions};
use crate::{Result, StorageError};

const NEEDS_TLS: &str = "the database is on another machine, and the connection would have no TLS; \
     set store_ca_file to the authority of its certificate, or store_plaintext to true";

/// Whether the database is reached by a Unix socket or a loopback address.
fn is_on_this_machine(config: &tokio_postgres::Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.parse().map(|address: IpAddr| address.is_loopback());
            address.unwrap_or(name == "localhost")
        }
    };
    let mut addresses = config.get_hostaddrs().iter();
    config.get_hosts().iter().all(is_loopback) && addresses.all(IpAddr::is_loopback)
}

/// Reads the address of the database. One on another machine needs TLS, unless the options say
/// otherwise.
pub(super) fn postgres_options(
    url: &StoreUrl,
    text: &str,
    options: &OpenOptions,
) -> Result<PostgresOptions> {
    let target = url.to_string();
    let mut config: tokio_postgres::Config =
        text.parse()
            .map_err(|error: tokio_postgres::Error| StorageError::Forbidden {
                target: target.clone(),
                reason: error.to_string(),
            })?;
    if let Some(password) = &options.postgres_password {
        config.password(password);
    }
    let tls = options
        .postgres_ca_pem
        .as_deref()
        .map(|pem| engine::tls_config(pem, &target))
        .transpose()?;
    if tls.is_none() && !options.postgres_plaintext && !is_on_this_machine(&config) {
        return Err(StorageError::Forbidden {
            target,
            reason: NEEDS_TLS.to_owned(),
        });
    }
    if tls.is_some() {
        // Otherwise an attacker could answer that the server has no TLS.
        config.ssl_mode(tokio_postgres::config::SslMode::Require);
    }
    Ok(PostgresOptions {
        config,
        tls,
        target,
        connections: options.connections,
        long_statements: options.long_statements,
    })
}
