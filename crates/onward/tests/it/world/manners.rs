//! What each call of listing and chain management owes to everyone, whatever it does.

use chain::ids::BranchId;
use http::{Method, header};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{Agent, Answer, BEGINNING, World, http_client};

/// The field of S-52.
pub(crate) const KEY: &str = "Idempotency-Key";

const DAY_SECONDS: i64 = 24 * 3600;

/// A call that its agent may make.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Begins after `/api/v1`.
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

impl Call {
    /// Without a body.
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            body: None,
        }
    }

    /// `POST` with a JSON body.
    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self {
            body: Some(body),
            ..Self::new(Method::POST, path)
        }
    }

    /// The request of an agent.
    pub(crate) fn by(&self, agent: &Agent) -> RequestBuilder {
        let request = agent.request(self.method.clone(), &self.path);
        match &self.body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    async fn send(&self, agent: &Agent) -> Answer {
        send(self.by(agent)).await
    }

    /// Sends it with an `Idempotency-Key`.
    pub(crate) async fn send_with_key(&self, agent: &Agent, key: &str) -> Answer {
        send(self.by(agent).header(KEY, key)).await
    }
}

/// Sends a request and reads the answer.
pub(crate) async fn send(request: RequestBuilder) -> Answer {
    Answer::read(request.send().await.unwrap()).await
}

/// Whether an answer says that it is a kept one.
pub(crate) fn is_replayed(answer: &Answer) -> bool {
    match answer.header("idempotency-replayed") {
        "true" => true,
        "" => false,
        other => panic!("Idempotency-Replayed: {other}"),
    }
}

/// Everything that an agent can see of its listings, their histories included.
pub(crate) async fn all_of(agent: &Agent) -> Vec<Value> {
    let page = agent.get("/listing?per_page=100").await.json();
    let mut seen = Vec::new();
    for listing in page["data"].as_array().unwrap() {
        let path = format!("/listing/{}?includes=chain_data,milestones", listing["id"]);
        seen.push(agent.get(&path).await.json());
        let path = format!("/listing/{}/history?per_page=100", listing["id"]);
        seen.push(agent.get(&path).await.json());
    }
    seen
}

/// Fails the story unless the call works for those alone who may make it (S-23, S-24, S-47).
/// The agent is the only one whose branch may; in the end the call is made.
pub(crate) async fn assert_guarded(world: &World, agent: &Agent, call: &Call) {
    let before = all_of(agent).await;
    world.clock.advance(1);
    assert_tokens(world, agent, call).await;
    assert_registration(world, agent, call).await;
    assert_eq!(all_of(agent).await, before, "something was changed");
    // Whoever may: for one of several branches, with an unbound token.
    let second = world.agent("second").await.branch;
    let branches = vec![BranchId(second), BranchId(agent.branch)];
    let mut client = world
        .register_as("unbound", &["listing"], |stored| {
            stored.certificate_bound = false;
            stored.branches = branches;
        })
        .await;
    client.http = http_client(world, None);
    let mut unbound = agent.clone();
    unbound.token = world.token(&client, None).await;
    unbound.client = client;
    assert_eq!(call.send(&unbound).await.status, 200);
    let id = unbound.client.id.clone();
    let disabled = world
        .storage
        .write(move |write| storage::clients::disable_client(write, &id, BEGINNING));
    assert!(disabled.await.unwrap());
    assert_eq!(code(&call.send(&unbound).await), "401 token_invalid");
}

async fn assert_tokens(world: &World, agent: &Agent, call: &Call) {
    let mut request = call.by(agent).build().unwrap();
    request.headers_mut().remove(header::AUTHORIZATION);
    let answer = Answer::read(agent.client.http.execute(request).await.unwrap()).await;
    assert_eq!(code(&answer), "401 token_missing");
    assert_eq!(answer.challenge(), "Bearer");

    let mut stranger = agent.clone();
    stranger.token = "abc".to_owned();
    let answer = call.send(&stranger).await;
    assert_eq!(code(&answer), "401 token_invalid");
    assert!(answer.header("www-authenticate").contains("invalid_token"));

    stranger.token.clone_from(&agent.token);
    stranger.client.http = http_client(world, None);
    assert_eq!(code(&call.send(&stranger).await), "401 token_invalid");

    // Another's certificate, then another's token with its own certificate.
    stranger.client = world.register("reader", &["transaction-status"]).await;
    assert_eq!(code(&call.send(&stranger).await), "401 token_invalid");
    stranger.token = world.token(&stranger.client, None).await;
    let answer = call.send(&stranger).await;
    assert_eq!(code(&answer), "403 insufficient_scope");
    let challenge = answer.header("www-authenticate");
    assert!(challenge.contains("scope=\"listing\""), "{challenge}");
}

