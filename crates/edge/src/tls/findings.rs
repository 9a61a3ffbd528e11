//! The faults of the TLS files that would show only once clients call.

use rustls::client::verify_server_name;
use rustls::pki_types::ServerName;
use rustls::server::ParsedCertificate;
use signing::certificate;

use super::{TlsError, TlsFiles, TlsSettings};

/// Something about the configuration that an operator should know before it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Clients would be refused.
    Fault(String),
    /// It works, but perhaps not for long or not everywhere.
    Warning(String),
}

impl TlsFiles {
    /// Finds faults at this Unix time. `names` are the hosts in the addresses of the service, each with
    /// the setting that names it.
    pub fn findings(
        &self,
        names: &[(&'static str, String)],
        now: i64,
    ) -> Result<Vec<Finding>, TlsError> {
        let mut findings = Vec::new();
        for ending in TlsSettings::of(self)?.endings {
            // Clients are accepted although the certificate of their authority has expired: a trust
            // anchor has no dates (RFC 5280 section 6.1.1).
            let is_over = ending.is_over(now) && ending.setting != "client_ca_file";
            let finding = |text| {
                if is_over {
                    Finding::Fault(text)
                } else {
                    Finding::Warning(text)
                }
            };
            findings.extend(ending.warning(now).map(finding));
        }
        let faults = self.faults_at_once(names, now)?;
        findings.extend(faults.into_iter().map(Finding::Fault));
        Ok(findings)
    }

    /// Finds faults because of which every client would be refused at this Unix time, apart from files
    /// that have expired.
    fn faults_at_once(
        &self,
        names: &[(&'static str, String)],
        now: i64,
    ) -> Result<Vec<String>, TlsError> {
        let mut faults = Vec::new();
        let chain = self.certificate.certificates()?;
        let path = &self.certificate.path;
        if let Some(leaf) = chain.first() {
            if certificate::validity(leaf).is_some_and(|validity| now < validity.start) {
                let text = format!("{path} is not valid yet: check its dates and this clock");
                faults.push(text);
            }
            let parsed = ParsedCertificate::try_from(leaf);
            let parsed = parsed.map_err(|error| self.certificate.refused(error))?;
            for (setting, host) in names {
                let name = ServerName::try_from(host.as_str());
                if !name.is_ok_and(|name| verify_server_name(&parsed, &name).is_ok()) {
                    let text = format!("{path} is not for {host}, which {setting} names");
                    faults.push(text);
                }
            }
        }
        let authorities = self.authorities.certificates()?;
        if !authorities.iter().all(|der| certificate::is_authority(der)) {
            let path = &self.authorities.path;
            faults.push(format!(
                "{path} holds a certificate that is no authority: put the certificates there that \
                 issue those of clients"
            ));
        }
        Ok(faults)
    }

    /// Refuses files with which every client would be refused at this Unix time. A revocation list may
    /// have expired: an older one would be no better.
    pub(super) fn refuse_useless(
        &self,
        names: &[(&'static str, String)],
        now: i64,
    ) -> Result<(), TlsError> {
        let mut faults = self.faults_at_once(names, now)?;
        let leaf = self.certificate.certificates()?;
        let validity = leaf.first().and_then(|leaf| certificate::validity(leaf));
        if validity.is_some_and(|validity| validity.end <= now) {
            faults.push(format!("{} has expired", self.certificate.path));
        }
        match faults.into_iter().next() {
            Some(fault) => Err(TlsError::Useless(fault)),
            None => Ok(()),
        }
    }
}
