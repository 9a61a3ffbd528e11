//! Clients of addresses that others chose (callbacks), and of those that the operator chose: the OpenID provider, the
//! published key set and the witnesses.

use std::sync::Arc;

use console_routes::open_id::{OpenId, OpenIdSettings};
use observe::clock::Clock;
use outbound::client::{OperatorClient, OutboundClient, OutboundSettings};
use outbound::networks::AllowedNetworks;
use signing::seal::KeyEncryptionKeys;
use state_log::WITNESS_TIMEOUT;
use state_log::witnesses::Witnesses;

use crate::config::Config;
use crate::optional_file::read_optional;
use crate::start_error::StartError;

/// The purpose of the key that authenticates the cookies of sign-ins.
const SIGN_IN_COOKIES: &str = "cookies of sign-ins, version 1";

/// A client that calls any network, because the operator chose the address. It trusts the authorities in
/// `ca_file` besides the operating system's; the path may be empty.
pub(crate) fn open_client(ca_file: &str, plain_http: bool) -> Result<OutboundClient, StartError> {
    let ca_files = (!ca_file.is_empty()).then(|| ca_file.into());
    Ok(OutboundClient::open(OutboundSettings {
        allowed: AllowedNetworks::parse(["0.0.0.0/0", "::/0"])?,
        plain_http,
        ca_files: ca_files.into_iter().collect(),
        ..OutboundSettings::default()
    })?)
}

/// How callbacks and other addresses that S-31 bounds are called.
pub(crate) fn outbound_settings(config: &Config) -> Result<OutboundSettings, StartError> {
    let ca_file = (!config.callback_ca_file.is_empty()).then(|| (&config.callback_ca_file).into());
    Ok(OutboundSettings {
        allowed: config.allowed_networks()?,
        ca_files: ca_file.into_iter().collect(),
        ..OutboundSettings::default()
    })
}

/// The client of the OpenID provider. `None`: nobody signs in with one.
pub(crate) fn open_sign_in(
    config: &Config,
    sealing: &KeyEncryptionKeys,
    clock: &Clock,
) -> Result<Option<Arc<OpenId>>, StartError> {
    if config.console_url.is_empty() || config.sign_in_issuer.is_empty() {
        return Ok(None);
    }
    let secret = read_optional(
        "sign_in_client_secret_file",
        &config.sign_in_client_secret_file,
    )?;
    let secret = secret.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let settings = OpenIdSettings {
        issuer: config.sign_in_issuer.clone(),
        client_id: config.sign_in_client_id.clone(),
        client_secret: secret,
        redirect_uri: format!("{}/sign-in/back", config.console_url),
        authenticator: sealing.derive_authenticator(SIGN_IN_COOKIES)?,
    };
    let open_id = OpenId::new(
        settings,
        open_client(&config.sign_in_ca_file, false)?,
        clock.clone(),
    );
    Ok(Some(Arc::new(open_id)))
}

/// The witnesses of the log of states. `None`: the settings name none.
pub(crate) fn open_witnesses(config: &Config) -> Result<Option<Arc<Witnesses>>, StartError> {
    let settings = config.witnesses().map_err(StartError::Witnesses)?;
    if settings.is_empty() {
        return Ok(None);
    }
    let ca_file = &config.state_log_witness_ca_file;
    let ca_file = (!ca_file.is_empty()).then(|| ca_file.into());
    let client = OperatorClient::open(ca_file, WITNESS_TIMEOUT)?;
    Ok(Some(Witnesses::new(settings, client)))
}
