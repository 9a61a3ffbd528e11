//! Another Onward is the framework (S-75).

use std::net::TcpListener;

use serde_json::json;
use storage::participants;

use super::{ACCEPTED, status};
use crate::story;
use crate::test_server::{
    ASSERTION_TYPE, Member, Registration, TestServer, send, token_form, trust,
};

/// An Onward whose public addresses are its real ones.
async fn begin_framework() -> TestServer {
    let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [auth, directory] = ports.map(|port| port.local_addr().unwrap());
    let framework = TestServer::on_sqlite().await;
    framework
        .reconfigure(move |config| {
            (config.listen_auth, config.listen_directory) = (auth, directory);
            config.auth_url = format!("https://localhost:{}", auth.port());
            config.directory_url = format!("https://localhost:{}", directory.port());
        })
        .await
}

async fn organisation_of(framework: &TestServer, name: &str) -> String {
    let name = name.to_owned();
    let finding = framework
        .storage
        .read(move |read| participants::find_participant(read, &name));
    finding.await.unwrap().unwrap().organisation_id
}

/// A right assertion of a client for this framework, signed.
fn assert_identity(framework: &TestServer, client: &Registration) -> String {
    let now = framework.now();
    let assertion = client.assertion().claim("iat", json!(now));
    let assertion = assertion.claim("aud", json!(framework.config.auth_url));
    assertion.claim("exp", json!(now + 120)).sign(&client.key)
}

/// Gets a token of the framework, bound to the member's certificate of the framework's authority.
async fn request_token(framework: &TestServer, member: &Member, assertion: &str) -> String {
    let url = format!("{}/token", framework.config.auth_url);
    let mut form = token_form(assertion).to_vec();
    form.push(("scope", "transaction-status"));
    send(member.http.post(url).form(&form)).await.access_token()
}

story! {
    async fn a_token_of_another_onward_is_accepted_until_it_is_revoked(server) {
        let framework = begin_framework().await;
        let us = framework
            .register_as("us", &[], |client| client.introspects = vec!["transaction-status".to_owned()])
            .await;
        let lender = framework.register("lender", &["transaction-status"]).await;
        let folder = framework.directory.path().to_owned();
        std::fs::write(folder.join("us-assertion.key"), us.key.to_pkcs8_pem().unwrap()).unwrap();
        let our_organisation = organisation_of(&framework, &us.participant).await;
        let own = server.directory.path().to_owned();
        let (auth_url, directory_url) = (framework.config.auth_url.clone(), framework.config.directory_url.clone());
        server = server
            .reconfigure(move |config| {
                let path = |name: &str| folder.join(name).display().to_string();
                trust(config, &own, &folder);
                config.framework_introspection_url = format!("{auth_url}/introspect");
                config.framework_issuer = auth_url;
                config.framework_directory_url = format!("{directory_url}/participants");
                config.framework_organisation_id = our_organisation;
                config.framework_client_id = us.id;
                config.framework_certificate_file = path("us.pem");
                config.framework_certificate_key_file = path("us.key");
                config.framework_assertion_key_file = path("us-assertion.key");
                config.framework_assertion_alg = "ES256".to_owned();
            })
            .await;
        server.wait_for_directory(server.now()).await;
        let organisation = organisation_of(&framework, &lender.participant).await;
        let folder = framework.directory.path();
        let at_framework = framework.member(folder, "lender-of-framework", &organisation);
        let here = server.member(folder, "lender-of-framework", &organisation);
        let token = request_token(&framework, &at_framework, &assert_identity(&framework, &lender)).await;
        assert_eq!(status(&server, &here, &token).await, ACCEPTED);
        let form = [
            ("token", &*token),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &assert_identity(&framework, &lender)),
        ];
        let url = format!("{}/revoke", framework.config.auth_url);
        assert_eq!(send(at_framework.http.post(url).form(&form)).await.status, 200);
        assert_eq!(status(&server, &here, &token).await, ACCEPTED, "within the minute of the cache");
        server.clock.advance(60);
        assert_eq!(status(&server, &here, &token).await, 401);
        framework.end().await;
    }
}
