//! Who may call: tokens, their binding, scopes and branches (S-23, S-24, S-40, S-47).

use chain::ids::BranchId;
use storage::clients;

use super::place::{CALLS, Place};
use crate::story;
use crate::world::{Agent, Answer, World, http_client, send};

/// Status, challenge without its description, and code.
fn outcome(answer: &Answer) -> String {
    let challenge = answer.challenge();
    let short = challenge.split(", error_description").next().unwrap();
    let failure = answer.failure();
    let code = failure.split([' ', ':']).nth(1).unwrap();
    format!("{} {short}: {code}", answer.status)
}

const INVALID: &str = "401 Bearer error=\"invalid_token\": token_invalid";
const NO_SCOPE: &str = "403 Bearer error=\"insufficient_scope\", scope=\"listing\": \
    insufficient_scope";

/// Every call as this agent, each of which must be refused in this way.
async fn check_all(place: &Place, agent: &Agent, expected: &str) {
    for call in CALLS {
        let answer = place.call(agent, call).await;
        assert_eq!(outcome(&answer), expected, "{call:?}");
    }
}

story! {
    async fn the_owner_may_make_every_call(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for call in CALLS {
            let answer = place.call(&agent, call).await;
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
}

story! {
    async fn without_a_token_every_call_is_refused(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for call in CALLS {
            let mut request = place.request(&agent, call).build().unwrap();
            request.headers_mut().remove("authorization");
            let answer = Answer::read(agent.client.http.execute(request).await.unwrap()).await;
            assert_eq!(outcome(&answer), "401 Bearer: token_missing", "{call:?}");
        }
        let mut nobody = agent;
        nobody.token = "garbage".to_owned();
        check_all(&place, &nobody, INVALID).await;
    }
}

story! {
    async fn the_texts_of_a_refused_token(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}");
        let http = http_client(&world, None);
        let ask = |token: &str| {
            let mut request = agent.request(http::Method::GET, &path).build().unwrap();
            let field = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", field);
            request
        };
        let answer = Answer::read(http.execute(ask(&agent.token)).await.unwrap()).await;
        assert_eq!(
            answer.failure(),
            "401 token_invalid: Present the client certificate that the token was issued with."
        );
        let answer = Answer::read(http.execute(ask("x")).await.unwrap()).await;
        assert_eq!(
            answer.failure(),
            "401 token_invalid: This is not an access token of this service."
        );
        world.clock.advance(601);
        let answer = Answer::read(agent.client.http.execute(ask(&agent.token)).await.unwrap());
        let failure = answer.await.failure();
        assert_eq!(failure, "401 token_invalid: The token has expired. Get a new token.");
    }
}

story! {
    async fn a_bound_token_counts_with_its_certificate_only(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let other = world.agent("south").await;
        for http in [http_client(&world, None), other.client.http.clone()] {
            let mut stolen = agent.clone();
            stolen.client.http = http;
            check_all(&place, &stolen, INVALID).await;
        }
    }
}

/// An agent whose token is bound to no certificate, and who presents none.
async fn unbound_agent(world: &World, name: &str, branches: &[i64]) -> Agent {
    let mut agent = world.agent_of(name, branches).await;
    let id = format!("https://rp.example/{name}-unbound");
    let mut client = world
        .register_as(name, &["listing"], |stored| {
            stored.id.clone_from(&id);
            stored.certificate_bound = false;
            stored.branches = branches.iter().copied().map(BranchId).collect();
        })
        .await;
    client.http = http_client(world, None);
    client.id = id;
    agent.token = world.token(&client, None).await;
    agent.client = client;
    agent
}

story! {
    async fn an_unbound_token_is_enough_for_every_call(world) {
        let north = world.agent("north").await;
        let agent = unbound_agent(&world, "free", &[north.branch]).await;
        let place = Place::of(&agent, 1000).await;
        for call in CALLS {
            let answer = place.call(&agent, call).await;
            assert!(answer.status < 300, "{call:?}: {}", answer.status);
        }
        // Beside a certificate as well: there is nothing that it could contradict.
        let mut beside = agent.clone();
        beside.client.http = north.client.http.clone();
        assert_eq!(beside.get(&format!("/listing/{}", place.listing)).await.status, 200);
        // Not where document 1 is served (S-24).
        let answer = world.query_with(
            &agent.client, &agent.token, &[("inputType", "uprn"), ("value[]", "1001")],
        );
        assert!(answer.await.status >= 400);
    }
}

story! {
    async fn a_token_expires(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        world.clock.advance(599);
        assert_eq!(agent.get("/listing").await.status, 200);
        world.clock.advance(1);
        check_all(&place, &agent, INVALID).await;
        assert_eq!(agent.renewed(&world).await.get("/listing").await.status, 200);
    }
}

story! {
    async fn the_scope_is_needed_and_can_be_withdrawn(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let with_scope = |name: &'static str, scope: &'static str| {
            let (world, agent) = (&world, &agent);
            async move {
                let scopes: Vec<&str> = scope.split_whitespace().collect();
                let client = world.register_as(name, &scopes, |stored| {
                    stored.branches = vec![BranchId(agent.branch)];
                }).await;
                let mut agent = agent.clone();
                agent.token = world.token(&client, None).await;
                agent.client = client;
                agent
            }
        };
        check_all(&place, &with_scope("none", "").await, NO_SCOPE).await;
        check_all(&place, &with_scope("lender", "transaction-status").await, NO_SCOPE).await;
        // Assigned, but not asked for.
        let mut both = with_scope("both", "transaction-status listing").await;
        assert_eq!(both.get("/listing").await.status, 200);
        let all = both.token.clone();
        both.token = world.token(&both.client, Some("transaction-status")).await;
        check_all(&place, &both, NO_SCOPE).await;
        // Assigned, asked for, and withdrawn since.
        both.token = all;
        let id = both.client.id.clone();
        let now = crate::world::BEGINNING;
        let withdrawn = world.storage.write(move |write| {
            clients::update_scopes(write, &id, &["transaction-status".to_owned()], now)
        });
        assert!(withdrawn.await.unwrap());
        check_all(&place, &both, NO_SCOPE).await;
    }
}

story! {
    async fn a_disabled_client_s_tokens_end_at_once(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let id = agent.client.id.clone();
        let now = crate::world::BEGINNING;
        let disabled = world
            .storage
            .write(move |write| clients::disable_client(write, &id, now));
        assert!(disabled.await.unwrap());
        check_all(&place, &agent, INVALID).await;
    }
}

story! {
    async fn another_agent_of_the_branch_may_do_the_same(world) {
        let north = world.agent("north").await;
        let place = Place::of(&north, 1000).await;
        let also = world.agent_of("also", &[north.branch]).await;
        for call in CALLS {
            let answer = place.call(&also, call).await;
            assert!(answer.status < 300, "{call:?}: {}", answer.status);
        }
    }
}

/// Gives a client exactly these branches.
async fn set_branches(world: &World, agent: &Agent, branches: &[i64]) {
    let id = agent.client.id.clone();
    let branches: Vec<BranchId> = branches.iter().copied().map(BranchId).collect();
    let now = crate::world::BEGINNING;
    let changed = world
        .storage
        .write(move |write| clients::set_client_branches(write, &id, &branches, now));
    assert!(changed.await.unwrap());
}

story! {
    async fn a_client_without_branches_sees_nothing(world) {
        let north = world.agent("north").await;
        let listing = north.list(1).await;
        let nobody = world.agent_of("nobody", &[]).await;
        let listings = nobody.get("/listing").await;
        assert_eq!(listings.status, 200);
        assert_eq!(listings.json()["meta"]["pagination"]["total"], 0);
        assert_eq!(
            nobody.get(&format!("/listing/{listing}")).await.failure(),
            format!("403 not_your_branch: listing {listing} does not belong to one of your branches")
        );
        // What belongs to no branch is there for everybody with the scope.
        assert_eq!(nobody.get("/milestone_type").await.status, 200);
        assert_eq!(nobody.get("/milestone_group").await.status, 200);
    }
}

story! {
    async fn branches_are_given_and_withdrawn_at_once(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (one, two) = (north.list(1).await, south.list(2).await);
        let both = world.agent_of("both", &[north.branch, south.branch]).await;
        let statuses = async || {
            let one = both.get(&format!("/listing/{one}")).await.status;
            let two = both.get(&format!("/listing/{two}")).await.status;
            let all = both.get("/listing").await.json()["meta"]["pagination"]["total"].clone();
            (one, two, all.as_i64().unwrap())
        };
        assert_eq!(statuses().await, (200, 200, 2));
        // The same token, before and after.
        set_branches(&world, &both, &[south.branch]).await;
        assert_eq!(statuses().await, (403, 200, 1));
        set_branches(&world, &both, &[]).await;
        assert_eq!(statuses().await, (403, 403, 0));
        set_branches(&world, &both, &[north.branch, south.branch]).await;
        assert_eq!(statuses().await, (200, 200, 2));
    }
}

story! {
    async fn answers_carry_the_request_s_ids(world) {
        let agent = world.agent("north").await;
        for path in ["/milestone_group", "/listing/999", "/nowhere"] {
            let request = agent.request(http::Method::GET, path);
            let answer = send(request.header("x-fapi-interaction-id", "a-b-c")).await;
            assert_eq!(answer.header("x-fapi-interaction-id"), "a-b-c", "{path}");
            assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
        }
    }
}
