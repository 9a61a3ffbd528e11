//! Who may call: tokens, their binding, scopes and branches (S-23, S-24, S-40, S-47).

use chain::ids::BranchId;
use http::Method;

use super::place::{CALLS, Place};
use crate::test_server::{Answer, Client, TestServer, http_client};
use crate::{sqlite_story, story};

const INVALID: &str = "401 Bearer error=\"invalid_token\": token_invalid";
const NO_SCOPE: &str = "403 Bearer error=\"insufficient_scope\", scope=\"listing\": \
    insufficient_scope";

/// Status, challenge without its description, and code.
fn outcome(answer: &Answer) -> String {
    let challenge = answer.challenge();
    let short = challenge.split(", error_description").next().unwrap();
    let code = answer.code();
    let (status, code) = code.split_once(' ').unwrap();
    format!("{status} {short}: {code}")
}

/// Fails the test unless every call of this agent is refused in this way.
async fn assert_all(place: &Place, agent: &Client, expected: &str) {
    for call in CALLS {
        let answer = place.call(agent, call).await;
        assert_eq!(outcome(&answer), expected, "{call:?}");
    }
}

/// The agent with another client, which has the same branches.
async fn with_client(server: &TestServer, agent: &Client, name: &str, scopes: &[&str]) -> Client {
    let change = |stored: &mut storage::clients::StoredClient| {
        stored.branches = vec![BranchId(agent.branch())];
        stored.certificate_bound = name != "unbound";
    };
    let mut client = server.register_as(name, scopes, change).await;
    if name == "unbound" {
        client.http = http_client(server, None);
    }
    Client {
        token: server.token(&client, None).await,
        registration: client,
        ..agent.clone()
    }
}

story! {
    async fn the_branch_s_clients_may_make_every_call(server) {
        let north = server.agent("north").await;
        let colleague = server.agent_of("also", &[north.branch()]).await;
        let unbound = with_client(&server, &north, "unbound", &["listing"]).await;
        for (base, agent) in [(1000, &north), (2000, &colleague), (3000, &unbound)] {
            let place = Place::of(&north, base).await;
            for call in CALLS {
                let answer = place.call(agent, call).await;
                let expected = match call.1 {
                    "/listing" if call.0 == "POST" => 201,
                    "/listing/{listing}/milestone/sstc" if call.0 == "GET" => 204,
                    "/listing/{listing}/milestone/exchange?colour=red" => 204,
                    _ => 200,
                };
                assert_eq!(answer.status, expected, "{call:?}");
                assert_eq!(answer.header("x-request-id").len(), 36, "{call:?}");
            }
        }
        // A certificate beside an unbound token contradicts nothing.
        let mut beside = unbound.clone();
        beside.registration.http = north.registration.http.clone();
        assert_eq!(beside.get("/listing").await.status, 200);
    }
}

sqlite_story! {
    async fn every_call_needs_a_token_that_counts_and_its_scope(server) {
        let [agent, other] = server.two_agents().await;
        let place = Place::of(&agent, 1000).await;
        for call in CALLS {
            let mut request = place.request(&agent, call).build().unwrap();
            request.headers_mut().remove("authorization");
            let response = agent.registration.http.execute(request).await.unwrap();
            let answer = Answer::read(response).await;
            assert_eq!(outcome(&answer), "401 Bearer: token_missing", "{call:?}");
        }
        let mut garbage = agent.clone();
        "garbage".clone_into(&mut garbage.token);
        assert_all(&place, &garbage, INVALID).await;
        // Without the certificate of the token, or with another one.
        for http in [http_client(&server, None), other.registration.http.clone()] {
            let mut stolen = agent.clone();
            stolen.registration.http = http;
            assert_all(&place, &stolen, INVALID).await;
        }
        for (name, scopes) in [("none", &[][..]), ("lender", &["transaction-status"])] {
            let stranger = with_client(&server, &agent, name, scopes).await;
            assert_all(&place, &stranger, NO_SCOPE).await;
        }
        // Assigned, but not asked for.
        let scopes = ["transaction-status", "listing"];
        let mut narrow = with_client(&server, &agent, "both", &scopes).await;
        assert_eq!(narrow.get("/listing").await.status, 200);
        narrow.token = server.token(&narrow.registration, Some("transaction-status")).await;
        assert_all(&place, &narrow, NO_SCOPE).await;
        server.clock.advance(599);
        assert_eq!(agent.get("/listing").await.status, 200);
        server.clock.advance(1);
        assert_all(&place, &agent, INVALID).await;
    }
}

story! {
    async fn a_withdrawn_scope_and_a_disabled_client_count_at_once(server) {
        let agent = server.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        server.set_scopes(&agent.registration.id, &["transaction-status"]).await;
        assert_all(&place, &agent, NO_SCOPE).await;
        server.set_scopes(&agent.registration.id, &["listing"]).await;
        assert_eq!(agent.get("/listing").await.status, 200);
        server.disable_client(&agent.registration.id).await;
        assert_all(&place, &agent, INVALID).await;
    }
}

sqlite_story! {
    async fn the_texts_of_a_refused_token(server) {
        let agent = server.agent("north").await;
        let ask = async |http: &reqwest::Client, token: &str| {
            let mut request = agent.request(Method::GET, "/listing").build().unwrap();
            let field = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", field);
            Answer::read(http.execute(request).await.unwrap()).await.failure()
        };
        let bare = http_client(&server, None);
        assert_eq!(
            ask(&bare, &agent.token).await,
            "401 token_invalid: Present the client certificate that the token was issued with."
        );
        assert_eq!(
            ask(&bare, "x").await,
            "401 token_invalid: This is not an access token of this service."
        );
        server.clock.advance(601);
        assert_eq!(
            ask(&agent.registration.http, &agent.token).await,
            "401 token_invalid: The token has expired. Get a new token."
        );
    }
}

story! {
    async fn branches_are_given_and_withdrawn_at_once(server) {
        let [north, south] = server.two_agents().await;
        let (one, two) = (north.list(1).await, south.list(2).await);
        let both = server.agent_of("both", &[north.branch(), south.branch()]).await;
        // The same token, before and after.
        for (branches, expected) in [
            (&[north.branch(), south.branch()][..], (200, 200, 2)),
            (&[south.branch()], (403, 200, 1)),
            (&[], (403, 403, 0)),
            (&[north.branch(), south.branch()], (200, 200, 2)),
        ] {
            server.set_branches(&both, branches).await;
            let first = both.get(&format!("/listing/{one}")).await.status;
            let second = both.get(&format!("/listing/{two}")).await.status;
            let listed = both.get("/listing").await.page().1.len();
            assert_eq!((first, second, listed), expected, "{branches:?}");
        }
        // Every client with the scope reads resources that belong to no branch.
        server.set_branches(&both, &[]).await;
        assert_eq!(both.get("/milestone_type").await.status, 200);
        assert_eq!(both.get("/milestone_group").await.status, 200);
    }
}
