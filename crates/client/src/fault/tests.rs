//! Tests of the classes of errors.

use std::io;

use rustls::{AlertDescription, CertificateError, Error};

use super::{CertificateFault, Fault, find_cause, readable_name};

#[test]
fn a_cause_is_found_inside_of_io_errors() {
    let wrap = |error: Error| io::Error::other(io::Error::other(error));
    let alert = AlertDescription::CertificateExpired;
    let error = wrap(Error::AlertReceived(alert));
    assert_eq!(Fault::classify(&error), Fault::Alert(alert));
    assert!(find_cause::<std::fmt::Error>(&error).is_none());
    for (error, fault) in [
        (CertificateError::Expired, CertificateFault::Expired),
        (CertificateError::NotValidYet, CertificateFault::NotYetValid),
        (
            CertificateError::UnknownIssuer,
            CertificateFault::UnknownIssuer,
        ),
        (
            CertificateError::BadSignature,
            CertificateFault::OtherIssuerKey,
        ),
        (
            CertificateError::NotValidForName,
            CertificateFault::WrongName(Vec::new()),
        ),
        (CertificateError::Revoked, CertificateFault::Other),
    ] {
        let error = wrap(Error::InvalidCertificate(error));
        assert_eq!(Fault::classify(&error), Fault::Certificate(fault));
    }
    let other = io::Error::from(io::ErrorKind::ConnectionRefused);
    assert_eq!(Fault::classify(&other), Fault::Other);
}

#[test]
fn names_of_certificates_are_readable() {
    for (name, expected) in [
        ("DnsName(\"api.example\")", "api.example"),
        ("IpAddress(127.0.0.1)", "127.0.0.1"),
        ("api.example", "api.example"),
    ] {
        assert_eq!(readable_name(name), expected);
    }
}
