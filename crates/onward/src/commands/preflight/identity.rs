//! The client's certificate: the files themselves, and whether the service accepts it.

use std::path::Path;

use client::fault::Fault;
use client::reach::reach;
use client::sandbox::read_file;
use client::{ClientError, ClientFiles, TlsIdentity, Trust};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{AlertDescription, Error};
use signing::certificate::{Thumbprint, has_extended_key_usage, subject};

use super::report::{Advice, Check, Who};
use super::validity::{Dates, is_in_order, issuer};
use crate::commands::source::KEY_FILE_LIMIT_BYTES;

/// A client certificate with its key, which belong together.
pub(super) struct Identity {
    certificate_pem: Vec<u8>,
    key_pem: Vec<u8>,
    leaf: CertificateDer<'static>,
}

impl Identity {
    /// Reads and checks the files of the certificate and its key. `None`, and a failure in `check`, if
    /// they cannot be used at the Unix time `now`.
    pub(super) fn read(files: &ClientFiles, now: i64, check: &mut Check) -> Option<Self> {
        let certificate_pem = read(&files.certificate, "--certificate", check);
        let key_pem = read(&files.key, "--key", check);
        let (certificate_pem, key_pem) = (certificate_pem?, key_pem?);
        let chain = read_chain(&files.certificate, &certificate_pem, check)?;
        let key = read_key(&files.key, &key_pem, check)?;
        let leaf = chain.first()?.clone();
        check_dates(files, &leaf, now, check);
        check_form(files, &chain, check);
        check_pair(files, chain, key, check);
        (!check.has_failed()).then_some(Self {
            certificate_pem,
            key_pem,
            leaf,
        })
    }

    /// The thumbprint of the certificate (RFC 8705, section 3.1).
    pub(super) fn thumbprint(&self) -> Thumbprint {
        Thumbprint::of_der(&self.leaf)
    }

    /// Calls the address with the certificate. Returns whether the service accepts it.
    pub(super) async fn present(&self, url: String, trust: &Trust, check: &mut Check) -> bool {
        let identity = TlsIdentity {
            certificate_pem: &self.certificate_pem,
            key_pem: &self.key_pem,
        };
        match reach(&url, trust, Some(identity)).await {
            Ok(_reached) => check.note("the service accepts the certificate in the handshake"),
            Err(ClientError::Unreachable {
                fault: Fault::Alert(alert),
                ..
            }) => {
                let found =
                    format_args!("the service refuses the certificate in the handshake: {alert:?}");
                check.fail(found, self.advise(alert));
            }
            // The same address answered a call without the certificate before.
            Err(error) => {
                let found =
                    format_args!("the connection ends once it has shown the certificate: {error}");
                check.fail(found, [self.name_authority(), ask_for_usage()]);
            }
        }
        !check.has_failed()
    }

    fn advise(&self, alert: AlertDescription) -> Vec<Advice> {
        if alert == AlertDescription::CertificateExpired {
            return vec![Who::You.should("renew the certificate, or set this machine's clock")];
        }
        if alert == AlertDescription::CertificateRevoked {
            return vec![
                Who::Authority.should("say why the certificate was revoked, and issue a new one"),
                Who::You
                    .should("put the new certificate into --certificate and its key into --key"),
            ];
        }
        vec![self.name_authority(), ask_for_usage()]
    }

    fn name_authority(&self) -> Advice {
        let issuer = issuer(&self.leaf);
        Who::Operator.should(format_args!(
            "put the authority `{issuer}` into client_ca_file, if its clients may call"
        ))
    }
}

fn ask_for_usage() -> Advice {
    Who::Authority.should("issue a certificate with the extended key usage clientAuth")
}

fn read(path: &Path, option: &str, check: &mut Check) -> Option<Vec<u8>> {
    let read = read_file(path, KEY_FILE_LIMIT_BYTES);
    read.map_err(|error| {
        let advice = format_args!("put a file that this user may read into {option}");
        check.fail(error, [Who::You.should(advice)]);
    })
    .ok()
}

