//! Client certificates that their authority has revoked.

use rcgen::{
    CertificateRevocationListParams, Issuer, KeyIdMethod, KeyPair, RevokedCertParams, SerialNumber,
};

use super::certificates::{authority, changed, issue, stranger};
use super::{TLS12, TLS13, outcome, trusting_with};
use crate::story;
use crate::world::{At, World, http_client};

/// The list of what this issuer has revoked, good until a year, PEM.
fn list(issuer: &Issuer<'_, KeyPair>, revoked: &[u64], until: i32) -> String {
    let begun = rcgen::date_time_ymd(2020, 1, 1);
    let revoked_certs = revoked.iter().map(|serial| RevokedCertParams {
        serial_number: SerialNumber::from(*serial),
        revocation_time: begun,
        reason_code: None,
        invalidity_date: None,
    });
    let params = CertificateRevocationListParams {
        this_update: begun,
        next_update: rcgen::date_time_ymd(until, 1, 1),
        crl_number: SerialNumber::from(1),
        issuing_distribution_point: None,
        revoked_certs: revoked_certs.collect(),
        key_identifier_method: KeyIdMethod::Sha256,
    };
    params.signed_by(issuer).unwrap().pem().unwrap()
}

/// A certificate of the story's authority with this number, and its key, PEM.
fn numbered(world: &World, serial: u64) -> String {
    let params = changed(|params| params.serial_number = Some(SerialNumber::from(serial)));
    issue(&authority(world), &params)
}

/// Puts the list in place and lets the server read it.
async fn publish(world: &World, list: &str) {
    std::fs::write(world.directory.path().join("crl.pem"), list).unwrap();
    world.server.reload_certificates().await;
}

/// Starts the server again with a list of nothing revoked.
async fn with_list(world: World) -> World {
    let path = world.directory.path().join("crl.pem");
    std::fs::write(&path, list(&authority(&world), &[], 2090)).unwrap();
    let path = path.display().to_string();
    world
        .reconfigure(|config| config.client_crl_file = path)
        .await
}

/// What becomes of a connection with this certificate, in both versions of TLS.
async fn check(world: &World, identity: &str, expected: &str, label: &str) {
    for versions in [TLS12, TLS13] {
        for at in [At::Base, At::Auth, At::Listing] {
            let config = trusting_with(world, Some(identity), versions);
            let outcome = outcome(world, at, config).await;
            let outcome = outcome.rsplit(' ').next().unwrap_or_default();
            assert_eq!(
                outcome, expected,
                "{label} at {at:?} {:?}",
                versions[0].version
            );
        }
    }
}

story! {
    async fn a_revoked_certificate_is_refused_and_others_pass(world) {
        world = with_list(world).await;
        let (seventh, eighth) = (numbered(&world, 7), numbered(&world, 8));
        check(&world, &seventh, "404", "before").await;
        publish(&world, &list(&authority(&world), &[7, 9], 2090)).await;
        check(&world, &seventh, "CertificateRevoked", "revoked").await;
        check(&world, &eighth, "404", "another").await;
    }
}

story! {
    /// RFC 5280 section 6.3.3: without a list that is in date nothing is known of a certificate.
    async fn a_certificate_of_which_nothing_is_known_is_refused(world) {
        world = with_list(world).await;
        let identity = numbered(&world, 7);
        publish(&world, &list(&authority(&world), &[], 2026)).await;
        check(&world, &identity, "UnknownCA", "out of date").await;
        // The operator is told when: 2026-01-01.
        let metrics = http_client(&world, None).get(world.url(At::Ops, "/metrics")).send().await;
        let metrics = metrics.unwrap().text().await.unwrap();
        let end = "onward_tls_end_timestamp_seconds{setting=\"client_crl_file\"} 1767225600\n";
        assert!(metrics.contains(end), "{metrics}");
        publish(&world, &list(&stranger("Another"), &[], 2090)).await;
        check(&world, &identity, "UnknownCA", "another authority's list").await;
        // The door is not closed to those who need no certificate.
        let open = trusting_with(&world, None, TLS13);
        assert_eq!(outcome(&world, At::Listing, open).await, "404");
    }
}

story! {
    async fn a_revocation_counts_on_open_connections_too(world) {
        world = with_list(world).await;
        let mut lender = world.register("lender", &["transaction-status"]).await;
        lender.identity = numbered(&world, 7);
        lender.http = http_client(&world, Some(&lender.identity));
        let token = world.token(&lender, None).await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        assert_eq!(world.query_with(&lender, &token, &form).await.status, 404);
        // A reload that does not concern the certificate changes nothing.
        publish(&world, &list(&authority(&world), &[9], 2090)).await;
        assert_eq!(world.query_with(&lender, &token, &form).await.status, 404);
        // A new connection would be refused, so that this is answered on the open one.
        publish(&world, &list(&authority(&world), &[7], 2090)).await;
        for _attempt in 1..=2 {
            assert_eq!(world.query_with(&lender, &token, &form).await.status, 401);
        }
    }
}
