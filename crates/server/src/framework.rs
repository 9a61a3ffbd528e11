//! Opens the framework of the settings, and reads its directory while the program serves (S-67, S-73).

use std::sync::Arc;

use observe::clock::Clock;
use observe::outage::Outage;
use outbound::callback::CallbackUrl;
use outbound::client::{IdentityPem, OutboundClient, OutboundError, OutboundSettings};
use serde_json::Value;
use signing::algorithm::Algorithm;
use signing::canonical;
use signing::key::SigningKey;
use storage::Storage;
use tokens::framework::Framework;
use tokens::framework::authorities::Authorities;
use tokens::framework::directory::{DirectoryReader, Round};
use tokens::framework::issuer::{AssertionSigner, Issuer};
use tokens::registry::Registry;
use tokens::signers::Signers;
use tokio::sync::watch;

use crate::chosen_addresses::outbound_settings;
use crate::config::Config;
use crate::limits;
use crate::start_error::StartError;

/// The framework. `None`: there is none.
pub(crate) fn open(
    config: &Config,
    clock: &Clock,
    signers: &Arc<Signers>,
    registry: &Arc<Registry>,
) -> Result<Option<Arc<Framework>>, StartError> {
    let Some(settings) = config.framework() else {
        return Ok(None);
    };
    let url = parse_url(
        "framework_introspection_url",
        &config.framework_introspection_url,
    )?;
    let certificate = read(
        "framework_certificate_file",
        &config.framework_certificate_file,
    )?;
    let key = read(
        "framework_certificate_key_file",
        &config.framework_certificate_key_file,
    )?;
    let outbound = OutboundClient::open(OutboundSettings {
        ca_files: vec![config.framework_ca_file.clone().into()],
        identity: Some(IdentityPem::new(&certificate, &key)),
        connect_timeout: tokens::limits::FRAMEWORK_ANSWER_TIMEOUT,
        ..outbound_settings(config)?
    });
    let outbound = outbound.map_err(|error| match &error {
        OutboundError::CaFile { .. } => fault("framework_ca_file", &error.to_string()),
        OutboundError::Identity | OutboundError::Unusable(_) => {
            fault("framework_certificate_file", &error.to_string())
        }
    })?;
    let authorities = read("framework_ca_file", &config.framework_ca_file)?;
    let authorities = Authorities::parse(&authorities)
        .map_err(|error| fault("framework_ca_file", &error.to_string()))?;
    let signer = open_signer(config)?;
    let tools = (clock.clone(), Arc::clone(signers));
    let issuer = Issuer::new(outbound, url, signer, tools);
    let registry = Arc::clone(registry);
    let framework = Framework::new(settings, issuer, authorities, registry);
    Ok(Some(Arc::new(framework)))
}

fn open_signer(config: &Config) -> Result<AssertionSigner, StartError> {
    let setting = "framework_assertion_key_file";
    let pem = read(setting, &config.framework_assertion_key_file)?;
    let algorithm = Algorithm::parse(&config.framework_assertion_alg)
        .ok_or_else(|| fault("framework_assertion_alg", "it is no algorithm"))?;
    let text = String::from_utf8_lossy(&pem);
    let key = SigningKey::from_pkcs8_pem(&text, algorithm);
    let kid = &config.framework_assertion_kid;
    Ok(AssertionSigner {
        client_id: config.framework_client_id.clone(),
        key: Arc::new(key.map_err(|error| fault(setting, &error.to_string()))?),
        kid: (!kid.is_empty()).then(|| kid.clone()),
    })
}

/// The reader of the framework's directory. `None`: the settings have no address of one.
pub(crate) fn directory_reader(
    framework: &Framework,
    clock: &Clock,
    storage: &Storage,
) -> Option<DirectoryReader> {
    let settings = framework.settings();
    Some(DirectoryReader {
        clock: clock.clone(),
        storage: storage.clone(),
        outbound: framework.issuer().outbound().clone(),
        url: CallbackUrl::parse_stored(&settings.directory_url).ok()?,
        organisation_id: settings.organisation_id.clone(),
    })
}

