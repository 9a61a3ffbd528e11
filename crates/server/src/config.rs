//! The settings of the program, from file, environment and flags.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use chain::consent::ForeignLinks;
use edge::tls::ExtendedKeyUsage;
use observe::telemetry::LogFormat;
use serde::{Deserialize, Serialize};
use storage::StoreUrl;
use toml::Table;

pub use self::layers::{Source, Sources};

mod addresses;
mod checks;
mod framework;
mod layers;
mod parts;
pub(crate) mod path_segments;
#[cfg(test)]
mod tests;

/// The commented configuration file that `onward init` writes. It has the default of every setting.
pub const TEMPLATE: &str = include_str!("config/template.toml");

/// All settings, with the names of the configuration file. The environment variable of a setting is
/// `ONWARD_` and its name in capitals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the store is: a path, `sqlite:PATH` or `postgres://…`.
    pub store: String,
    /// Threads that read. On PostgreSQL as many further connections store results of deliveries.
    pub store_connections: usize,
    /// PEM file of the authority of PostgreSQL's certificate; empty: no TLS to it.
    pub store_ca_file: String,
    /// File with PostgreSQL's password; empty: the store's URL has it.
    pub store_password_file: String,
    /// Whether a connection to PostgreSQL without TLS may leave this machine.
    pub store_plaintext: bool,
    /// How far this machine's clock may differ from the store's time; 0: not compared.
    pub clock_difference_max_seconds: u32,
    /// File with the key-encryption key, which seals private keys in the store.
    pub key_encryption_key_file: String,
    /// Command that prints the key-encryption key instead; empty: the file has it.
    pub key_encryption_key_command: String,
    /// PKCS#11 module of the token that keeps the keys of answers and events; empty: the store does.
    pub pkcs11_module: String,
    /// The label of the token.
    pub pkcs11_token: String,
    /// File with the PIN of the token's user.
    pub pkcs11_pin_file: String,

    /// Public URL of the chain query, without a slash at its end.
    pub base_url: String,
    /// Public URL of the token endpoint's host, which is also the issuer.
    pub auth_url: String,
    /// Public URL of the key set and the directory.
    pub directory_url: String,
    /// Public URL of the listing and chain management.
    pub listing_base_url: String,
    /// Another address that publishes the key set, which documents and metadata name (S-76); empty: none.
    pub published_jwks_url: String,
    /// PEM file of authorities of that address, besides the operating system's; empty: no others.
    pub published_jwks_ca_file: String,
    /// Public URL of the console; empty: no console.
    pub console_url: String,
    /// Words that the chain query's path accepts in the place of `standard` (S-64).
    pub path_segments: Vec<String>,

    /// Socket of the chain query.
    pub listen_base: SocketAddr,
    /// Socket of the token endpoint.
    pub listen_auth: SocketAddr,
    /// Socket of the key set and the directory.
    pub listen_directory: SocketAddr,
    /// Socket of the listing and chain management.
    pub listen_listing: SocketAddr,
    /// Socket of health and metrics, without TLS: keep it private.
    pub listen_ops: SocketAddr,
    /// Socket of the console.
    pub listen_console: SocketAddr,
    /// Issuer of the OpenID provider with which people sign in to the console; empty: none.
    pub sign_in_issuer: String,
    /// The console's client id at the provider.
    pub sign_in_client_id: String,
    /// File with the console's client secret at the provider; empty: a public client.
    pub sign_in_client_secret_file: String,
    /// PEM file of authorities of the provider's certificate, besides the operating system's; empty: no others.
    pub sign_in_ca_file: String,

    /// Issuer identifier of the framework that somebody else runs; empty: none (S-67).
    pub framework_issuer: String,
    /// The framework's introspection endpoint.
    pub framework_introspection_url: String,
    /// The framework's directory of participants.
    pub framework_directory_url: String,
    /// The id of this service's organisation in that directory.
    pub framework_organisation_id: String,
    /// This service's client id at the framework.
    pub framework_client_id: String,
    /// PEM file of the certificate that this service presents to the framework's hosts.
    pub framework_certificate_file: String,
    /// PEM file of that certificate's private key.
    pub framework_certificate_key_file: String,
    /// PKCS #8 PEM file of the key that signs assertions for the framework.
    pub framework_assertion_key_file: String,
    /// The algorithm of that key.
    pub framework_assertion_alg: String,
    /// The id of that key at the framework; empty: assertions name none.
    pub framework_assertion_kid: String,
    /// PEM file of the authorities that issue the certificates of the framework's participants.
    pub framework_ca_file: String,
    /// The audience of the framework's tokens for this service; empty: `base_url`.
    pub framework_audience: String,
    /// The scopes of the framework's tokens that count.
    pub framework_scopes: Vec<String>,
    /// How long an answer about an active token is used.
    pub framework_cache_seconds: u32,
    /// How long after its last active answer a token is used while the framework's issuer is away (S-70).
    pub framework_outage_seconds: u32,

    /// PEM file of the server's certificate chain.
    pub certificate_file: String,
    /// PEM file of the server's private key.
    pub private_key_file: String,
    /// PEM file of the authorities that may issue client certificates.
    pub client_ca_file: String,
    /// PEM file of those authorities' revocation lists; empty: no list is checked.
    pub client_crl_file: String,
    /// Whether a client certificate must name its uses.
    pub client_certificate_usage: ExtendedKeyUsage,
    /// How often the four files above are checked for changes, in seconds; 0: only on SIGHUP.
    pub certificate_check_seconds: u32,
    /// Proxies that may send the `Client-Cert` field (RFC 9440).
    pub trusted_proxies: Vec<IpAddr>,

    /// Connections open at once, on all sockets together except `listen_ops`.
    pub connections_max: usize,
    /// Connections open at once from one address, or one IPv6 network of 64 bits; 0: no bound.
    pub connections_per_address_max: usize,
    /// How long a peer may take for its TLS handshake.
    pub handshake_timeout_seconds: u32,
    /// How long a peer may take for a request's header, from its first byte on.
    pub header_timeout_seconds: u32,
    /// How long a connection may stay open without a request.
    pub idle_timeout_seconds: u32,
    /// How long a peer may take for a request's body.
    pub body_timeout_seconds: u32,
    /// How long a peer may read nothing of its answer.
    pub answer_timeout_seconds: u32,
    /// How long a stopping node reports that it is not ready and still answers.
    pub drain_seconds: u32,

    /// The lifetime of an access token (S-22).
    pub token_lifetime_seconds: i64,
    /// How long a retired signing key stays published (S-28).
    pub key_retention_days: u32,
    /// How long a signature is reused for the same content (S-13); 0: never.
    pub signature_reuse_seconds: i64,
    /// Threads that sign at once; 0: one for each processor.
    pub signing_threads: usize,
    /// Memory for cached answers: half for chain documents, half for complete answers.
    pub document_cache_mebibytes: u64,

    /// Networks that callbacks may be in although they are not public (S-31), each as address and
    /// prefix.
    pub callback_allowed_networks: Vec<String>,
    /// PEM file of authorities of callbacks' certificates, besides the operating system's; empty:
    /// no others.
    pub callback_ca_file: String,
    /// Attempts that may be under way to one subscription at once (S-36).
    pub callback_concurrency: usize,
    /// How long finished deliveries and their events are kept.
    pub delivery_retention_days: u32,
    /// How long the log of accesses is kept; 0: accesses are not logged.
    pub access_log_days: u32,
    /// The file with the last checkpoint of the log, which all nodes of a store share (S-61). Empty: beside
    /// an SQLite store.
    pub state_log_checkpoint_file: String,
    /// The file with all erasures, which a restore repeats (S-63). Empty: beside the checkpoint file.
    pub erasures_file: String,
    /// The witnesses of the log, each as a line `witness NAME VKEY URL` (S-61).
    pub state_log_witnesses: Vec<String>,
    /// How many witnesses have to cosign a checkpoint for level 4 (S-62).
    pub state_log_witness_quorum: usize,
    /// PEM file of authorities of the witnesses' certificates, besides the operating system's; empty: no others.
    pub state_log_witness_ca_file: String,
    /// How long past states of chains are kept (S-63).
    pub sealed_retention_days: u32,
    /// Whether an event about a property with a current listing can be simulated (S-33).
    pub simulate_known_properties: bool,

    /// How a link to the listing of another branch comes about (S-47).
    #[serde(with = "ForeignLinksText")]
    pub foreign_links: ForeignLinks,
    /// How long a current listing may stay unwritten before another listing under offer takes its
    /// place (S-6).
    pub offer_idle_days: u32,

    /// Whether requests are limited (S-14).
    pub rate_limit_enabled: bool,
    /// Requests a second that a client may send on average.
    pub rate_limit_per_second: u32,
    /// Requests that a client may send at once.
    pub rate_limit_burst: u32,
    /// Pages of a chain that a person may load in a second on average (S-65). Others have their own cost.
    pub person_requests_per_second: u32,

    /// Listings that a branch may add in a day (S-65).
    pub listings_per_day: u32,
    /// Properties that a branch may add in a day (S-65).
    pub properties_per_day: u32,
    /// Events that a participant may simulate in a minute (S-65).
    pub simulations_per_minute: u32,
    /// Subscriptions of one participant, disabled ones included (S-65).
    pub subscriptions_max: u32,
    /// UPRNs that all subscriptions of one participant watch (S-65).
    pub watched_uprns_max: u32,
    /// UPRNs that a participant may add to its watches or remove in a minute.
    pub watch_changes_per_minute: u32,
    /// Deliveries that a participant may replay in a day (S-65).
    pub replays_per_day: u32,
    /// Memory of the answers that are kept for the `Idempotency-Key`s of one client (S-65).
    pub kept_answers_mebibytes: u32,
    /// What the changes of one client or person seal in a day, on each node (S-65).
    pub sealed_mebibytes_per_day: u32,

    /// The collector's address for spans (OTLP over HTTP); empty: no spans.
    pub trace_endpoint: String,
    /// The log level: `error`, `warn`, `info`, `debug`, or a filter by module.
    pub log: String,
    /// `text` or `json`.
    pub log_format: LogFormat,
}

