//! A certificate authority for sandboxes and tests, and the certificates that it issues.

use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CrlDistributionPoint,
    DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SerialNumber,
};

use crate::{ProvisionError, files};

/// How many years the authority and its clients' certificates are valid.
const YEARS_VALID: i32 = 10;

/// How many days a server's certificate is valid: the longest time that browsers accept. Each start
/// makes a new one, so that none expires.
const SERVER_DAYS_VALID: i32 = 397;

/// The file name of the list of revoked certificates.
const REVOKED: &str = "revoked.pem";

/// The authority that issues every certificate of a sandbox.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    today: Date,
}

impl Authority {
    /// Loads the authority of this folder, or makes one.
    pub fn ensure(directory: &Path, now: i64) -> Result<Self, ProvisionError> {
        let today = Timestamp::from_second(now)
            .map_err(ProvisionError::new)?
            .to_zoned(TimeZone::UTC)
            .date();
        let (certificate, key) = (directory.join("ca.pem"), directory.join("ca.key"));
        if !certificate.exists() {
            let pair = generate_pair()?;
            let params = authority_params(today);
            let made = params.self_signed(&pair).map_err(ProvisionError::new)?;
            write_pair(&certificate, &made.pem(), &key, &pair)?;
        }
        let pem = std::fs::read_to_string(&certificate).map_err(ProvisionError::new)?;
        let pair = std::fs::read_to_string(&key).map_err(ProvisionError::new)?;
        let pair = KeyPair::from_pem(&pair).map_err(ProvisionError::new)?;
        let issuer = Issuer::from_ca_cert_pem(&pem, pair).map_err(ProvisionError::new)?;
        Ok(Self { issuer, today })
    }

    /// Issues a server certificate for `localhost`, as `NAME.pem` and `NAME.key`. It names the list
    /// of revoked certificates in the same folder.
    pub fn issue_server_certificate(
        &self,
        directory: &Path,
        name: &str,
    ) -> Result<(), ProvisionError> {
        let hosts = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        let mut params = CertificateParams::new(hosts).map_err(ProvisionError::new)?;
        params
            .distinguished_name
            .push(DnType::CommonName, "localhost");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.crl_distribution_points = vec![CrlDistributionPoint {
            uris: vec![format!("file://{}", directory.join(REVOKED).display())],
        }];
        let (from, until) = self.server_validity();
        params.not_before = rcgen::date_time_ymd(from.0, from.1, from.2);
        params.not_after = rcgen::date_time_ymd(until.0, until.1, until.2);
        self.issue(directory, name, params)
    }

    /// Writes an empty list of revoked certificates.
    pub fn issue_revocation_list(&self, directory: &Path) -> Result<(), ProvisionError> {
        let (from, until) = self.server_validity();
        let list = CertificateRevocationListParams {
            this_update: rcgen::date_time_ymd(from.0, from.1, from.2),
            next_update: rcgen::date_time_ymd(until.0, until.1, until.2),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: Vec::new(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.issuer).map_err(ProvisionError::new)?;
        let pem = list.pem().map_err(ProvisionError::new)?;
        files::write(&directory.join(REVOKED), &pem).map_err(ProvisionError::new)
    }

    /// Issues a client certificate, as `NAME.pem` and `NAME.key`, unless the files exist. Its
    /// subject names organisation and application as the sector's directories do.
    pub fn ensure_client_certificate(
        &self,
        directory: &Path,
        name: &str,
        organisation: &str,
    ) -> Result<(), ProvisionError> {
        self.ensure_certificate(directory, name, &[(DnType::OrganizationName, organisation)])
    }

    /// Issues a client certificate of a member of a framework, whose subject names the organisation by its id, as
    /// `NAME.pem` and `NAME.key`, unless the files exist.
    pub fn ensure_member_certificate(
        &self,
        directory: &Path,
        name: &str,
        organisation_id: &str,
    ) -> Result<(), ProvisionError> {
        let names = [
            (DnType::OrganizationName, "Framework"),
            (DnType::OrganizationalUnitName, organisation_id),
        ];
        self.ensure_certificate(directory, name, &names)
    }

    fn ensure_certificate(
        &self,
        directory: &Path,
        name: &str,
        names: &[(DnType, &str)],
    ) -> Result<(), ProvisionError> {
        let mut params = CertificateParams::default();
        let subject = &mut params.distinguished_name;
        subject.push(DnType::CountryName, "GB");
        for (kind, value) in names {
            subject.push(kind.clone(), *value);
        }
        subject.push(DnType::CommonName, name);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        make_long_valid(&mut params, self.today);
        if directory.join(format!("{name}.pem")).exists() {
            return Ok(());
        }
        self.issue(directory, name, params)
    }

    /// The validity begins the day before, because clocks may be behind.
    fn server_validity(&self) -> ((i32, u8, u8), (i32, u8, u8)) {
        let yesterday = self.today.saturating_sub(1.day());
        let last = yesterday.saturating_add(SERVER_DAYS_VALID.days());
        (year_month_day(yesterday), year_month_day(last))
    }

    fn issue(
        &self,
        directory: &Path,
        name: &str,
        mut params: CertificateParams,
    ) -> Result<(), ProvisionError> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let pair = generate_pair()?;
        let made = params
            .signed_by(&pair, &self.issuer)
            .map_err(ProvisionError::new)?;
        let certificate = directory.join(format!("{name}.pem"));
        let key = directory.join(format!("{name}.key"));
        write_pair(&certificate, &made.pem(), &key, &pair)
    }
}

