//! Who holds subscriptions: an API account, or the client of a token (S-74).

use http::Method;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use storage::{api_keys, clients, participants};

use crate::test_server::{Answer, At, BEGINNING, Client, Receiver, TestServer, http_client, send};
use crate::{sqlite_story, story};

const BOTH: &str = "401 one-credential: Send either an API key or an access token, not both.";
const NEITHER: &str = "401 one-credential: Send your API key in the field X-Api-Key, or an access token \
     in the field Authorization.";

/// A call of a client with its token; `path` begins after `/api/v1/webhook`.
async fn call(client: &Client, method: Method, path: &str, body: Option<&Value>) -> Answer {
    let request = bare(client, method, path).bearer_auth(&client.token);
    send(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

/// A request on the client's connection, without a credential.
fn bare(client: &Client, method: Method, path: &str) -> RequestBuilder {
    let url = format!("{}/api/v1/webhook{path}", client.node.base);
    client.registration.http.request(method, url)
}

async fn subscribe(client: &Client, receiver: &Receiver) -> String {
    let wish = wish(&receiver.url);
    let answer = call(client, Method::POST, "/subscribe", Some(&wish)).await;
    assert!([200, 201].contains(&answer.status), "{}", answer.json());
    answer.json()["subscriptionId"].as_str().unwrap().to_owned()
}

fn wish(url: &str) -> Value {
    let events = ["milestone.updated", "fallthrough"];
    json!({"participantName": "Example Lender", "callbackUrl": url, "events": events})
}

/// The ids of the client's subscriptions.
async fn list(client: &Client) -> Vec<String> {
    let answer = call(client, Method::GET, "/subscriptions", None).await;
    ids(&answer)
}

fn ids(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.json());
    let body = answer.json();
    let each = body["data"].as_array().unwrap().iter();
    each.map(|one| one["subscriptionId"].as_str().unwrap().to_owned())
        .collect()
}

/// The client's subscription, as `active` or the reason why it is disabled.
async fn state(client: &Client, subscription: &str) -> String {
    let path = format!("/subscriptions/{subscription}");
    let shown = call(client, Method::GET, &path, None).await.json();
    let reason = shown["disabledReason"].as_str();
    reason.map_or_else(|| shown["status"].to_string(), str::to_owned)
}

/// A client of the lender's organisation.
async fn colleague(server: &TestServer, lender: &Client) -> Client {
    let organisation = lender.registration.participant.clone();
    let registered = server.register_as("colleague", &["transaction-status"], |stored| {
        stored.participant = organisation;
    });
    server.sign_in(registered.await).await
}

story! {
    async fn a_token_manages_the_subscriptions_of_its_client(server) {
        let lender = server.lender().await;
        let receiver = server.receiver().await;
        // Before its first call the client has no account, and no subscription.
        assert!(list(&lender).await.is_empty());
        let id = subscribe(&lender, &receiver).await;
        assert_eq!(subscribe(&lender, &receiver).await, id, "the same URL");
        assert_eq!(list(&lender).await, std::slice::from_ref(&id));
        let event = json!({"eventType": "fallthrough", "uprn": 100_023, "callbackUrl": "https://x.example/"});
        let simulated = call(&lender, Method::POST, "/simulate", Some(&event)).await;
        assert_eq!(simulated.status, 202, "{}", simulated.json());
        receiver.wait_for(1).await;
        let agent = server.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        receiver.wait_for(2).await;
        // A new token of the client is the same holder.
        let renewed = lender.renewed(&server).await;
        assert_eq!(list(&renewed).await, std::slice::from_ref(&id));
        let path = format!("/subscriptions/{id}");
        assert_eq!(call(&renewed, Method::DELETE, &path, None).await.status, 204);
        assert!(list(&lender).await.is_empty());
    }
}

story! {
    async fn holders_of_one_organisation_see_nothing_of_each_other(server) {
        let lender = server.lender().await;
        let colleague = colleague(&server, &lender).await;
        let key = server.api_key(&lender.registration.participant).await;
        let (first, second, third) = (server.receiver().await, server.receiver().await, server.receiver().await);
        let of_lender = subscribe(&lender, &first).await;
        let of_colleague = subscribe(&colleague, &second).await;
        let of_key = server.subscribe(&key, &third).await;
        assert_eq!(list(&lender).await, std::slice::from_ref(&of_lender));
        assert_eq!(list(&colleague).await, std::slice::from_ref(&of_colleague));
        let listed = server.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!(ids(&listed), std::slice::from_ref(&of_key));
        // Nobody reads, moves, enables or deletes the subscription of another holder.
        let moved = json!({"callbackUrl": third.url});
        for foreign in [&of_colleague, &of_key] {
            let path = format!("/subscriptions/{foreign}");
            for (method, path, body) in [
                (Method::GET, path.clone(), None),
                (Method::DELETE, path.clone(), None),
                (Method::PATCH, path.clone(), Some(&moved)),
                (Method::POST, format!("{path}/enable"), None),
                (Method::GET, format!("{path}/deliveries"), None),
            ] {
                assert_eq!(call(&lender, method, &path, body).await.status, 404, "{path}");
            }
        }
        let path = format!("/subscriptions/{of_lender}");
        let foreign = server.webhook(&key, ("GET", &path), None).await;
        assert_eq!(foreign.status, 404);
        // A simulated event goes to the caller's own subscriptions alone.
        let event = json!({"eventType": "fallthrough", "uprn": 100_023});
        let simulated = call(&lender, Method::POST, "/simulate", Some(&event)).await.json();
        let targets: Vec<_> = simulated["deliveries"].as_array().unwrap().iter().collect();
        assert_eq!(targets.len(), 1);
        assert_eq!(targets[0]["subscriptionId"], of_lender.as_str());
    }
}

sqlite_story! {
    async fn one_credential_is_needed_and_not_two(server) {
        let lender = server.lender().await;
        let key = server.api_key("Example Lender").await;
        let url = server.receiver().await.url.clone();
        for (method, path) in [(Method::POST, "/subscribe"), (Method::GET, "/subscriptions")] {
            let request = || bare(&lender, method.clone(), path).json(&wish(&url));
            let none = send(request()).await;
            let both = send(request().bearer_auth(&lender.token).header("x-api-key", &key)).await;
            let basic = send(request().basic_auth("a", Some("b"))).await;
            for (answer, said) in [(&none, NEITHER), (&both, BOTH), (&basic, NEITHER)] {
                assert_eq!(answer.problem(), said);
                let challenges = answer.header("www-authenticate");
                assert!(challenges.starts_with("ApiKey, Bearer resource_metadata=\""), "{challenges}");
            }
        }
        assert!(list(&lender).await.is_empty());
        let listed = server.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert!(ids(&listed).is_empty());
    }
}

story! {
    async fn a_token_counts_with_its_certificate_and_scope_alone(server) {
        let lender = server.lender().await;
        let colleague = colleague(&server, &lender).await;
        let url = server.url(At::Base, "/api/v1/webhook/subscribe");
        let receiver = server.receiver().await;
        let body = wish(&receiver.url);
        let ask = async |http: &reqwest::Client, token: &str| {
            let answer = send(http.post(&url).bearer_auth(token).json(&body)).await;
            let challenge = answer.header("www-authenticate").to_owned();
            (answer.status, challenge.starts_with("Bearer error="))
        };
        let bare = http_client(&server, None);
        assert_eq!(ask(&bare, &lender.token).await, (401, true), "no certificate");
        let other = &colleague.registration.http;
        assert_eq!(ask(other, &lender.token).await, (401, true), "another certificate");
        assert_eq!(ask(&lender.registration.http, "garbage").await, (401, true));
        // The scope of document 2 gives nothing, and a client may have an unbound token for it.
        let agent = server.agent("north").await;
        assert_eq!(ask(&agent.registration.http, &agent.token).await, (403, true));
        let both = ["listing", "transaction-status"];
        let unbound = server.register_as("unbound", &both, |stored| stored.certificate_bound = false).await;
        let assertion = unbound.assertion_at(server.now());
        let form = crate::test_server::token_form(&assertion);
        let token = send(bare.post(server.url(At::Auth, "/token")).form(&form)).await.access_token();
        assert_eq!(ask(&bare, &token).await, (401, true), "unbound");
        let revoked = server.ask_about(&lender.registration, "/revoke", &lender.token).await;
        assert_eq!(revoked.status, 200);
        assert_eq!(ask(&lender.registration.http, &lender.token).await, (401, true), "revoked");
        assert!(list(&lender.renewed(&server).await).await.is_empty());
    }
}

story! {
    async fn subscriptions_stop_with_their_client(server) {
        let lender = server.lender().await;
        let client = lender.registration.id.clone();
        let (receiver, other) = (server.receiver().await, server.receiver().await);
        let key = server.api_key(&lender.registration.participant).await;
        let of_key = server.subscribe(&key, &other).await;
        let id = subscribe(&lender, &receiver).await;
        let agent = server.agent("north").await;
        let listing = agent.list(1).await;
        server.disable_client(&client).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        other.wait_for(1).await;
        let enabled = {
            let client = client.clone();
            server.storage.write(move |write| clients::enable_client(write, &client, BEGINNING))
        };
        assert!(enabled.await.unwrap());
        let lender = lender.renewed(&server).await;
        assert_eq!(state(&lender, &id).await, "key_revoked");
        let path = format!("/subscriptions/{id}/enable");
        assert_eq!(call(&lender, Method::POST, &path, None).await.status, 200);
        agent.record(listing, "searches_ordered", "2026-11-20").await;
        receiver.wait_for(1).await;
        // So they do when the client loses the scope, or its organisation withdraws.
        server.set_scopes(&client, &["listing"]).await;
        server.set_scopes(&client, &["transaction-status"]).await;
        assert_eq!(state(&lender, &id).await, "key_revoked");
        assert_eq!(call(&lender, Method::POST, &path, None).await.status, 200);
        assert_eq!(server.status_of(&key, &of_key).await, "active");
        let organisation = lender.registration.participant.clone();
        let withdrawn = server.storage.write(move |write| {
            let found = participants::find_participant(write, &organisation)?.unwrap();
            participants::withdraw_participant(write, found.id, BEGINNING)?;
            participants::restore_participant(write, found.id)
        });
        withdrawn.await.unwrap();
        let lender = lender.renewed(&server).await;
        assert_eq!(state(&lender, &id).await, "key_revoked");
        // An attempt may come twice, but no event of the meantime.
        let path = format!("/subscriptions/{id}/deliveries");
        let log = call(&lender, Method::GET, &path, None).await.json();
        assert_eq!(log["data"].as_array().unwrap().len(), 1, "{log}");
    }
}

sqlite_story! {
    async fn the_account_of_a_client_is_no_api_key_and_ends_with_it(server) {
        let lender = server.lender().await;
        let receiver = server.receiver().await;
        let id = subscribe(&lender, &receiver).await;
        let keys = server.storage.read(api_keys::list_api_keys).await.unwrap();
        assert!(keys.is_empty());
        for key in ["onward_1_", "onward_1_x"] {
            let answer = server.webhook(key, ("GET", "/subscriptions"), None).await;
            assert_eq!(answer.status, 401, "{key}");
            let found = server.storage.read(|read| api_keys::find_api_key(read, 1)).await;
            assert_eq!(found.unwrap(), None);
        }
        // Whoever registers the id of a removed client gets nothing of the old one.
        let client = lender.registration.id.clone();
        server.disable_client(&client).await;
        let removed = server.storage.write(move |write| clients::remove_client(write, &client));
        removed.await.unwrap();
        let later = server.lender().await;
        assert!(list(&later).await.is_empty());
        let path = format!("/subscriptions/{id}");
        assert_eq!(call(&later, Method::GET, &path, None).await.status, 404);
        assert_ne!(subscribe(&later, &receiver).await, id);
    }
}

story! {
    async fn a_token_of_a_removed_client_stays_invalid(server) {
        let old = server.lender().await;
        let client = old.registration.id.clone();
        server.disable_client(&client).await;
        let removed = server.storage.write(move |write| clients::remove_client(write, &client));
        removed.await.unwrap();
        // Another client gets the id.
        let new = server.lender().await;
        assert!(list(&new).await.is_empty());
        let answer = call(&old, Method::GET, "/subscriptions", None).await;
        assert_eq!(answer.status, 401, "{}", answer.json());
    }
}
