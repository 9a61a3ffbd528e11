//! Which certificates a client may call with, and how its registration writes them.

use signing::certificate::PeerCertificate;
use signing::certificate::{self, AcceptedCertificate, DistinguishedName, Names, Thumbprint};

/// The subject is CN=app, OU=1234, O=Lender Ltd.
const LENDER: &str = "\
-----BEGIN CERTIFICATE-----
MIIBYjCCAQcCFHgj5t+5g4v5gdWerO8I2jpgxlrZMAoGCCqGSM49BAMCMDIxDDAK
BgNVBAMMA2FwcDENMAsGA1UECwwEMTIzNDETMBEGA1UECgwKTGVuZGVyIEx0ZDAg
Fw0yNjExMjQwMzQ3MjJaGA8yMTI2MTAzMTAzNDcyMlowMjEMMAoGA1UEAwwDYXBw
MQ0wCwYDVQQLDAQxMjM0MRMwEQYDVQQKDApMZW5kZXIgTHRkMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEBN6b2/FH/J91IT/a+X36G8alu5Wo7XFaA5/ueevdIHVO
gObm6RUBj/RUcvIeh2grt2Rhd7aDAf2yszu8Mdi/ljAKBggqhkjOPQQDAgNJADBG
AiEArodyrTR7s9OBHUqbKAmnIL3c7UQfjlUdgCbFwrG0xOQCIQC+JsD73MCZ4l74
tM8tfzPm4SKrgm37nL09NeLp0gqbKQ==
-----END CERTIFICATE-----
";

/// The subject is CN=app, OU=1234, and both values are `BMPString`: two bytes for each character.
const TWO_BYTES: &str = "\
-----BEGIN CERTIFICATE-----
MIIBQzCB6gITOl+TpTRSqDmIp7Iq+zMaAGgMNDAKBggqhkjOPQQDAjAkMQ8wDQYD
VQQDHgYAYQBwAHAxETAPBgNVBAseCAAxADIAMwA0MCAXDTI2MTEyNDAzNDcyMloY
DzIxMjYxMDMxMDM0NzIyWjAkMQ8wDQYDVQQDHgYAYQBwAHAxETAPBgNVBAseCAAx
ADIAMwA0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+8lIs1+xl5gaPXu0yv83
J3YPXNPwk4C0UMb1+Bx6KR1aK20SdErgEjEkyaVzlszWQu6jhn86W2g5UiyktKr7
UjAKBggqhkjOPQQDAgNIADBFAiEA48yh7KuMd6+hX3aJs/awAI+QcguYbpWTBMT+
uPTTYIoCIHCuPYqW+WwnHEC7uP8w7ZRjmlSdA2SpZrJdGDOxOgGS
-----END CERTIFICATE-----
";

fn der_of(pem: &str) -> Vec<u8> {
    certificate::read_file(pem.as_bytes()).unwrap()
}

fn parse(lines: &[&str]) -> Option<AcceptedCertificate> {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    AcceptedCertificate::parse(&lines).ok()
}

/// Compares the lines that the registration writes, and the certificates that it accepts.
#[track_caller]
fn check(lines: &[&str], written: &[&str], accepts: [bool; 2]) {
    let accepted = parse(lines).unwrap();
    assert_eq!(accepted.to_lines(), written);
    assert_eq!(parse(written).unwrap(), accepted);
    let found = [LENDER, TWO_BYTES].map(|pem| {
        let presented = PeerCertificate::of_der(&der_of(pem));
        accepted.accepts(&presented)
    });
    assert_eq!(found, accepts, "{lines:?}");
}

#[test]
fn a_registration_names_the_certificates_of_its_client() {
    let thumbprint = Thumbprint::of_der(&der_of(TWO_BYTES)).to_base64url();
    let thumbprint = format!("x5t#S256 {thumbprint}");
    let whole = "subject CN=app,OU=1234,O=Lender Ltd";
    let itself = "issuer O=Lender Ltd,OU=1234,CN=app";
    check(&[], &[], [true, true]);
    check(&[&thumbprint], &[&thumbprint], [false, true]);
    check(&[whole], &[whole], [true, false]);
    check(&[whole, itself], &[whole, itself], [true, false]);
    check(
        &[whole, "issuer CN=app"],
        &[whole, "issuer CN=app"],
        [false, false],
    );
    check(&["subject CN=app"], &["subject CN=app"], [false, false]);
}

/// Clients that were registered when there was no other form keep their certificates.
#[test]
fn an_old_registration_names_attributes_among_others() {
    check(&["OU=1234"], &["OU=1234"], [true, false]);
    // A type is written with its short name in capital letters.
    let both = ["o=Lender Ltd", "2.5.4.11=1234"];
    check(&both, &["O=Lender Ltd", "OU=1234"], [true, false]);
    check(
        &["OU=1234", "O=Lender"],
        &["OU=1234", "O=Lender"],
        [false, false],
    );
}

#[test]
fn lines_that_name_no_certificate_are_refused() {
    for lines in [
        &["x5t#S256 short"][..],
        &["subject "],
        &["subject CN=app", "CN=app"],
        &["CN app"],
        &["XY=app"],
    ] {
        assert_eq!(parse(lines), None, "{lines:?}");
    }
}

/// RFC 4514 section 2.4: a value that is no text is written as `#` and hexadecimal digits.
#[test]
fn a_value_that_is_no_text_is_written_in_hexadecimal() {
    let subject = Names::of_der(&der_of(TWO_BYTES)).unwrap().subject;
    let written = subject.to_string();
    assert_eq!(written, "CN=#006100700070,OU=#0031003200330034");
    assert_eq!(written.parse::<DistinguishedName>().unwrap(), subject);
    assert_ne!(
        "CN=app,OU=1234".parse::<DistinguishedName>().unwrap(),
        subject
    );
    let line = format!("subject {written}");
    check(&[&line], &[&line], [false, true]);
}

#[test]
fn a_file_that_is_no_certificate_says_nothing() {
    let der = der_of(LENDER);
    let no_der = b"no certificate";
    assert_eq!(certificate::read_file(no_der), None);
    assert_eq!(certificate::subject(no_der), None);
    assert_eq!(certificate::validity(no_der), None);
    assert!(Names::of_der(no_der).is_none());
    assert!(!certificate::is_list_of(no_der, &der));
    assert!(certificate::validity(&der).is_some());
}