fn authority_params(today: Date) -> CertificateParams {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "Onward sandbox authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    make_long_valid(&mut params, today);
    params
}

/// Makes the certificate valid from before this program existed, so that no clock is too early.
fn make_long_valid(params: &mut CertificateParams, today: Date) {
    let last_year = i32::from(today.year()) + YEARS_VALID;
    params.not_before = rcgen::date_time_ymd(2026, 1, 1);
    params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
}

fn year_month_day(day: Date) -> (i32, u8, u8) {
    let (month, of_month) = (day.month().unsigned_abs(), day.day().unsigned_abs());
    (day.year().into(), month, of_month)
}

fn generate_pair() -> Result<KeyPair, ProvisionError> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(ProvisionError::new)
}

/// Writes the key first, so that a certificate file never lacks its key.
fn write_pair(
    certificate: &Path,
    pem: &str,
    key: &Path,
    pair: &KeyPair,
) -> Result<(), ProvisionError> {
    files::write_secret(key, &pair.serialize_pem())
        .and_then(|()| files::write(certificate, pem))
        .map_err(ProvisionError::new)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::RootCertStore;
    use rustls::client::WebPkiServerVerifier;
    use rustls::client::danger::ServerCertVerifier as _;
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime};

    use super::{Authority, REVOKED};

    /// 2026-11-21T10:00:00Z.
    const NOW: i64 = 1_795_255_200;
    const DAY: i64 = 86_400;

    /// What a client says of the server's certificate after so many days, which looks for it
    /// in the list of revoked ones as well.
    fn outcome(folder: &Path, days: i64) -> String {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_file(folder.join("ca.pem")).unwrap();
        roots.add(root).unwrap();
        let list = CertificateRevocationListDer::from_pem_file(folder.join(REVOKED)).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .with_crls([list])
            .enforce_revocation_expiration()
            .build()
            .unwrap();
        let shown = CertificateDer::from_pem_file(folder.join("server.pem")).unwrap();
        let seconds = u64::try_from(NOW + days * DAY).unwrap();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let name = ServerName::try_from("localhost").unwrap();
        match verifier.verify_server_cert(&shown, &[], &name, &[], now) {
            Ok(_verified) => "verified".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_server_certificate_is_valid_for_a_year_and_made_anew_at_each_start() {
        let folder = tempfile::tempdir().unwrap();
        let start = |now| {
            let authority = Authority::ensure(folder.path(), now).unwrap();
            authority
                .issue_server_certificate(folder.path(), "server")
                .unwrap();
            authority.issue_revocation_list(folder.path()).unwrap();
        };
        start(NOW);
        for days in [0, 200, 395] {
            assert_eq!(outcome(folder.path(), days), "verified", "{days}");
        }
        let late = outcome(folder.path(), 397);
        assert!(late.contains("certificate expired"), "{late}");
        start(NOW + 397 * DAY);
        assert_eq!(outcome(folder.path(), 397), "verified");
    }
}
