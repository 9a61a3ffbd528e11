//! Which scopes a token carries, and what happens to a token when the operator withdraws its
//! scopes or disables its client (S-23).

use storage::clients::{enable_client, update_accepted_certificate};

use super::{ACCEPTED, INVALID_TOKEN, PROFILES, call, check_plain, read_token};
use crate::test_server::{At, Registration, TestServer, send, token_form};
use crate::{sqlite_story, story};

const REFUSED: &str = "invalid_scope";
const INSUFFICIENT: &str = "403 Bearer error=\"insufficient_scope\"";
const CHAINS: &str = "/api/v1/standard/chains";

/// Asks for scopes and compares the granted ones, or the refusal.
async fn check_scope(
    server: &TestServer,
    client: &Registration,
    asked: Option<&str>,
    expected: &str,
) {
    let label = format!("T43 {} asks for {asked:?}", client.id);
    let assertion = client.assertion().sign(&client.key);
    let answer = server.request_token(client, &assertion, asked).await;
    if expected == REFUSED {
        check_plain(&label, &answer, "400 invalid_scope");
    } else {
        check_plain(&label, &answer, "200 -");
        assert_eq!(answer.json()["scope"], expected, "{label}");
        let token = answer.access_token();
        let (_header, claims) = read_token(&token);
        assert_eq!(claims["scope"], expected, "{label}");
    }
}

sqlite_story! {
    async fn t43_scopes_that_are_granted(server) {
        for profile in PROFILES {
            let scopes = ["transaction-status", "listing"];
            let both = server.register_in(profile, "both", &scopes).await;
            let one = server.register_in(profile, "one", &["transaction-status"]).await;
            let none = server.register_in(profile, "none", &[]).await;
            for (client, asked, expected) in [
                (&both, None, "transaction-status listing"),
                (&both, Some(""), "transaction-status listing"),
                (&both, Some("listing"), "listing"),
                (&both, Some("listing transaction-status"), "listing transaction-status"),
                (&both, Some("listing listing"), "listing"),
                (&both, Some("listing transaction-status listing"), "listing transaction-status"),
                (&both, Some(" "), REFUSED),
                (&both, Some("LISTING"), REFUSED),
                (&both, Some("listing openid"), REFUSED),
                (&both, Some("listing\ttransaction-status"), REFUSED),
                (&both, Some("listing,transaction-status"), REFUSED),
                (&one, None, "transaction-status"),
                (&one, Some("transaction-status"), "transaction-status"),
                (&one, Some("listing"), REFUSED),
                (&one, Some("transaction-status listing"), REFUSED),
                (&one, Some("unknown"), REFUSED),
                (&one, Some("é"), REFUSED),
                (&none, None, ""),
                (&none, Some("transaction-status"), REFUSED),
            ] {
                check_scope(&server, client, asked, expected).await;
            }
        }
    }
}

/// An address at the first node and at a second one, which this starts.
async fn on_two_nodes(server: &mut TestServer, at: At, path: &str) -> [String; 2] {
    let node = server.start_node().await;
    [server.url(at, path), server.url_of_node(node, at, path)]
}

story! {
    async fn a_withdrawn_scope_is_gone_at_once_on_every_node(server) {
        let lender = server.register("lender", &["transaction-status", "listing"]).await;
        let urls = on_two_nodes(&mut server, At::Base, CHAINS).await;
        let token = format!("Bearer {}", server.token(&lender, None).await);
        for (scopes, outcome, granted) in [
            (&["transaction-status", "listing"][..], ACCEPTED, "transaction-status listing"),
            (&["listing"], INSUFFICIENT, "listing"),
            (&["transaction-status"], ACCEPTED, "transaction-status"),
            (&[], INSUFFICIENT, ""),
        ] {
            server.set_scopes(&lender.id, scopes).await;
            for url in &urls {
                assert_eq!(call(url, &lender.http, Some(&token)).await, outcome, "{scopes:?}");
            }
            check_scope(&server, &lender, None, granted).await;
        }
    }
}

story! {
    async fn a_disabled_client_is_out_at_once_on_every_node(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let calls = on_two_nodes(&mut server, At::Base, CHAINS).await;
        let tokens = [server.url(At::Auth, "/token"), server.url_of_node(1, At::Auth, "/token")];
        let used = format!("Bearer {}", server.token(&lender, None).await);
        let unused = format!("Bearer {}", server.token(&lender, None).await);
        let others = format!("Bearer {}", server.token(&other, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, ACCEPTED);
        }

        server.disable_client(&lender.id).await;
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, INVALID_TOKEN, "used");
            assert_eq!(call(url, &lender.http, Some(&unused)).await, INVALID_TOKEN, "unused");
            assert_eq!(call(url, &other.http, Some(&others)).await, ACCEPTED, "the other client");
        }
        for url in &tokens {
            let assertion = lender.assertion().sign(&lender.key);
            let sent = send(lender.http.post(url).form(&token_form(&assertion))).await;
            check_plain("T24 disabled", &sent, "401 invalid_client");
        }

        // Whoever stole its keys may have tokens: they do not come back with the client.
        let id = lender.id.clone();
        let enabled = server.storage.write(move |write| enable_client(write, &id, 0));
        assert!(enabled.await.unwrap());
        let fresh = format!("Bearer {}", server.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, INVALID_TOKEN, "used");
            assert_eq!(call(url, &lender.http, Some(&unused)).await, INVALID_TOKEN, "unused");
            assert_eq!(call(url, &lender.http, Some(&fresh)).await, ACCEPTED, "fresh");
        }
    }
}

story! {
    async fn a_token_of_a_certificate_that_would_not_do_now_is_out_at_once(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let calls = on_two_nodes(&mut server, At::Base, CHAINS).await;
        let before = format!("Bearer {}", server.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&before)).await, ACCEPTED);
        }
        let (id, subject) = (lender.id.clone(), ["CN=lender".to_owned()]);
        let updated = server
            .storage
            .write(move |write| update_accepted_certificate(write, &id, &subject, 0));
        updated.await.unwrap();
        let after = format!("Bearer {}", server.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&before)).await, INVALID_TOKEN);
            assert_eq!(call(url, &lender.http, Some(&after)).await, ACCEPTED);
        }
    }
}
