//! The faults of the TLS files that would show only once clients call.

use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use signing::certificate;

use super::{Ending, ExpiringFile, TlsError, TlsFiles};

impl TlsFiles {
    /// Finds the faults with which every client would be refused at this Unix time. Expiry is not among them.
    /// `hosts` must be in the certificate of the server, each with the setting that names it.
    pub fn find_faults(
        &self,
        hosts: &[(&'static str, String)],
        now: i64,
    ) -> Result<Vec<String>, TlsError> {
        let mut faults = Vec::new();
        let chain = self.certificate.certificates()?;
        let path = &self.certificate.path;
        if let Some(leaf) = chain.first() {
            if certificate::validity(leaf).is_some_and(|validity| now < validity.start) {
                faults.push(format!(
                    "{path} is not valid yet: check its dates and the clock of this machine"
                ));
            }
            let parsed = ParsedCertificate::try_from(leaf);
            let parsed = parsed.map_err(|error| self.certificate.refused(error))?;
            for (setting, host) in hosts {
                let name = ServerName::try_from(host.as_str());
                if !name.is_ok_and(|name| verify_server_name(&parsed, &name).is_ok()) {
                    faults.push(format!("{path} is not for {host}, which {setting} names"));
                }
            }
        }
        if let Some(file) = &self.authorities
            && !file
                .certificates()?
                .iter()
                .all(|der| certificate::is_authority(der))
        {
            let path = &file.path;
            faults.push(format!(
                "{path} holds a certificate that is no authority: put the certificates there that \
                 issue those of clients"
            ));
        }
        Ok(faults)
    }

    /// Finds the authorities without a revocation list. All of their clients are refused.
    pub fn find_unlisted(&self) -> Result<Vec<String>, TlsError> {
        let mut faults = Vec::new();
        let authorities = self.authorities()?;
        if let Some(file) = &self.revocations {
            let lists = file.revocation_lists()?;
            let has_list = |authority: &&CertificateDer<'_>| {
                let mut lists = lists.iter();
                lists.any(|list| certificate::is_list_of(list, authority))
            };
            for authority in authorities.iter().filter(|one| !has_list(one)) {
                let subject = certificate::subject(authority).unwrap_or_default();
                faults.push(format!(
                    "{} has no revocation list of {subject}: every client of this authority is refused",
                    file.path
                ));
            }
        }
        Ok(faults)
    }

    /// Whether every authority lacks a revocation list, so that every client is refused.
    pub(super) fn are_all_unlisted(&self) -> Result<bool, TlsError> {
        let authorities = self.authorities()?;
        Ok(self.find_unlisted()?.len() == authorities.len())
    }

    /// Refuses files with which every client, or every client of an authority, would be refused at this
    /// Unix time. A revocation list may have expired, because an older one would be no better.
    pub(super) fn refuse_faults(
        &self,
        hosts: &[(&'static str, String)],
        now: i64,
    ) -> Result<(), TlsError> {
        let is_expired_certificate =
            |ending: &&Ending| ending.file == ExpiringFile::Certificate && ending.refuses_all(now);
        let endings = self.endings()?;
        let expired = endings.iter().find(is_expired_certificate);
        let expired = expired.and_then(|ending| ending.warning(now));
        let mut faults = self.find_faults(hosts, now)?;
        faults.extend(self.find_unlisted()?);
        match expired.into_iter().chain(faults).next() {
            Some(fault) => Err(TlsError::Faulty(fault)),
            None => Ok(()),
        }
    }
}
