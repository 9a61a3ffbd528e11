//! Tests of plain requests.

use serde_json::json;

use super::{METADATA, RESOURCE, fetch_metadata, fetch_resource, reach};
use crate::ClientError;
use crate::fake_server::{FakeServer, Reply};
use crate::fault::{CertificateFault, Fault};

#[tokio::test]
async fn any_status_is_an_answer() {
    let date = "Date: Sat, 21 Nov 2026 10:00:00 GMT";
    let server = FakeServer::start(move |_, _| Reply::empty(503, date)).await;
    let reached = reach(server.address(), &server.trust(), None)
        .await
        .unwrap();
    assert_eq!(reached.status, 503);
    let date = reached.date.unwrap();
    assert_eq!(date, "Sat, 21 Nov 2026 10:00:00 GMT");
    let stranger = FakeServer::start(|_, _| Reply::empty(200, "")).await;
    let error = reach(server.address(), &stranger.trust(), None).await;
    let Err(ClientError::Unreachable { fault, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(fault, Fault::Certificate(CertificateFault::OtherIssuerKey));
    let plain = reach("http://localhost/", &server.trust(), None).await;
    assert!(matches!(plain, Err(ClientError::Credential { .. })));
}

#[tokio::test]
async fn only_a_description_is_read_as_one() {
    let server = FakeServer::start(|request, earlier| {
        assert_eq!(request.line, format!("GET {METADATA}"));
        match earlier {
            0 => Reply::json(
                200,
                &json!({"issuer": "https://a\u{1b}", "jwks_uri": "https://k"}),
            ),
            1 => Reply::json(200, &json!({"name": "Onward"})),
            _ => Reply::empty(404, ""),
        }
    })
    .await;
    let trust = server.trust();
    let address = format!("{}/", server.address());
    let read = fetch_metadata(&address, &trust).await.unwrap();
    assert_eq!(
        (&*read.issuer, &*read.jwks_uri),
        ("https://aU+001B", "https://k")
    );
    for expected in ["missing field `issuer`", "status 404 instead of"] {
        let error = fetch_metadata(&address, &trust).await.unwrap_err();
        assert!(matches!(error, ClientError::UnexpectedAnswer { .. }));
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn the_path_of_a_resource_follows_the_well_known_one() {
    let server = FakeServer::start(|request, _| {
        if request.line == format!("GET {RESOURCE}") {
            return Reply::json(
                200,
                &json!({"resource": "https://a", "scopes_supported": ["x\u{1b}"]}),
            );
        }
        if request.line == format!("GET {RESOURCE}/own") {
            return Reply::json(200, &json!({"resource": "https://a/own"}));
        }
        Reply::empty(404, "")
    })
    .await;
    let trust = server.trust();
    for (path, resource) in [
        ("", "https://a"),
        ("/", "https://a"),
        ("/own", "https://a/own"),
        ("/own/", "https://a/own"),
        ("/api/v1", "https://a"),
    ] {
        let address = format!("{}{path}", server.address());
        let read = fetch_resource(&address, &trust).await.unwrap();
        assert_eq!(read.resource, resource, "{path}");
    }
    let read = fetch_resource(server.address(), &trust).await.unwrap();
    assert_eq!(read.scopes_supported, ["xU+001B"]);
    let none = FakeServer::start(|_, _| Reply::empty(404, "")).await;
    let error = fetch_resource(none.address(), &none.trust())
        .await
        .unwrap_err();
    let expected = "status 404 instead of the description of a server that takes access tokens";
    assert!(error.to_string().contains(expected), "{error}");
}
