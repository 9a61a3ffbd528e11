//! Checks of this machine: who may read the secrets, how many files may be open, and what nobody checks.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::process::{Resource, getrlimit};
use server::config::{Config, Source, Sources};
use server::limits::FILES_RESERVED;
use storage::StoreUrl;

use super::Finding;

/// Finds secrets that everybody may read, a limit of open files that is too low, and revocation that
/// nobody checks.
pub(super) fn findings(config: &Config, sources: &Sources) -> Vec<Finding> {
    let mut secrets = vec![
        Path::new(&config.private_key_file),
        Path::new(&config.key_encryption_key_file),
        Path::new(&config.store_password_file),
        Path::new(&config.pkcs11_pin_file),
        Path::new(&config.sign_in_client_secret_file),
        Path::new(&config.framework_certificate_key_file),
        Path::new(&config.framework_assertion_key_file),
    ];
    let store = config.store.parse::<StoreUrl>();
    if let Some(Source::File(path)) = sources.get("store")
        && store.is_ok_and(|store| store.has_password())
    {
        secrets.push(path);
    }
    let mut findings: Vec<_> = secrets
        .into_iter()
        .filter(|path| is_open_to_all(path))
        .map(|path| {
            let path = path.display();
            Finding::Fault(format!("everybody may read {path}: run chmod o= {path}"))
        })
        .collect();
    let needed = u64::try_from(config.connections_max).unwrap_or(u64::MAX);
    let needed = needed.saturating_add(FILES_RESERVED);
    if let Some(allowed) = getrlimit(Resource::Nofile).maximum
        && allowed < needed
    {
        findings.push(Finding::Warning(format!(
            "this process may open {allowed} files, and connections_max needs {needed}: raise the \
             limit (ulimit -Hn, LimitNOFILE) or lower connections_max"
        )));
    }
    if config.client_crl_file.is_empty() && config.trusted_proxies.is_empty() {
        findings.push(Finding::Warning(
            "client_crl_file is empty, so revoked client certificates are accepted until they expire: \
             name the revocation lists of the authorities"
                .to_owned(),
        ));
    }
    findings
}

fn is_open_to_all(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o007 != 0)
}
