//! Which client certificates pass the handshake (T02 to T05).

use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

use edge::tls::ExtendedKeyUsage;

use super::{TLS12, TLS13, outcome, trusting_with};
use crate::sqlite_story;
use crate::test_server::{At, TestServer};

/// A certificate for clients, valid for a long time.
fn client_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2090, 1, 1);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    params
}

pub(super) fn changed(change: impl FnOnce(&mut CertificateParams)) -> CertificateParams {
    let mut params = client_params();
    change(&mut params);
    params
}

/// Certificate and key of this issuer, PEM.
pub(super) fn issue(issuer: &Issuer<'_, KeyPair>, params: &CertificateParams) -> String {
    let pair = KeyPair::generate().unwrap();
    let made = params.signed_by(&pair, issuer).unwrap();
    made.pem() + &pair.serialize_pem()
}

/// The test's own authority.
pub(super) fn authority(server: &TestServer) -> Issuer<'static, KeyPair> {
    let read = |name| std::fs::read_to_string(server.directory.path().join(name)).unwrap();
    let pair = KeyPair::from_pem(&read("ca.key")).unwrap();
    Issuer::from_ca_cert_pem(&read("ca.pem"), pair).unwrap()
}

/// Another authority, which may bear the name of the test's.
pub(super) fn stranger(name: &str) -> Issuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Issuer::new(params, KeyPair::generate().unwrap())
}

/// A certificate that a client made with its own one, followed by that one.
fn issued_by_a_client(server: &TestServer, own: CertificateParams) -> String {
    let pair = KeyPair::generate().unwrap();
    let certificate = own.signed_by(&pair, &authority(server)).unwrap().pem();
    let made = issue(&Issuer::new(own, pair), &client_params());
    let (leaf, key) = made.split_at(made.find("-----BEGIN PRIVATE").unwrap());
    format!("{leaf}{certificate}{key}")
}

fn without_usage(params: &mut CertificateParams) {
    params.extended_key_usages.clear();
}

sqlite_story! {
    /// The operator may allow them, for an authority that issues no other certificates.
    async fn certificates_without_a_usage_pass_where_the_setting_says_so(server) {
        server = server
            .reconfigure(|config| config.client_certificate_usage = ExtendedKeyUsage::Optional)
            .await;
        let identity = issue(&authority(&server), &changed(without_usage));
        let config = trusting_with(&server, Some(&identity), TLS13);
        assert_eq!(outcome(&server, At::Base, config).await, "404");
    }
}

sqlite_story! {
    async fn only_certificates_of_the_configured_authority_pass(server) {
        let ours = authority(&server);
        let own = |change: fn(&mut CertificateParams)| Some(issue(&ours, &changed(change)));
        let by_other = |name: &str| Some(issue(&stranger(name), &client_params()));
        let folder = server.directory.path();
        let by_client = issued_by_a_client(&server, client_params());
        let of_server = ["server.pem", "server.key"]
            .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
            .concat();
        let in_past = |params: &mut CertificateParams| {
            params.not_after = rcgen::date_time_ymd(2026, 1, 1);
        };
        let in_future = |params: &mut CertificateParams| {
            params.not_before = rcgen::date_time_ymd(2089, 1, 1);
        };
        let for_servers = |params: &mut CertificateParams| {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        };
        for (label, identity, expected) in [
            ("T02 none", None, "404"),
            ("of our authority", own(|_params| {}), "404"),
            ("T03 of another authority", by_other("Another"), "UnknownCA"),
            ("T03 of another one of the same name", by_other("Onward sandbox authority"), "DecryptError"),
            ("T04 expired", own(in_past), "CertificateExpired"),
            ("T04 not valid yet", own(in_future), "CertificateExpired"),
            ("T05 for servers", own(for_servers), "UnsupportedCertificate"),
            ("T05 the server's own", Some(of_server), "UnsupportedCertificate"),
            ("T05 without a usage", own(without_usage), "UnsupportedCertificate"),
            ("issued by a client", Some(by_client), "CertificateUnknown"),
        ] {
            for versions in [TLS12, TLS13] {
                for at in [At::Base, At::Auth, At::Listing] {
                    let config = trusting_with(&server, identity.as_deref(), versions);
                    let outcome = outcome(&server, at, config).await;
                    // The last word of `received fatal alert: CertificateExpired`.
                    let outcome = outcome.rsplit(' ').next().unwrap_or_default();
                    assert_eq!(outcome, expected, "{label} at {at:?} {:?}", versions[0].version);
                }
            }
        }
    }
}

sqlite_story! {
    /// The key set must open to everybody, whatever certificate they carry.
    async fn the_directory_asks_for_none(server) {
        let identity = issue(&stranger("Another"), &client_params());
        for versions in [TLS12, TLS13] {
            let config = trusting_with(&server, Some(&identity), versions);
            assert_eq!(outcome(&server, At::Directory, config).await, "404");
        }
    }
}