/// The texts of the setting `foreign_links`. Crate `chain` knows no texts.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ForeignLinks", rename_all = "lowercase")]
enum ForeignLinksText {
    Immediate,
    Confirmed,
}

/// Why the settings cannot be used, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {reason}")]
    Unreadable {
        /// The path of the file.
        path: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The file is not valid TOML.
    #[error("the configuration file {path} is not valid TOML: {reason}")]
    Malformed {
        /// The path of the file.
        path: String,
        /// The position and the cause.
        reason: String,
    },
    /// A setting of this name does not exist.
    #[error("{origin} sets `{name}`, which is no setting{hint}")]
    Unknown {
        /// The source of the setting.
        origin: String,
        /// The name.
        name: String,
        /// A similar name, if there is one.
        hint: String,
    },
    /// The value of a setting is not allowed.
    #[error("{origin} sets `{name}` wrongly: {reason}")]
    Wrong {
        /// The source of the setting.
        origin: String,
        /// The setting.
        name: String,
        /// The values that are allowed.
        reason: String,
    },
}

impl Config {
    /// The settings of [`TEMPLATE`], which are the defaults.
    pub fn of_template() -> Result<Self, toml::de::Error> {
        toml::from_str(TEMPLATE)
    }

    /// Reads the file. The environment overrides it, and flags override both. Relative paths are
    /// relative to the file.
    pub fn load(
        path: &Path,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[String],
    ) -> Result<Self, ConfigError> {
        Ok(Self::load_with_sources(path, environment, flags)?.0)
    }

