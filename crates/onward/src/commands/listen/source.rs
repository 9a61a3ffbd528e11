//! Opens the source of events: a sandbox, or a service named by options.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use client::sandbox::{load, read_file};
use client::{Clock, Receiver, Trust, WebhookClient};
use edge::tls::receiver_config;
use rustls::ServerConfig;

use super::ListenError;
use crate::commands::source::{KEY_FILE_LIMIT_BYTES, find_sandbox, read_trust};

/// A sandbox, or a service with everything that receiving its events needs.
#[derive(Args, Debug)]
pub(super) struct SourceArgs {
    /// The directory of a running sandbox [default: ./onward-sandbox, if there is one]
    #[arg(long, value_name = "DIR")]
    sandbox: Option<PathBuf>,

    /// The address of the key set that verifies events, instead of a sandbox.
    #[arg(
        long,
        alias = "jwks",
        value_name = "URL",
        conflicts_with = "sandbox",
        requires_all = ["issuer", "certificate", "key", "ca"]
    )]
    jwks_url: Option<String>,

    /// The base address of the service; it must equal the `iss` of the events exactly.
    #[arg(long, value_name = "URL", requires = "jwks_url")]
    issuer: Option<String>,

    /// The certificate to listen with, PEM.
    #[arg(long, value_name = "FILE", requires = "jwks_url")]
    certificate: Option<PathBuf>,

    /// The private key of that certificate, PEM.
    #[arg(long, value_name = "FILE", requires = "jwks_url")]
    key: Option<PathBuf>,

    /// The certificate authorities to trust for the key set's address and for --forward, PEM;
    /// `system` for the authorities of the operating system.
    #[arg(long, value_name = "FILE", requires = "jwks_url")]
    ca: Option<PathBuf>,
}

/// Everything that a receiver needs.
pub(super) struct Source {
    pub(super) issuer: String,
    pub(super) receiver: Receiver,
    pub(super) tls: Arc<ServerConfig>,
    pub(super) trust: Trust,
    /// The client that subscribes; only a sandbox has one.
    pub(super) subscribing: Option<Subscribing>,
}

/// A client of webhook management and its participant.
pub(super) struct Subscribing {
    pub(super) client: WebhookClient,
    pub(super) participant_name: String,
}

/// Reads the files and opens the service that `args` name.
pub(super) fn open(args: &SourceArgs, clock: Clock) -> Result<Source, ListenError> {
    // clap requires the other options together with the first.
    let (Some(jwks_url), Some(issuer), Some(certificate), Some(key), Some(ca)) = (
        &args.jwks_url,
        &args.issuer,
        &args.certificate,
        &args.key,
        &args.ca,
    ) else {
        return open_sandbox(args.sandbox.as_deref(), clock);
    };
    let trust = read_trust(ca)?;
    Ok(Source {
        issuer: issuer.clone(),
        receiver: Receiver::new(issuer.clone(), jwks_url.clone(), &trust, clock)?,
        tls: receiver_config(certificate, key)?,
        trust,
        subscribing: None,
    })
}

fn open_sandbox(named: Option<&Path>, clock: Clock) -> Result<Source, ListenError> {
    let dir = find_sandbox(named).ok_or(ListenError::NoService)?;
    let sandbox = load(&dir)?;
    let trust = Trust::Only(read_file(&sandbox.ca_file, KEY_FILE_LIMIT_BYTES)?);
    let issuer = sandbox.base_url.clone();
    let subscribing = match sandbox.api_keys.first() {
        Some(key) => Some(Subscribing {
            client: WebhookClient::new(&sandbox.base_url, &key.key, &trust)?,
            participant_name: key.participant_name.clone(),
        }),
        None => None,
    };
    let callback = &sandbox.callback;
    Ok(Source {
        receiver: Receiver::new(issuer.clone(), sandbox.jwks_url, &trust, clock)?,
        tls: receiver_config(&callback.certificate_file, &callback.key_file)?,
        issuer,
        trust,
        subscribing,
    })
}
