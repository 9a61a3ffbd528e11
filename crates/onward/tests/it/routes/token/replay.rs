//! An assertion is used once, on all nodes together (S-21).

use serde_json::json;
use storage::retention::OldRows;
use tokio::task::JoinSet;

use super::{PROFILES, check_plain};
use crate::story;
use crate::test_server::{Answer, At, BEGINNING, Registration, TestServer, token_form};

const USED: &str = "401 invalid_client";

/// Sends an assertion to any node's token endpoint.
async fn send(http: reqwest::Client, url: String, assertion: String) -> Answer {
    let request = http.post(url).form(&token_form(&assertion));
    crate::test_server::send(request).await
}

/// Sends an assertion to the first node.
async fn send_here(server: &TestServer, client: &Registration, assertion: &str) -> Answer {
    server.request_token(client, assertion, None).await
}

/// The token endpoints of the first node and of a second one.
async fn start_second_node(server: &mut TestServer) -> [String; 2] {
    let node = server.start_node().await;
    [
        server.url(At::Auth, "/token"),
        server.url_of_node(node, At::Auth, "/token"),
    ]
}

story! {
    async fn t40_an_assertion_counts_once_on_all_nodes_together(server) {
        let [first, second] = start_second_node(&mut server).await;
        for profile in PROFILES {
            let lender = server.register_in(profile, "lender", &["transaction-status"]).await;
            for (here, there) in [(&first, &second), (&second, &first)] {
                let assertion = lender.assertion().sign(&lender.key);
                let answer = send(lender.http.clone(), here.clone(), assertion.clone()).await;
                check_plain("here", &answer, "200 -");
                let answer = send(lender.http.clone(), there.clone(), assertion).await;
                check_plain("there", &answer, USED);
            }
            // The id counts, not the text.
            let jti = lender.assertion().claim("jti", json!("one"));
            check_plain("jti", &send_here(&server, &lender, &jti.sign(&lender.key)).await, "200 -");
            let again = jti.claim("exp", json!(BEGINNING + 60)).sign(&lender.key);
            check_plain("jti again", &send_here(&server, &lender, &again).await, USED);
        }
    }
}

story! {
    async fn t41_of_8_uses_at_once_one_succeeds(server) {
        let urls = start_second_node(&mut server).await;
        for profile in PROFILES {
            let lender = server.register_in(profile, "lender", &["transaction-status"]).await;
            for round in 0..5 {
                let assertion = lender.assertion().sign(&lender.key);
                let mut sending = JoinSet::new();
                for url in urls.iter().cycle().take(8) {
                    sending.spawn(send(lender.http.clone(), url.clone(), assertion.clone()));
                }
                let mut outcomes: Vec<_> =
                    sending.join_all().await.iter().map(Answer::oauth).collect();
                outcomes.sort();
                assert_eq!(outcomes[0], "200 -", "round {round}");
                assert_eq!(outcomes[1..], [USED; 7], "round {round}");
            }
        }
    }
}

story! {
    async fn a_refused_assertion_does_not_use_up_its_id(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let right = lender.assertion().claim("jti", json!("the id"));
        let with = |name: &str, value| right.clone().claim(name, value).sign(&lender.key);
        for (label, assertion, client_id) in [
            ("by another key", right.sign(&other.key), &lender.id),
            ("another audience", with("aud", json!("x")), &lender.id),
            ("expired", with("exp", json!(BEGINNING)), &lender.id),
            ("not yet", with("iat", json!(BEGINNING + 61)), &lender.id),
            ("another client_id", right.sign(&lender.key), &other.id),
        ] {
            let mut form = token_form(&assertion).to_vec();
            form.push(("client_id", client_id));
            assert_ne!(server.post_token(&lender.http, &form).await.status, 200, "{label}");
        }
        let answer = send_here(&server, &lender, &right.sign(&lender.key)).await;
        check_plain("right at last", &answer, "200 -");
    }
}

story! {
    async fn another_client_may_use_the_same_id(server) {
        for name in ["lender", "conveyancer"] {
            let client = server.register(name, &["transaction-status"]).await;
            let assertion = client.assertion().claim("jti", json!("1")).sign(&client.key);
            check_plain(name, &send_here(&server, &client, &assertion).await, "200 -");
            check_plain(name, &send_here(&server, &client, &assertion).await, USED);
        }
    }
}

story! {
    async fn an_id_is_forgotten_only_when_its_assertion_has_expired(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let assertion = lender.assertion().sign(&lender.key);
        check_plain("first", &send_here(&server, &lender, &assertion).await, "200 -");
        for (seconds, forgotten, why) in [
            (0, 0, "used before"),
            (119, 0, "used before"),
            (1, 0, "expired"),
            (1, 1, "expired"),
            (1, 0, "expired"),
        ] {
            server.clock.advance(seconds);
            let now = server.node.foundation.clock.now_seconds();
            let deleted = server
                .storage
                .write(move |write| OldRows::Assertions.delete(write, now, 10))
                .await
                .unwrap();
            let label = format!("{} s after it was made", now - BEGINNING);
            assert_eq!(deleted, forgotten, "{label}");
            let answer = send_here(&server, &lender, &assertion).await;
            check_plain(&label, &answer, USED);
            let description = answer.json()["error_description"].to_string();
            assert!(description.contains(why), "{label}: {description}");
        }
    }
}
