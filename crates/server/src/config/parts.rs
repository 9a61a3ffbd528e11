//! The settings of the other crates, made from the settings of the program.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use chain_queries::answer::AnswerSettings;
use edge::EdgeSettings;
use edge::tls::TlsPaths;
use listing_management::quotas::{Quotas, TOLD_LISTINGS_PER_DAY};
use observe::telemetry::TelemetrySettings;
use outbound::networks::{AllowedNetworks, NetworkError};
use state_log::witnesses::WitnessSettings;
use storage::StoreUrl;
use tokens::context::TokenSettings;
use tokens::key_source::{KeySafeSettings, KeySource};
use tokens::rate_limit::RateLimits;
use toml::Table;
use web::listener::Listener;
use webhooks::WebhookQuotas;

use super::{Config, seconds};

/// The filter `onward=LEVEL` holds for the log lines of these crates as well.
const LOGGING_CRATES: [&str; 9] = [
    "chain_queries",
    "console_routes",
    "delivery",
    "edge",
    "listing_management",
    "server",
    "state_log",
    "storage",
    "tokens",
];

impl Config {
    /// The log filter. A level for `onward` holds for every crate of the program.
    pub fn log_filter(&self) -> String {
        let mut filter = self.log.clone();
        for directive in self.log.split(',') {
            if let Some(level) = directive.trim().strip_prefix("onward=") {
                for name in LOGGING_CRATES {
                    filter.extend([",", name, "=", level]);
                }
            }
        }
        filter
    }

    /// The names of the settings that have another value in `other`.
    pub fn differing_settings(&self, other: &Self) -> Vec<String> {
        let [own, others] = [self, other].map(|one| Table::try_from(one).unwrap_or_default());
        let differing = own
            .into_iter()
            .filter(|(name, value)| others.get(name) != Some(value));
        differing.map(|(name, _value)| name).collect()
    }

    /// Where private keys are kept.
    pub fn key_safe(&self) -> KeySafeSettings<'_> {
        KeySafeSettings {
            source: if self.key_encryption_key_command.is_empty() {
                KeySource::File(&self.key_encryption_key_file)
            } else {
                KeySource::Command(&self.key_encryption_key_command)
            },
            module: &self.pkcs11_module,
            label: &self.pkcs11_token,
            pin_file: &self.pkcs11_pin_file,
        }
    }

    /// The file with the last checkpoint of the log (S-61). `None`: nobody named one for PostgreSQL.
    pub(crate) fn state_log_file(&self) -> Option<PathBuf> {
        if !self.state_log_checkpoint_file.is_empty() {
            return Some((&self.state_log_checkpoint_file).into());
        }
        self.beside_store(".checkpoint")
    }

    /// The file with the erasures (S-63). `None`: nobody named one for PostgreSQL.
    pub fn erasures_file(&self) -> Option<PathBuf> {
        if !self.erasures_file.is_empty() {
            return Some((&self.erasures_file).into());
        }
        if self.state_log_checkpoint_file.is_empty() {
            return self.beside_store(".erasures");
        }
        Some(format!("{}.erasures", self.state_log_checkpoint_file).into())
    }

    /// A file beside an SQLite store.
    fn beside_store(&self, end: &str) -> Option<PathBuf> {
        match self.store.parse() {
            Ok(StoreUrl::Sqlite(path)) => {
                let mut name = path.into_os_string();
                name.push(end);
                Some(name.into())
            }
            Ok(StoreUrl::Postgres(_)) | Err(_) => None,
        }
    }

    /// The witnesses of the log.
    ///
    /// # Errors
    /// A sentence about the line that is refused.
    pub fn witnesses(&self) -> Result<WitnessSettings, String> {
        WitnessSettings::parse(&self.state_log_witnesses, self.state_log_witness_quorum)
    }

    /// The settings of log lines and spans.
    pub fn telemetry(&self) -> TelemetrySettings<'_> {
        TelemetrySettings {
            filter: self.log_filter(),
            format: self.log_format,
            trace_endpoint: &self.trace_endpoint,
        }
    }

    /// The setting that names a listener's socket, and its value. `None` for a console without a URL.
    pub fn socket(&self, listener: Listener) -> Option<(&'static str, SocketAddr)> {
        Some(match listener {
            Listener::Base => ("listen_base", self.listen_base),
            Listener::Auth => ("listen_auth", self.listen_auth),
            Listener::Directory => ("listen_directory", self.listen_directory),
            Listener::Listing => ("listen_listing", self.listen_listing),
            Listener::Ops => ("listen_ops", self.listen_ops),
            Listener::Console if self.console_url.is_empty() => return None,
            Listener::Console => ("listen_console", self.listen_console),
        })
    }

    /// The settings of connections and TLS.
    pub fn edge(&self) -> EdgeSettings {
        EdgeSettings {
            handshake_timeout: seconds(self.handshake_timeout_seconds),
            header_timeout: seconds(self.header_timeout_seconds),
            idle_timeout: seconds(self.idle_timeout_seconds),
            body_timeout: seconds(self.body_timeout_seconds),
            answer_timeout: seconds(self.answer_timeout_seconds),
            certificate_check_interval: seconds(self.certificate_check_seconds),
            hosts: self.hosts(),
            tls: TlsPaths {
                certificate: self.certificate_file.clone(),
                private_key: self.private_key_file.clone(),
                client_ca: Some(self.client_ca_file.clone()),
                client_crl: self.client_crl_file.clone(),
                client_usage: self.client_certificate_usage,
            },
        }
    }

    /// The quotas of listing and chain management (S-65).
    pub fn quotas(&self) -> Quotas {
        let per_day = |limit: u32| self.rate_limit_enabled.then_some(i64::from(limit));
        Quotas {
            listings_per_day: per_day(self.listings_per_day),
            properties_per_day: per_day(self.properties_per_day),
            told_listings_per_day: self.rate_limit_enabled.then_some(TOLD_LISTINGS_PER_DAY),
            kept_answer_bytes: i64::from(self.kept_answers_mebibytes) * 1024 * 1024,
            sealed_bytes: NonZeroU32::new(
                self.sealed_mebibytes_per_day.saturating_mul(1024 * 1024),
            )
            .filter(|_size| self.rate_limit_enabled)
            .map(|size| Arc::new(RateLimits::per_day(size))),
        }
    }

    /// The quotas of webhook management (S-65).
    pub fn webhook_quotas(&self) -> WebhookQuotas {
        WebhookQuotas {
            subscriptions: self.subscriptions_max.into(),
            watched_uprns: self.watched_uprns_max.into(),
            replays_per_day: self
                .rate_limit_enabled
                .then_some(i64::from(self.replays_per_day)),
        }
    }

    /// The settings of signed answers.
    pub fn answers(&self) -> AnswerSettings {
        AnswerSettings {
            cache_mebibytes: self.document_cache_mebibytes,
            signature_reuse_seconds: self.signature_reuse_seconds,
        }
    }

    /// The settings of access tokens.
    pub fn tokens(&self) -> TokenSettings {
        TokenSettings {
            issuer: self.auth_url.clone(),
            audience: self.base_url.clone(),
            token_endpoint: self.urls().token_endpoint(),
            introspection_endpoint: self.urls().introspection_endpoint(),
            revocation_endpoint: self.urls().revocation_endpoint(),
            lifetime_seconds: self.token_lifetime_seconds,
        }
    }

    /// The networks of `callback_allowed_networks`.
    pub fn allowed_networks(&self) -> Result<AllowedNetworks, NetworkError> {
        AllowedNetworks::parse(self.callback_allowed_networks.iter().map(String::as_str))
    }
}
