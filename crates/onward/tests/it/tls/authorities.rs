//! Authorities of clients come and go while the server serves, and certificates expire.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, SerialNumber};

use super::certificates::{authority, changed, issue};
use super::{TLS13, outcome, trusting_with};
use crate::sqlite_story;
use crate::test_server::{At, BEGINNING, Registration, TestServer, http_client};

const DAY: i64 = 86_400;

/// Another authority: its certificate, PEM, and what issues in its name.
pub(super) fn second_authority() -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::default();
    let name = &mut params.distinguished_name;
    name.push(DnType::CommonName, "The second one");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pair = KeyPair::generate().unwrap();
    let own = params.self_signed(&pair).unwrap().pem();
    (own, Issuer::new(params, pair))
}

/// A client with this certificate, on a connection that stays open.
async fn register(server: &TestServer, name: &str, identity: String) -> Registration {
    let mut client = server.register(name, &["transaction-status"]).await;
    client.http = http_client(server, Some(&identity));
    client.identity = identity;
    client
}

async fn ask(server: &TestServer, client: &Registration, token: &str) -> u16 {
    let form = [("inputType", "uprn"), ("value[]", "1")];
    server.query_with(client, token, &form).await.status
}

/// What becomes of a new connection with the client's certificate.
async fn connect(server: &TestServer, client: &Registration) -> String {
    let config = trusting_with(server, Some(&client.identity), TLS13);
    let outcome = outcome(server, At::Base, config).await;
    outcome.rsplit(' ').next().unwrap_or_default().to_owned()
}

sqlite_story! {
    async fn authorities_come_and_go(server) {
        let folder = server.directory.path().to_owned();
        let file = folder.join("clients.pem");
        let first = std::fs::read_to_string(folder.join("ca.pem")).unwrap();
        let (second, issuer) = second_authority();
        std::fs::write(&file, &first).unwrap();
        let path = file.display().to_string();
        server = server.reconfigure(|config| config.client_ca_file = path).await;
        let of_first = issue(&authority(&server), &changed(|_params| {}));
        let of_second = issue(&issuer, &changed(|params| {
            params.serial_number = Some(SerialNumber::from(2));
        }));
        let old = register(&server, "old", of_first).await;
        let new = register(&server, "new", of_second).await;
        let token = server.token(&old, None).await;
        assert_eq!(ask(&server, &old, &token).await, 404);
        assert_eq!(connect(&server, &new).await, "UnknownCA", "not yet");

        std::fs::write(&file, first + &second).unwrap();
        server.node.reload_certificates().await;
        assert_eq!((connect(&server, &old).await, connect(&server, &new).await),
            ("404".to_owned(), "404".to_owned()), "both");
        let new_token = server.token(&new, None).await;
        assert_eq!(ask(&server, &new, &new_token).await, 404);
        assert_eq!(ask(&server, &old, &token).await, 404, "the open connection goes on");

        std::fs::write(&file, &second).unwrap();
        server.node.reload_certificates().await;
        assert_eq!(connect(&server, &old).await, "UnknownCA", "no more");
        assert_eq!(ask(&server, &old, &token).await, 401, "nor on an open connection");
        assert_eq!(ask(&server, &new, &new_token).await, 404, "the other's goes on");
    }
}

sqlite_story! {
    /// RFC 5280 section 6.1.3: also of a connection that was opened before.
    async fn a_certificate_expires_on_an_open_connection(server) {
        // The handshake goes by the machine's clock, and what follows by the test's.
        let identity = issue(&authority(&server), &changed(|params| {
            params.not_after = rcgen::date_time_ymd(2089, 1, 1);
        }));
        let client = register(&server, "lender", identity).await;
        let ask = async |label: &str| {
            let now = server.node.foundation.clock.now_seconds();
            let assertion = client.assertion().claim("iat", now.into()).claim("exp", (now + 60).into());
            let answer = server.request_token(&client, &assertion.sign(&client.key), None).await;
            (label.to_owned(), answer.oauth())
        };
        assert_eq!(ask("today").await, ("today".to_owned(), "200 -".to_owned()));
        // 2088-12-31, and the day after the last.
        server.clock.advance(3_755_289_600 - BEGINNING);
        assert_eq!(ask("the day before").await.1, "200 -");
        server.clock.advance(2 * DAY);
        assert_eq!(ask("the day after").await.1, "401 invalid_client");
    }
}
