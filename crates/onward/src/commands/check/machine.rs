//! Checks of this machine: who may read the secrets, and how many files may be open.

use std::os::unix::fs::PermissionsExt as _;

use edge::tls::Finding;
use rustix::process::{Resource, getrlimit};
use server::config::Config;

use crate::limits;

/// Finds secrets that everybody may read, and a limit of open files that is too low.
pub(super) fn findings(
    config: &Config,
    config_file: &std::path::Path,
    has_password_in_file: bool,
) -> Vec<Finding> {
    let mut secrets = vec![
        config.private_key_file.as_str(),
        config.key_encryption_key_file.as_str(),
    ];
    let config_file = config_file.to_string_lossy();
    if has_password_in_file {
        secrets.push(&config_file);
    }
    let mut findings: Vec<_> = secrets
        .into_iter()
        .filter(|path| is_open_to_all(path))
        .map(|path| Finding::Fault(format!("everybody may read {path}: run chmod o= {path}")))
        .collect();
    let needed = u64::try_from(config.connections_max).unwrap_or(u64::MAX);
    let needed = needed.saturating_add(limits::OTHER_FILES);
    if let Some(allowed) = getrlimit(Resource::Nofile).maximum
        && allowed < needed
    {
        findings.push(Finding::Warning(format!(
            "this process may open {allowed} files, and connections_max needs {needed}: raise the \
             limit (ulimit -Hn, LimitNOFILE) or lower connections_max"
        )));
    }
    findings
}

fn is_open_to_all(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o007 != 0)
}
