//! `sandbox --pedantic`: what a client may see by the contract, and few expect.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use client::sandbox::load;
use client::webhook::wire::{Simulation, SubscriptionRequest};
use client::{
    ChainInput, ChainQuery, Client, ClientError, Credentials, EventType, SandboxFile, Trust,
    WebhookClient,
};
use observe::clock::{Clock, Stopwatch};

use super::program::{Program, run};
use super::sandbox::Sandbox;
use crate::test_server::PATIENCE;

/// A bound on the calls until each kind of trouble was seen; about 60 are needed.
const CALLS_MAX: usize = 600;
/// So many calls of a pedantic sandbox meet trouble.
const CALLS_UNDISTURBED: usize = 60;

fn trust(file: &SandboxFile) -> Trust {
    Trust::Only(std::fs::read(&file.ca_file).unwrap())
}

fn open_client(file: &SandboxFile) -> Client {
    let credentials = Credentials::read(&file.client(None).unwrap().files()).unwrap();
    let now = || UNIX_EPOCH + Duration::from_secs(Clock::System.now_seconds().unsigned_abs());
    Client::new(file.endpoints(), credentials, &trust(file), Arc::new(now)).unwrap()
}

/// The status and `Retry-After` of a refusal for a moment.
fn passing(error: &ClientError) -> (u16, Option<u64>) {
    if let ClientError::RateLimited {
        retry_after_seconds,
        ..
    } = error
    {
        return (429, *retry_after_seconds);
    }
    if let ClientError::Refused(problem) | ClientError::Webhook(problem) = error {
        return (problem.status, None);
    }
    let ClientError::Token(refusal) = error else {
        panic!("{error}");
    };
    (refusal.status, None)
}

/// The refusals of queries, and the orders of the members of their answers.
#[derive(Debug, Default)]
struct Seen {
    refusals: BTreeSet<(u16, Option<u64>)>,
    orders: BTreeSet<[&'static str; 3]>,
}

impl Seen {
    /// Queries once. An answer verifies, or the client refuses it.
    async fn query(&mut self, client: &Client, uprn: u64) {
        let query = ChainQuery {
            input: ChainInput::Uprns(vec![uprn]),
            rows: None,
            page: None,
            explain: true,
            as_of: None,
        };
        match client.query_chains(&query).await {
            Ok(answer) => {
                let body = std::str::from_utf8(answer.body()).unwrap();
                let names = ["data", "provenance", "explanation"];
                let mut places = names.map(|name| (body.find(&format!("\"{name}\":")), name));
                places.sort_unstable();
                self.orders.insert(places.map(|(_place, name)| name));
            }
            Err(error) => drop(self.refusals.insert(passing(&error))),
        }
    }

    fn is_all(&self) -> bool {
        let all = [(429, Some(1)), (503, None)];
        all.iter().all(|refusal| self.refusals.contains(refusal)) && self.orders.len() > 2
    }
}

async fn query_until_all_is_seen(client: &Client, uprn: u64) {
    let mut seen = Seen::default();
    for _call in 0..CALLS_MAX {
        seen.query(client, uprn).await;
        if seen.is_all() {
            return;
        }
    }
    panic!("only {seen:?} in {CALLS_MAX} calls");
}

/// The lifetime of a token, in seconds.
async fn find_token_lifetime(client: &Client) -> u64 {
    let scope = ["transaction-status".to_owned()];
    let issued = insist(async || client.request_token(&scope).await);
    issued.await.expires_in
}

/// No option and no setting makes `onward serve` pedantic, not even on the sandbox's store.
fn check_production(sandbox: &Sandbox, file: &SandboxFile) {
    let config = sandbox.file("onward.toml");
    let serve = ["serve", "--config", &config];
    for option in [&["--pedantic"][..], &["--set", "pedantic=true"]] {
        let refused = run(&[&serve[..], option].concat());
        assert!(
            refused.status != Some(0) && refused.err.contains("pedantic"),
            "{refused:?}"
        );
    }
    let unlimited = ["--set", "rate_limit_enabled=false"];
    let mut served = Program::start(&[&serve[..], &unlimited].concat());
    served.wait_for("serving");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = open_client(file);
    let mut seen = Seen::default();
    runtime.block_on(async {
        for _call in 0..CALLS_UNDISTURBED {
            seen.query(&client, file.samples.uprn_in_chain).await;
        }
        assert_eq!(find_token_lifetime(&client).await, 600);
    });
    assert_eq!((seen.refusals.len(), seen.orders.len()), (0, 1), "{seen:?}");
    served.signal("TERM");
    assert_eq!(served.wait().status, Some(0));
}

/// Repeats a call until the service does not refuse it for a moment.
async fn insist<T>(call: impl AsyncFn() -> Result<T, ClientError>) -> T {
    for _call in 0..CALLS_MAX {
        match call().await {
            Ok(done) => return done,
            Err(error) => assert!([429, 503].contains(&passing(&error).0), "{error}"),
        }
    }
    panic!("refused {CALLS_MAX} times");
}

/// Sends test events until the log has one whose answer was lost, and which then arrived.
async fn simulate_until_an_answer_is_lost(hooks: &WebhookClient, uprn: u64, callback: &str) {
    let wish = SubscriptionRequest {
        participant_name: "Example Lender".to_owned(),
        callback_url: callback.to_owned(),
        events: vec![EventType::MilestoneUpdated],
    };
    let made = insist(async || hooks.subscribe(&wish).await).await;
    let test = Simulation {
        event_type: EventType::MilestoneUpdated,
        property_id: None,
        uprn: Some(uprn.to_string()),
        date: None,
        label: None,
        change: None,
        subscription_id: None,
    };
    for _event in 0..8 {
        insist(async || hooks.simulate(&test).await).await;
    }
    let id = &made.subscription.subscription_id;
    let waited = Stopwatch::start();
    while waited.elapsed() < PATIENCE {
        let log = insist(async || hooks.list_deliveries(id).await).await;
        let arrived = log.iter().filter(|delivery| delivery.status == "delivered");
        let mut attempts = arrived.flat_map(|delivery| &delivery.attempts);
        if attempts.any(|attempt| attempt.error.as_deref() == Some("closed_early")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no answer was lost");
}

#[test]
fn a_pedantic_sandbox_is_awkward_and_says_how_to_repeat_it() {
    let sandbox = Sandbox::new();
    let program = sandbox.start_with(&["--pedantic", "--no-rate-limit"]);
    let file = load(Path::new(sandbox.directory())).unwrap();
    let uprn = file.samples.uprn_in_chain;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = open_client(&file);
    runtime.block_on(query_until_all_is_seen(&client, uprn));
    assert_eq!(runtime.block_on(find_token_lifetime(&client)), 60);

    let args = [
        "listen",
        "--sandbox",
        sandbox.directory(),
        "--port",
        "0",
        "--json",
    ];
    let mut receiver = Program::start(&[&args[..], &["--accept-simulated"]].concat());
    let listening = receiver.wait_for_line("listening on ");
    let callback = listening.split([' ', ',']).nth(2).unwrap();
    let hooks = WebhookClient::new(&file.base_url, &file.api_keys[0].key, &trust(&file)).unwrap();
    runtime.block_on(simulate_until_an_answer_is_lost(&hooks, uprn, callback));
    receiver.wait_for("\"duplicate\":true");

    program.signal("INT");
    let finished = program.wait();
    assert_eq!(finished.status, Some(0));
    let seed = "--pedantic --seed 3 repeats its choices";
    assert!(finished.out.contains(seed), "{finished:?}");
    check_production(&sandbox, &file);
}