async fn assert_registration(world: &World, agent: &Agent, call: &Call) {
    let mut stranger = agent.clone();
    stranger.client = world.register("branchless", &["listing"]).await;
    stranger.token = world.token(&stranger.client, None).await;
    assert_eq!(code(&call.send(&stranger).await), "403 not_your_branch");
    let other = world.agent("other").await;
    assert_eq!(code(&call.send(&other).await), "403 not_your_branch");

    set_branches(world, agent, Vec::new()).await;
    assert_eq!(code(&call.send(agent).await), "403 not_your_branch");
    set_branches(world, agent, vec![BranchId(agent.branch)]).await;

    set_scopes(world, agent, &["transaction-status"]).await;
    assert_eq!(code(&call.send(agent).await), "403 insufficient_scope");
    set_scopes(world, agent, &["listing"]).await;
}

/// Gives an agent's client exactly these branches.
pub(crate) async fn set_branches(world: &World, agent: &Agent, branches: Vec<BranchId>) {
    let id = agent.client.id.clone();
    let set = world.storage.write(move |write| {
        storage::clients::set_client_branches(write, &id, &branches, BEGINNING)
    });
    assert!(set.await.unwrap());
}

/// Gives an agent's client exactly these scopes.
pub(crate) async fn set_scopes(world: &World, agent: &Agent, scopes: &[&str]) {
    let id = agent.client.id.clone();
    let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let set = world
        .storage
        .write(move |write| storage::clients::update_scopes(write, &id, &scopes, BEGINNING));
    assert!(set.await.unwrap());
}

/// Fails the story unless the path knows this method alone.
pub(crate) async fn assert_one_method(world: &World, agent: &Agent, call: &Call) {
    let before = all_of(agent).await;
    world.clock.advance(1);
    for name in [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LINK",
    ] {
        let mut other = call.clone();
        other.method = Method::from_bytes(name.as_bytes()).unwrap();
        let allowed = if call.method == Method::GET {
            "GET,HEAD"
        } else {
            call.method.as_str()
        };
        if allowed.split(',').any(|allowed| allowed == name) {
            continue;
        }
        let answer = other.send(agent).await;
        assert_eq!(answer.status, 405, "{name}");
        assert_eq!(answer.header("allow"), allowed, "{name}");
        if name != "HEAD" {
            assert_eq!(code(&answer), "405 method_not_allowed", "{name}");
        }
    }
    assert_eq!(all_of(agent).await, before, "something was changed");
}

/// Fails the story unless the call reads one JSON object and nothing else (S-40, S-54). In the
/// end the call is made.
pub(crate) async fn assert_json_only(agent: &Agent, call: &Call) {
    let raw = |kind: Option<&str>, body: &[u8]| {
        let request = agent.request(call.method.clone(), &call.path);
        let request = request.body(body.to_owned());
        send(match kind {
            Some(kind) => request.header(header::CONTENT_TYPE, kind),
            None => request,
        })
    };
    let good = call.body.as_ref().unwrap().to_string().into_bytes();
    for kind in [
        None,
        Some(""),
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/problem+json"),
        Some("application/jsonp; application/json"),
    ] {
        let answer = raw(kind, &good).await;
        assert_eq!(code(&answer), "415 media_type_unsupported", "{kind:?}");
    }
    let deep = [b"[".repeat(30_000), b"]".repeat(30_000)].concat();
    let deep_inside = [&b"{\"x\":"[..], &deep, b"}"].concat();
    let twice = [&good[..], &good].concat();
    for body in [
        &b""[..],
        b" ",
        b"{",
        b"[]",
        b"null",
        b"1",
        b"\"x\"",
        b"{'a': 1}",
        b"{\"a\": NaN}",
        b"{\"a\": 1e999}",
        b"{\"a\": \"\xff\"}",
        b"{} // end",
        b"{\"a\": \"\\ud800\"}",
        &deep,
        &deep_inside,
        &twice,
        &good[..good.len() - 1],
    ] {
        let answer = raw(Some("application/json"), body).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]);
        assert_eq!(code(&answer), "400 body_malformed", "{shown}");
    }
    let mut padded = call.body.clone().unwrap();
    padded["an_unknown_member"] = json!({"seller": "x", "more": [1, null]});
    let mut padded = padded.to_string().into_bytes();
    padded.resize(64 * 1024, b' ');
    let answer = raw(Some("application/json"), &[&padded[..], b" "].concat()).await;
    assert_eq!(code(&answer), "413 body_too_large");
    assert!(
        answer.failure().contains("65536 bytes"),
        "{}",
        answer.failure()
    );
    let answer = raw(Some("Application/JSON ; charset=utf-8"), &padded).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

