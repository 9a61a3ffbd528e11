//! Client certificates that their authority has revoked.

use std::path::Path;

use rcgen::{
    CertificateRevocationListParams, Issuer, KeyIdMethod, KeyPair, RevokedCertParams, SerialNumber,
};

use super::authorities::second_authority;
use super::certificates::{authority, changed, issue, stranger};
use super::{TLS12, TLS13, outcome, trusting_with};
use crate::sqlite_story;
use crate::test_server::{At, TestServer, http_client};

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

/// A certificate of the test's authority with this number, and its key, PEM.
fn numbered(server: &TestServer, serial: u64) -> String {
    let params = changed(|params| params.serial_number = Some(SerialNumber::from(serial)));
    issue(&authority(server), &params)
}

/// Puts the list in place and lets the server read it.
async fn publish(server: &TestServer, list: &str) {
    std::fs::write(server.directory.path().join("crl.pem"), list).unwrap();
    server.node.reload_certificates().await;
}

/// Starts the server again with a list of nothing revoked.
async fn with_list(server: TestServer) -> TestServer {
    let path = server.directory.path().join("crl.pem");
    std::fs::write(&path, list(&authority(&server), &[], 2090)).unwrap();
    let path = path.display().to_string();
    server
        .reconfigure(|config| config.client_crl_file = path)
        .await
}

/// What becomes of a connection with this certificate, in both versions of TLS.
async fn check(server: &TestServer, identity: &str, expected: &str, label: &str) {
    for versions in [TLS12, TLS13] {
        for at in [At::Base, At::Auth, At::Listing] {
            let config = trusting_with(server, Some(identity), versions);
            let outcome = outcome(server, at, config).await;
            let outcome = outcome.rsplit(' ').next().unwrap_or_default();
            assert_eq!(
                outcome, expected,
                "{label} at {at:?} {:?}",
                versions[0].version
            );
        }
    }
}

sqlite_story! {
    async fn a_revoked_certificate_is_refused_and_others_pass(server) {
        server = with_list(server).await;
        let (seventh, eighth) = (numbered(&server, 7), numbered(&server, 8));
        check(&server, &seventh, "404", "before").await;
        publish(&server, &list(&authority(&server), &[7, 9], 2090)).await;
        check(&server, &seventh, "CertificateRevoked", "revoked").await;
        check(&server, &eighth, "404", "another").await;
    }
}

sqlite_story! {
    /// RFC 5280 section 6.3.3: without a list that is in date nothing is known of a certificate.
    async fn a_certificate_of_which_nothing_is_known_is_refused(server) {
        server = with_list(server).await;
        let identity = numbered(&server, 7);
        publish(&server, &list(&authority(&server), &[], 2026)).await;
        check(&server, &identity, "UnknownCA", "out of date").await;
        let detail = server.wait_until_not_ready("revocation_list").await;
        assert!(detail.ends_with("ended at 2026-01-01T00:00:00Z: replace it"), "{detail}");
        // The log shows the operator when: 2026-01-01.
        let metrics = http_client(&server, None).get(server.url(At::Ops, "/metrics")).send().await;
        let metrics = metrics.unwrap().text().await.unwrap();
        let end = "onward_tls_end_timestamp_seconds{setting=\"client_crl_file\"} 1767225600\n";
        assert!(metrics.contains(end), "{metrics}");
        // Clients that need no certificate are still served.
        let open = trusting_with(&server, None, TLS13);
        assert_eq!(outcome(&server, At::Listing, open).await, "404");
        publish(&server, &list(&authority(&server), &[], 2090)).await;
        server.wait_until_ready().await;
    }
}

sqlite_story! {
    async fn a_list_of_another_authority_is_refused_and_clients_go_on(server) {
        server = with_list(server).await;
        let identity = numbered(&server, 7);
        let metrics = server.node.edge.metrics.clone();
        publish(&server, &list(&stranger("Another"), &[], 2090)).await;
        check(&server, &identity, "404", "another authority's list").await;
        assert_eq!((metrics.tls_files_refused.get(), metrics.tls_reloads.get()), (1, 0));
        publish(&server, &list(&authority(&server), &[8], 2090)).await;
        check(&server, &identity, "404", "its own again").await;
        assert_eq!((metrics.tls_files_refused.get(), metrics.tls_reloads.get()), (0, 1));
    }
}

sqlite_story! {
    async fn an_authority_without_a_list_is_refused_and_clients_go_on(server) {
        let folder = server.directory.path().to_owned();
        let file = folder.join("clients.pem");
        std::fs::copy(folder.join("ca.pem"), &file).unwrap();
        std::fs::write(folder.join("crl.pem"), list(&authority(&server), &[], 2090)).unwrap();
        let text_of = |path: &Path| path.display().to_string();
        server = server.reconfigure(|config| {
            config.client_ca_file = text_of(&file);
            config.client_crl_file = text_of(&folder.join("crl.pem"));
        }).await;
        let first = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, first + &second_authority().0).unwrap();
        server.node.reload_certificates().await;
        assert_eq!(server.node.edge.metrics.tls_files_refused.get(), 1);
        check(&server, &numbered(&server, 7), "404", "of the first authority").await;
    }
}

sqlite_story! {
    async fn a_node_that_starts_with_a_list_of_another_authority_is_not_ready(server) {
        let path = server.directory.path().join("crl.pem");
        std::fs::write(&path, list(&stranger("Another"), &[], 2090)).unwrap();
        let path = path.display().to_string();
        server = server.reconfigure(|config| config.client_crl_file = path).await;
        check(&server, &numbered(&server, 7), "UnknownCA", "another authority's list").await;
        let detail = server.wait_until_not_ready("revocation_list").await;
        assert!(detail.contains("has no revocation list of "), "{detail}");
        publish(&server, &list(&authority(&server), &[], 2090)).await;
        server.wait_until_ready().await;
    }
}

sqlite_story! {
    async fn a_revocation_counts_on_open_connections_too(server) {
        server = with_list(server).await;
        let mut lender = server.register("lender", &["transaction-status"]).await;
        lender.identity = numbered(&server, 7);
        lender.http = http_client(&server, Some(&lender.identity));
        let token = server.token(&lender, None).await;
        let form = [("inputType", "uprn"), ("value[]", "1")];
        assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
        // A reload that does not concern the certificate changes nothing.
        publish(&server, &list(&authority(&server), &[9], 2090)).await;
        assert_eq!(server.query_with(&lender, &token, &form).await.status, 404);
        // A new connection would be refused, so that this is answered on the open one.
        publish(&server, &list(&authority(&server), &[7], 2090)).await;
        for _attempt in 1..=2 {
            assert_eq!(server.query_with(&lender, &token, &form).await.status, 401);
        }
    }
}
