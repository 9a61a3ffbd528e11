//! What the addresses that take tokens say of themselves, and how one gets there.

use serde_json::json;

use super::read_published;
use crate::sqlite_story;
use crate::test_server::{AUTH_URL, Answer, At, BASE_URL, TestServer, http_client, send};

const CHAINS: &str = "/api/v1/standard/chains";

/// Where a challenge leads.
fn metadata_of(answer: &Answer) -> Option<&str> {
    let challenge = answer.header("www-authenticate");
    let (_, rest) = challenge.split_once("resource_metadata=\"")?;
    rest.strip_suffix('"')
}

async fn ask(server: &TestServer, at: At, path: &str, token: Option<&str>) -> Answer {
    let mut request = http_client(server, None).post(server.url(at, path));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    send(request).await
}

sqlite_story! {
    async fn it_is_that_of_rfc_9728(server) {
        let path = "/.well-known/oauth-protected-resource";
        let base = read_published(&server, &server.url(At::Base, path)).await.json();
        assert_eq!(base, json!({
            "resource": BASE_URL,
            "authorization_servers": [AUTH_URL],
            "jwks_uri": "https://localhost:8442/jwks",
            "scopes_supported": ["transaction-status", "transaction-history"],
            "bearer_methods_supported": ["header"],
            "resource_signing_alg_values_supported": ["RS256"],
            "resource_name": "Chain query",
            "resource_documentation": "https://localhost:8440/docs",
            "tls_client_certificate_bound_access_tokens": true,
        }));
        let listing = read_published(&server, &server.url(At::Listing, path)).await.json();
        assert_eq!(listing, json!({
            "resource": "https://localhost:8443",
            "authorization_servers": [AUTH_URL],
            "scopes_supported": ["listing"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Listing and chain management",
            "resource_documentation": "https://localhost:8443/docs",
            "tls_client_certificate_bound_access_tokens": true,
        }));
        for at in [At::Auth, At::Directory] {
            let answer = http_client(&server, None).get(server.url(at, path)).send().await.unwrap();
            assert_eq!(answer.status(), 404);
        }
    }
}

sqlite_story! {
    async fn a_challenge_leads_to_a_token(server) {
        for (at, path, scope) in [
            (At::Base, CHAINS, "transaction-status"),
            (At::Listing, "/api/v1/chain/add/link", "listing"),
        ] {
            for token in [None, Some("garbage")] {
                let refused = ask(&server, at, path, token).await;
                assert_eq!(refused.status, 401);
                let place = server.reach(metadata_of(&refused).unwrap());
                let resource = read_published(&server, &place).await.json();
                let reached = server.reach(resource["resource"].as_str().unwrap());
                assert_eq!(reached, server.url(at, ""));
                assert_eq!(resource["scopes_supported"][0], scope);
                let issuer = resource["authorization_servers"][0].as_str().unwrap();
                let place = format!("{issuer}/.well-known/oauth-authorization-server");
                let metadata = read_published(&server, &server.reach(&place)).await.json();
                assert_eq!(metadata["issuer"], issuer);
            }
        }
    }
}

sqlite_story! {
    async fn other_challenges_lead_nowhere(server) {
        let no_key = ask(&server, At::Base, "/api/v1/webhook/subscribe", None).await;
        assert_eq!(no_key.status, 401);
        let challenges = no_key.header("www-authenticate");
        assert!(challenges.starts_with("ApiKey, Bearer resource_metadata=\""), "{challenges}");
        let key = "onward_1_x";
        let wrong_key = server.webhook(key, ("GET", "/subscriptions"), None).await;
        assert_eq!((wrong_key.status, wrong_key.header("www-authenticate")), (401, "ApiKey"));
        let agent = server.register("agent", &["listing"]).await;
        let token = server.token(&agent, None).await;
        let request = agent.http.post(server.url(At::Base, CHAINS)).bearer_auth(token);
        let no_scope = send(request).await;
        assert_eq!((no_scope.status, metadata_of(&no_scope)), (403, None));
    }
}