/// Fails the story unless the call takes an `Idempotency-Key` as S-52 has it. `elsewhere` is a
/// call to another path, which may be made as well.
pub(crate) async fn assert_keyed(world: &World, agent: &Agent, call: &Call, elsewhere: &Call) {
    let before = all_of(agent).await;
    assert_bad_keys(agent, call).await;
    assert_eq!(all_of(agent).await, before, "a bad key changed something");

    let longest = "~".repeat(255);
    let first = call.send_with_key(agent, &longest).await;
    assert_eq!((first.status, is_replayed(&first)), (200, false));
    let after = all_of(agent).await;
    world.clock.advance(1);
    let again = call.send_with_key(agent, &longest).await;
    assert_eq!((again.status, is_replayed(&again)), (200, true));
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("content-type"), "application/json");

    let mut other = call.clone();
    other.body.get_or_insert_with(|| json!({}))["other"] = json!(true);
    let answer = other.send_with_key(agent, &longest).await;
    assert_eq!(
        code(&answer),
        "422 idempotency_key_reused (Idempotency-Key)"
    );
    assert!(!is_replayed(&answer));
    assert_eq!(all_of(agent).await, after, "a repetition changed something");

    // A day less a second later the answer is still there.
    let mut later = agent.clone();
    world.clock.advance(DAY_SECONDS - 2);
    later.token = token_at(world, agent, DAY_SECONDS - 1).await;
    assert!(is_replayed(&call.send_with_key(&later, &longest).await));
    assert_eq!(
        all_of(&later).await,
        after,
        "a repetition changed something"
    );
    world.clock.advance(1);
    assert!(!is_replayed(&call.send_with_key(&later, &longest).await));

    // Another path, and another client of the same branch.
    let answer = elsewhere.send_with_key(&later, &longest).await;
    assert_eq!((answer.status, is_replayed(&answer)), (200, false));
    let branch = BranchId(agent.branch);
    let change = |stored: &mut storage::clients::StoredClient| stored.branches = vec![branch];
    later.client = world.register_as("colleague", &["listing"], change).await;
    later.token = token_at(world, &later, DAY_SECONDS).await;
    assert!(!is_replayed(&call.send_with_key(&later, &longest).await));
}

async fn assert_bad_keys(agent: &Agent, call: &Call) {
    let too_long = "k".repeat(256);
    for key in [
        &b""[..],
        b"a b",
        b"a\tb",
        "é".as_bytes(),
        too_long.as_bytes(),
    ] {
        let answer = send(call.by(agent).header(KEY, key)).await;
        assert_eq!(
            code(&answer),
            "422 value_invalid (Idempotency-Key)",
            "{key:?}"
        );
    }
    let answer = send(call.by(agent).header(KEY, "a").header(KEY, "a")).await;
    assert_eq!(code(&answer), "422 value_invalid (Idempotency-Key)");
}

/// Fails the story unless one of many calls with the same key, all at once, is carried out, and
/// all get its answer.
pub(crate) async fn assert_once(agent: &Agent, call: &Call) {
    let calls = (0..6).map(|_number| {
        let (agent, call) = (agent.clone(), call.clone());
        tokio::spawn(async move { call.send_with_key(&agent, "one").await })
    });
    let mut firsts = 0;
    let mut bodies = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        let answer = call.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.json());
        firsts += usize::from(!is_replayed(&answer));
        bodies.push(answer.body);
    }
    bodies.dedup();
    assert_eq!((firsts, bodies.len()), (1, 1));
}

/// Fails the story unless a lock on this listing forbids the call (S-53), which changes nothing,
/// and the refusal is kept under its key after the lock has gone. In the end the call is made.
pub(crate) async fn assert_lockable(
    world: &World,
    agent: &Agent,
    locked: i64,
    call: &Call,
    refusal: &str,
) {
    agent.lock(locked, true).await;
    let before = all_of(agent).await;
    world.clock.advance(1);
    let refused = call.send_with_key(agent, "locked").await;
    assert_eq!(refused.failure(), refusal);
    assert_eq!(all_of(agent).await, before, "a refusal changed something");
    agent.lock(locked, false).await;
    let kept = call.send_with_key(agent, "locked").await;
    assert_eq!(kept.failure(), refusal);
    assert!(!is_replayed(&refused) && is_replayed(&kept));
    assert_eq!(call.send(agent).await.status, 200);
}

/// A token of an agent's client so many seconds after the beginning.
pub(crate) async fn token_at(world: &World, agent: &Agent, seconds: i64) -> String {
    let now = BEGINNING + seconds;
    let assertion = agent.client.assertion();
    let assertion = assertion.claim("iat", json!(now));
    let assertion = assertion.claim("exp", json!(now + 120));
    let assertion = assertion.sign(&agent.client.key);
    let answer = world.request_token(&agent.client, &assertion, None).await;
    answer.json()["access_token"].as_str().unwrap().to_owned()
}

/// Status and codes of a failure, for example `422 value_invalid (top)`.
pub(crate) fn code(answer: &Answer) -> String {
    let failure = answer.failure();
    failure.split(':').next().unwrap().to_owned()
}
