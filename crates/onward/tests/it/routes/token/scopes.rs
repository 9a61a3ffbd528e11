//! Which scopes a token carries, and what happens to a token when the operator withdraws its
//! scopes or disables its client (S-23).

use storage::clients::{enable_client, update_certificate_subject};

use super::{INVALID_TOKEN, LET_IN, PROFILES, call, check_plain, read_token, token_form};
use crate::world::{Answer, At, TestClient, World};
use crate::{sqlite_story, story};

const REFUSED: &str = "invalid_scope";
const INSUFFICIENT: &str = "403 Bearer error=\"insufficient_scope\"";
const CHAINS: &str = "/api/v1/standard/chains";

/// Asks for scopes and compares the granted ones, or the refusal.
async fn check_scope(world: &World, client: &TestClient, asked: Option<&str>, expected: &str) {
    let label = format!("T43 {} asks for {asked:?}", client.id);
    let assertion = client.assertion().sign(&client.key);
    let answer = world.request_token(client, &assertion, asked).await;
    if expected == REFUSED {
        check_plain(&label, &answer, "400 invalid_scope");
    } else {
        check_plain(&label, &answer, "200 -");
        assert_eq!(answer.json()["scope"], expected, "{label}");
        let token = answer.json()["access_token"].as_str().unwrap().to_owned();
        let (_header, claims) = read_token(&token);
        assert_eq!(claims["scope"], expected, "{label}");
    }
}

sqlite_story! {
    async fn t43_scopes_that_are_granted(world) {
        for profile in PROFILES {
            let both = world.register_in(profile, "both", &["transaction-status", "listing"]).await;
            let one = world.register_in(profile, "one", &["transaction-status"]).await;
            let none = world.register_in(profile, "none", &[]).await;
            for (client, asked, expected) in [
                (&both, None, "transaction-status listing"),
                (&both, Some(""), "transaction-status listing"),
                (&both, Some("listing"), "listing"),
                (&both, Some("listing transaction-status"), "listing transaction-status"),
                (&both, Some("listing listing"), "listing"),
                (&both, Some("listing transaction-status listing"), "listing transaction-status"),
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
                check_scope(&world, client, asked, expected).await;
            }
        }
    }
}

/// An address at the first node and at a second one, which this starts.
async fn on_two_nodes(world: &mut World, at: At, path: &str) -> [String; 2] {
    let node = world.start_node().await;
    [world.url(at, path), world.url_of_node(node, at, path)]
}

story! {
    async fn a_withdrawn_scope_is_gone_at_once_on_every_node(world) {
        let lender = world.register("lender", &["transaction-status", "listing"]).await;
        let urls = on_two_nodes(&mut world, At::Base, CHAINS).await;
        let token = format!("Bearer {}", world.token(&lender, None).await);
        for (scopes, outcome, granted) in [
            (&["transaction-status", "listing"][..], LET_IN, "transaction-status listing"),
            (&["listing"], INSUFFICIENT, "listing"),
            (&["transaction-status"], LET_IN, "transaction-status"),
            (&[], INSUFFICIENT, ""),
        ] {
            world.set_scopes(&lender.id, scopes).await;
            for url in &urls {
                assert_eq!(call(url, &lender.http, Some(&token)).await, outcome, "{scopes:?}");
            }
            check_scope(&world, &lender, None, granted).await;
        }
    }
}

story! {
    async fn a_disabled_client_is_out_at_once_on_every_node(world) {
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let calls = on_two_nodes(&mut world, At::Base, CHAINS).await;
        let tokens = [world.url(At::Auth, "/token"), world.url_of_node(1, At::Auth, "/token")];
        let used = format!("Bearer {}", world.token(&lender, None).await);
        let unused = format!("Bearer {}", world.token(&lender, None).await);
        let others = format!("Bearer {}", world.token(&other, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, LET_IN);
        }

        world.disable_client(&lender.id).await;
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, INVALID_TOKEN, "used");
            assert_eq!(call(url, &lender.http, Some(&unused)).await, INVALID_TOKEN, "unused");
            assert_eq!(call(url, &other.http, Some(&others)).await, LET_IN, "the other client");
        }
        for url in &tokens {
            let assertion = lender.assertion().sign(&lender.key);
            let sent = lender.http.post(url).form(&token_form(&assertion)).send().await.unwrap();
            check_plain("T24 disabled", &Answer::read(sent).await, "401 invalid_client");
        }

        // Whoever stole its keys may have tokens: they do not come back with the client.
        let id = lender.id.clone();
        let enabled = world.storage.write(move |write| enable_client(write, &id, 0));
        assert!(enabled.await.unwrap());
        let fresh = format!("Bearer {}", world.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&used)).await, INVALID_TOKEN, "used");
            assert_eq!(call(url, &lender.http, Some(&unused)).await, INVALID_TOKEN, "unused");
            assert_eq!(call(url, &lender.http, Some(&fresh)).await, LET_IN, "fresh");
        }
    }
}

story! {
    async fn a_token_of_a_certificate_that_would_not_do_now_is_out_at_once(world) {
        let lender = world.register("lender", &["transaction-status"]).await;
        let calls = on_two_nodes(&mut world, At::Base, CHAINS).await;
        let before = format!("Bearer {}", world.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&before)).await, LET_IN);
        }
        let (id, subject) = (lender.id.clone(), ["CN=lender".to_owned()]);
        let updated = world
            .storage
            .write(move |write| update_certificate_subject(write, &id, &subject, 0));
        updated.await.unwrap();
        let after = format!("Bearer {}", world.token(&lender, None).await);
        for url in &calls {
            assert_eq!(call(url, &lender.http, Some(&before)).await, INVALID_TOKEN);
            assert_eq!(call(url, &lender.http, Some(&after)).await, LET_IN);
        }
    }
}
