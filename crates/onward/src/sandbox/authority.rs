//! The sandbox's certificate authority and what it issues.

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};

use super::SandboxError;
use crate::files;

/// How many years the sandbox's certificates are valid.
const YEARS_VALID: i32 = 10;

/// The authority that every certificate of a sandbox comes from.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    first_year: i32,
}

impl Authority {
    /// The authority of this folder, made if it is not there.
    pub fn ensure(directory: &Path, now: i64) -> Result<Self, SandboxError> {
        let first_year = Timestamp::from_second(now)
            .map_err(SandboxError::new)?
            .to_zoned(TimeZone::UTC)
            .year()
            .into();
        let (certificate, key) = (directory.join("ca.pem"), directory.join("ca.key"));
        if !certificate.exists() {
            let pair = generate_pair()?;
            let params = authority_params(first_year);
            let made = params.self_signed(&pair).map_err(SandboxError::new)?;
            write_pair((&certificate, &made.pem()), (&key, &pair))?;
        }
        let pem = std::fs::read_to_string(&certificate).map_err(SandboxError::new)?;
        let pair = std::fs::read_to_string(&key).map_err(SandboxError::new)?;
        let pair = KeyPair::from_pem(&pair).map_err(SandboxError::new)?;
        let issuer = Issuer::from_ca_cert_pem(&pem, pair).map_err(SandboxError::new)?;
        Ok(Self { issuer, first_year })
    }

    /// A server certificate for `localhost`, as `NAME.pem` and `NAME.key`.
    pub fn ensure_server_certificate(
        &self,
        directory: &Path,
        name: &str,
    ) -> Result<(), SandboxError> {
        let hosts = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        let mut params = CertificateParams::new(hosts).map_err(SandboxError::new)?;
        params
            .distinguished_name
            .push(DnType::CommonName, "localhost");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.ensure_certificate(directory, name, params)
    }

    /// A client certificate, as `NAME.pem` and `NAME.key`. Its subject names
    /// organisation and application as the sector's directories do.
    pub fn ensure_client_certificate(
        &self,
        directory: &Path,
        name: &str,
        organisation: &str,
    ) -> Result<(), SandboxError> {
        let mut params = CertificateParams::default();
        let subject = &mut params.distinguished_name;
        subject.push(DnType::CountryName, "GB");
        subject.push(DnType::OrganizationName, organisation);
        subject.push(DnType::CommonName, name);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.ensure_certificate(directory, name, params)
    }

    fn ensure_certificate(
        &self,
        directory: &Path,
        name: &str,
        mut params: CertificateParams,
    ) -> Result<(), SandboxError> {
        let certificate = directory.join(format!("{name}.pem"));
        if certificate.exists() {
            return Ok(());
        }
        params.not_before = rcgen::date_time_ymd(self.first_year - 1, 1, 1);
        params.not_after = rcgen::date_time_ymd(self.first_year + YEARS_VALID, 1, 1);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let pair = generate_pair()?;
        let made = params
            .signed_by(&pair, &self.issuer)
            .map_err(SandboxError::new)?;
        let key = directory.join(format!("{name}.key"));
        write_pair((&certificate, &made.pem()), (&key, &pair))
    }
}

fn authority_params(first_year: i32) -> CertificateParams {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "Onward sandbox authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = rcgen::date_time_ymd(first_year - 1, 1, 1);
    params.not_after = rcgen::date_time_ymd(first_year + YEARS_VALID, 1, 1);
    params
}

fn generate_pair() -> Result<KeyPair, SandboxError> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(SandboxError::new)
}

/// The key first: a certificate that is there has its key beside it.
fn write_pair(
    (certificate, pem): (&Path, &str),
    (key, pair): (&Path, &KeyPair),
) -> Result<(), SandboxError> {
    files::write_secret(key, &pair.serialize_pem())
        .and_then(|()| files::write(certificate, pem))
        .map_err(SandboxError::new)
}