    /// As [`Config::load`]. Also returns the sources.
    pub fn load_with_sources(
        path: &Path,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[String],
    ) -> Result<(Self, Sources), ConfigError> {
        let (mut config, sources) = layers::merge(path, environment, flags)?;
        config.check_values(&sources)?;
        config.resolve_paths(path.parent().unwrap_or_else(|| Path::new("")));
        Ok((config, sources))
    }

    /// The settings as lines of TOML by name, without passwords.
    pub fn lines(&self) -> BTreeMap<String, String> {
        let mut shown = self.clone();
        shown.store = match self.store.parse::<StoreUrl>() {
            Ok(url) => url.to_string(),
            // The text may hold a password.
            Err(_unreadable) => "(not readable)".to_owned(),
        };
        let settings = Table::try_from(shown).unwrap_or_default();
        let line = |(name, value)| (String::clone(&name), format!("{name} = {value}"));
        settings.into_iter().map(line).collect()
    }

    /// The setting `offer_idle_days` in seconds.
    pub fn offer_idle_seconds(&self) -> i64 {
        i64::from(self.offer_idle_days) * 86_400
    }

    fn resolve_paths(&mut self, directory: &Path) {
        let resolve = |text: &mut String| {
            if !text.is_empty() {
                *text = directory.join(&*text).display().to_string();
            }
        };
        resolve(&mut self.store_ca_file);
        resolve(&mut self.store_password_file);
        resolve(&mut self.key_encryption_key_file);
        resolve(&mut self.state_log_checkpoint_file);
        resolve(&mut self.erasures_file);
        resolve(&mut self.state_log_witness_ca_file);
        resolve(&mut self.pkcs11_pin_file);
        resolve(&mut self.certificate_file);
        resolve(&mut self.private_key_file);
        resolve(&mut self.client_ca_file);
        resolve(&mut self.client_crl_file);
        resolve(&mut self.callback_ca_file);
        resolve(&mut self.sign_in_client_secret_file);
        resolve(&mut self.sign_in_ca_file);
        resolve(&mut self.published_jwks_ca_file);
        resolve(&mut self.framework_certificate_file);
        resolve(&mut self.framework_certificate_key_file);
        resolve(&mut self.framework_assertion_key_file);
        resolve(&mut self.framework_ca_file);
        if let Ok(StoreUrl::Sqlite(path)) = self.store.parse() {
            self.store = directory.join(path).display().to_string();
        }
    }
}

/// A setting in seconds as a duration.
pub(crate) fn seconds(setting: u32) -> Duration {
    Duration::from_secs(setting.into())
}