fn read_chain(path: &Path, pem: &[u8], check: &mut Check) -> Option<Vec<CertificateDer<'static>>> {
    let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.unwrap_or_default();
    if chain.first().is_some_and(|leaf| subject(leaf).is_some()) {
        return Some(chain);
    }
    let advice = "put your certificate in PEM into the file of --certificate, and below it the \
                  intermediate certificates";
    let found = format_args!("{} holds no PEM certificate", path.display());
    check.fail(found, [Who::You.should(advice)]);
    None
}

fn read_key(path: &Path, pem: &[u8], check: &mut Check) -> Option<PrivateKeyDer<'static>> {
    let key = PrivateKeyDer::from_pem_slice(pem).ok();
    if key.is_none() {
        let advice = "put the private key of the certificate, in PEM and without a password, into \
                      the file of --key";
        let found = format_args!("{} holds no PEM private key", path.display());
        check.fail(found, [Who::You.should(advice)]);
    }
    key
}

fn check_dates(files: &ClientFiles, leaf: &CertificateDer<'_>, now: i64, check: &mut Check) {
    let shown = files.certificate.display();
    let (found, change) = match Dates::of(leaf, now) {
        Some(Dates::Valid(days, _end)) => {
            let subject = subject(leaf).unwrap_or_default();
            check.note(format_args!("`{subject}` is valid for {days} days"));
            return;
        }
        Some(Dates::Ending(days, end)) => {
            let advice = renew(files);
            let found = format_args!("{shown} ends in {days} days, at {end}");
            check.warn(found, advice);
            return;
        }
        Some(Dates::Early(start)) => (
            format!("{shown} is not valid before {start}"),
            Who::You.should("wait until then, or set this machine's clock if it is wrong"),
        ),
        Some(Dates::Expired(end)) => (format!("{shown} expired at {end}"), renew(files)),
        None => return,
    };
    let issue = Who::Authority.should("issue a certificate that is valid now");
    check.fail(found, [change, issue]);
}

fn renew(files: &ClientFiles) -> Advice {
    let shown = files.certificate.display();
    Who::You.should(format_args!(
        "request a new certificate, put it into {shown}, and send it to Onward's operator if the \
         old one is registered by itself"
    ))
}

/// Order and use of the certificates. Some services accept what others refuse, so both are warnings.
fn check_form(files: &ClientFiles, chain: &[CertificateDer<'_>], check: &mut Check) {
    let shown = files.certificate.display();
    if !is_in_order(chain) {
        let advice = "put your own certificate first, and after each certificate its issuer's";
        let found = format_args!("the certificates in {shown} do not follow one another");
        check.warn(found, Who::You.should(advice));
    }
    if chain
        .first()
        .is_some_and(|leaf| !has_extended_key_usage(leaf))
    {
        let found = format_args!("{shown} names no extended key usage, so Onward may refuse it");
        check.warn(found, ask_for_usage());
    }
}

fn check_pair(
    files: &ClientFiles,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    check: &mut Check,
) {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let (certificate, key_file) = (files.certificate.display(), files.key.display());
    match CertifiedKey::from_der(chain, key, &provider) {
        Ok(_pair) => check.note("its key belongs to it"),
        Err(Error::InconsistentKeys(_)) => {
            let advice = [
                Who::You.should(
                    "put the key with which you requested the certificate into --key, or the \
                     certificate of this key into --certificate",
                ),
                Who::Authority.should("if that key is lost, issue a certificate for a new key"),
            ];
            let found = format_args!("the key in {key_file} does not belong to {certificate}");
            check.fail(found, advice);
        }
        Err(error) => {
            let advice = "use a key of RSA with 2,048 bits or more, or ECDSA with P-256";
            let found = format_args!("{key_file} cannot be used with {certificate}: {error}");
            check.fail(found, [Who::You.should(advice)]);
        }
    }
}
