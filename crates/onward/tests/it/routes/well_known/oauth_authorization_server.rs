//! The metadata of the authorisation server, compared with the endpoints.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;

use super::read_published;
use crate::routes::token::{read_token, thumbprint};
use crate::sqlite_story;
use crate::test_server::{AUTH_URL, At, Registration, TestServer, token_form};

async fn metadata(server: &TestServer) -> Value {
    let url = server.url(At::Auth, "/.well-known/oauth-authorization-server");
    read_published(server, &url).await.json()
}

fn texts(value: &Value) -> Vec<&str> {
    let texts = value.as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap()).collect()
}

sqlite_story! {
    async fn it_is_that_of_rfc_8414(server) {
        let endpoints = json!({
            "token_endpoint": "https://localhost:8441/token",
            "introspection_endpoint": "https://localhost:8441/introspect",
            "revocation_endpoint": "https://localhost:8441/revoke",
        });
        let algorithms = json!(["PS256", "ES256", "EdDSA", "RS256"]);
        let mut expected = json!({
            "issuer": AUTH_URL,
            "jwks_uri": "https://localhost:8442/jwks",
            "scopes_supported": ["transaction-status", "transaction-history", "listing"],
            "response_types_supported": [],
            "grant_types_supported": ["client_credentials"],
            "tls_client_certificate_bound_access_tokens": true,
            "mtls_endpoint_aliases": endpoints,
            "protected_resources": ["https://localhost:8440", "https://localhost:8443"],
            "service_documentation": "https://localhost:8441/docs",
        });
        for (name, url) in endpoints.as_object().unwrap() {
            expected[name] = url.clone();
            expected[format!("{name}_auth_methods_supported")] = json!(["private_key_jwt"]);
            expected[format!("{name}_auth_signing_alg_values_supported")] = algorithms.clone();
        }
        assert_eq!(metadata(&server).await, expected);
    }
}

sqlite_story! {
    async fn every_algorithm_of_it_is_taken_and_no_other(server) {
        let metadata = metadata(&server).await;
        for endpoint in ["token_endpoint", "introspection_endpoint", "revocation_endpoint"] {
            let named = &metadata[format!("{endpoint}_auth_signing_alg_values_supported")];
            let mut named = texts(named);
            named.sort_unstable();
            let mut known = Algorithm::ALL.map(Algorithm::as_str);
            known.sort_unstable();
            assert_eq!(named, known, "{endpoint}");
            let url = server.reach(metadata[endpoint].as_str().unwrap());
            for name in named {
                let client = register(&server, &format!("{name} {endpoint}"), name).await;
                assert_eq!(ask(&client, &url, name).await, 200, "{endpoint} {name}");
                let made_up = format!("{name}K");
                assert_eq!(ask(&client, &url, &made_up).await, 401, "{endpoint} {made_up}");
            }
        }
    }
}

/// A client with a key of this algorithm.
async fn register(server: &TestServer, name: &str, algorithm: &str) -> Registration {
    let key = SigningKey::generate(Algorithm::parse(algorithm).unwrap()).unwrap();
    let jwks = json!({"keys": [key.public_key().to_jwk()]}).to_string();
    let name = name.replace(' ', "-");
    let scopes = ["transaction-status"];
    let mut client = server
        .register_as(&name, &scopes, |client| client.jwks = jwks)
        .await;
    client.key = key.into();
    client
}

/// The status of a request that each of the endpoints understands.
async fn ask(client: &Registration, url: &str, algorithm: &str) -> u16 {
    let assertion = client.assertion().member("alg", json!(algorithm));
    let assertion = assertion.sign(&client.key);
    let mut form = token_form(&assertion).to_vec();
    form.push(("token", "any"));
    let answer = client.http.post(url).form(&form).send().await.unwrap();
    answer.status().as_u16()
}

sqlite_story! {
    async fn its_scopes_grant_binding_and_keys_are_real(server) {
        let metadata = metadata(&server).await;
        let scopes = texts(&metadata["scopes_supported"]);
        let client = server.register("all", &scopes).await;
        let token = server.token(&client, None).await;
        let (header, claims) = read_token(&token);
        assert_eq!(claims["scope"], scopes.join(" "));
        assert_eq!(claims["iss"], metadata["issuer"]);
        assert_eq!(claims["cnf"]["x5t#S256"], thumbprint(&client.identity));
        assert_eq!(texts(&metadata["grant_types_supported"]), ["client_credentials"]);
        let form = [("grant_type", "authorization_code")];
        let refused = server.post_token(&client.http, &form).await;
        assert_eq!(refused.oauth(), "400 unsupported_grant_type");
        let keys = server.reach(metadata["jwks_uri"].as_str().unwrap());
        let keys = client.http.get(keys).send().await.unwrap();
        let keys: Value = keys.json().await.unwrap();
        let mut ids = keys["keys"].as_array().unwrap().iter().map(|key| &key["kid"]);
        assert!(ids.all(|kid| *kid != header["kid"]), "tokens are opaque to their bearers");
        let page = server.reach(metadata["service_documentation"].as_str().unwrap());
        assert_eq!(client.http.get(page).send().await.unwrap().status(), 200);
    }
}