/// Reads the directory whenever that is due and no other node does, until `stop` turns true.
pub(crate) async fn run(reader: DirectoryReader, mut stop: watch::Receiver<bool>) {
    let outage = Outage::new("the framework's directory cannot be adopted");
    loop {
        let round = reader.read_if_due().await;
        if !matches!(round, Ok(Round::NotDue)) {
            let adopted = outage.note(round);
            if let Some(Round::Adopted {
                kept_though_missing: kept @ 1..,
            }) = adopted
            {
                tracing::error!(
                    kept,
                    "the framework's directory lacks many organisations, which stay"
                );
            }
        }
        tokio::select! {
            () = tokio::time::sleep(limits::FRAMEWORK_ROUND_INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// What is wrong with the framework: differences between the settings and the metadata of its issuer, and answers that
/// cannot be used.
pub(crate) async fn find_faults(
    framework: &Framework,
    config: &Config,
    clock: &Clock,
    storage: &Storage,
) -> Vec<String> {
    let mut faults = find_differences(framework, config).await;
    if let Err(reason) = framework.issuer().probe(framework.settings()).await {
        faults.push(format!(
            "framework_introspection_url gives no usable answer: {reason}"
        ));
    }
    if let Some(reader) = directory_reader(framework, clock, storage)
        && let Err(error) = reader.check().await
    {
        faults.push(format!(
            "framework_directory_url gives no answer to adopt: {error}"
        ));
    }
    faults
}

/// What differs between the settings and the metadata of the framework's issuer (RFC 8414), as warnings: metadata
/// decide nothing (S-67).
async fn find_differences(framework: &Framework, config: &Config) -> Vec<String> {
    let issuer = config.framework_issuer.trim_end_matches('/');
    let address = format!("{issuer}/.well-known/openid-configuration");
    let Ok(url) = CallbackUrl::parse_stored(&address) else {
        return Vec::new();
    };
    let (bytes_max, timeout) = (
        tokens::limits::FRAMEWORK_ANSWER_BYTES_MAX,
        tokens::limits::FRAMEWORK_ANSWER_TIMEOUT,
    );
    let outbound = framework.issuer().outbound();
    let fetched = outbound.fetch_json(&url, bytes_max, timeout).await;
    let metadata = match fetched {
        Ok(body) => canonical::parse(&body).unwrap_or_default(),
        Err(error) => {
            return vec![format!(
                "the metadata of the framework at {address} were not compared: {error}"
            )];
        }
    };
    let endpoint = "introspection_endpoint";
    let alias = metadata.pointer(&format!("/mtls_endpoint_aliases/{endpoint}"));
    let named = [
        (
            "framework_issuer",
            metadata.get("issuer"),
            &config.framework_issuer,
        ),
        (
            "framework_introspection_url",
            alias.or_else(|| metadata.get(endpoint)),
            &config.framework_introspection_url,
        ),
    ];
    let differing = named.into_iter().filter_map(|(setting, named, set)| {
        let named = named.and_then(Value::as_str).unwrap_or("nothing");
        (named != set).then(|| {
            format!(
                "{setting} is {set}, and the metadata at {address} say {named}: ask who runs it"
            )
        })
    });
    differing.collect()
}

fn parse_url(setting: &'static str, url: &str) -> Result<CallbackUrl, StartError> {
    CallbackUrl::parse_stored(url).map_err(|error| fault(setting, &error.to_string()))
}

fn read(setting: &'static str, path: &str) -> Result<Vec<u8>, StartError> {
    std::fs::read(path).map_err(|error| StartError::StoreFile {
        setting,
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn fault(setting: &'static str, reason: &str) -> StartError {
    StartError::Framework {
        setting,
        reason: reason.to_owned(),
    }
}
