//! Checks of the files that the settings name.

use std::fs::File;
use std::io::Read as _;

use edge::tls::{TlsError, TlsFiles, TlsSettings};
use observe::clock::Clock;
use server::config::Config;
use storage::StoreUrl;

use super::Finding;

/// Names every file that is missing or cannot be read, so that the operator learns of all at once.
pub(super) fn unreadable(config: &Config) -> Vec<String> {
    let key_file = if config.key_encryption_key_command.is_empty() {
        config.key_encryption_key_file.as_str()
    } else {
        ""
    };
    let files = [
        (&*config.certificate_file, "the server's certificate"),
        (&config.private_key_file, "the server's private key"),
        (
            &config.client_ca_file,
            "the authorities of client certificates",
        ),
        (&config.client_crl_file, "the revoked client certificates"),
        (key_file, "the key-encryption key"),
        (&config.pkcs11_pin_file, "the PIN of the PKCS#11 token"),
        (&config.callback_ca_file, "authorities of callbacks"),
    ];
    let mut texts = Vec::new();
    for (path, what) in files {
        if let Some(reason) = fault_of(path) {
            texts.push(format!("cannot use {path} as {what}: {reason}"));
        }
    }
    for (setting, path) in named_by_setting(config) {
        if let Some(reason) = fault_of(path) {
            texts.push(format!("cannot read {setting} {path}: {reason}"));
        }
    }
    // Opening a store that is the only missing file says more.
    if !texts.is_empty()
        && let Ok(url @ StoreUrl::Sqlite(_)) = config.store.parse::<StoreUrl>()
        && let Some(reason) = fault_of(&url.to_string())
    {
        texts.push(format!("cannot open the store {url}: {reason}"));
    }
    texts
}

/// Other files, each with the setting that names it.
fn named_by_setting(config: &Config) -> Vec<(&'static str, &str)> {
    let Config {
        store_ca_file,
        store_password_file,
        sign_in_client_secret_file,
        sign_in_ca_file,
        published_jwks_ca_file,
        state_log_witness_ca_file,
        framework_ca_file,
        framework_certificate_file,
        framework_certificate_key_file,
        framework_assertion_key_file,
        ..
    } = config;
    vec![
        ("store_ca_file", store_ca_file),
        ("store_password_file", store_password_file),
        ("sign_in_client_secret_file", sign_in_client_secret_file),
        ("sign_in_ca_file", sign_in_ca_file),
        ("published_jwks_ca_file", published_jwks_ca_file),
        ("state_log_witness_ca_file", state_log_witness_ca_file),
        ("framework_ca_file", framework_ca_file),
        ("framework_certificate_file", framework_certificate_file),
        (
            "framework_certificate_key_file",
            framework_certificate_key_file,
        ),
        ("framework_assertion_key_file", framework_assertion_key_file),
    ]
}

/// Why a file cannot be read. An empty path names none.
fn fault_of(path: &str) -> Option<std::io::Error> {
    if path.is_empty() {
        return None;
    }
    let read = File::open(path).and_then(|mut file| file.read(&mut [0]));
    read.err()
}

/// Checks the certificates and revocation lists.
pub(super) fn check_tls(config: &Config) -> Result<Vec<Finding>, TlsError> {
    let now = Clock::System.now_seconds();
    let files = TlsFiles::read(&config.edge().tls)?;
    let endings = TlsSettings::of(&files)?.endings;
    let endings = endings.iter().filter_map(|ending| {
        let text = ending.warning(now)?;
        Some(if ending.refuses_all(now) {
            Finding::Fault(text)
        } else {
            Finding::Warning(text)
        })
    });
    let mut faults = files.find_faults(&config.hosts(), now)?;
    faults.extend(files.find_unlisted()?);
    Ok(endings
        .chain(faults.into_iter().map(Finding::Fault))
        .collect())
}
