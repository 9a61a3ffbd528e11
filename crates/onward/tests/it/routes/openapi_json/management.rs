//! Real answers of listing and chain management hold to its document.

use serde_json::{Value, json};

use chain::consent::ForeignLinks;

use super::Described;
use crate::forecasts::learn_from_past_sales;
use crate::model::catalogue::KINDS;
use crate::sqlite_story;
use crate::test_server::manners::KEY;
use crate::test_server::{Answer, At, Client, TestServer, send};

/// An agent, and the document that describes its answers.
struct Checker {
    described: Described,
    agent: Client,
}

impl Checker {
    async fn new(server: &TestServer) -> Self {
        Self {
            described: Described::new(server, At::Listing, "/api/v1").await,
            agent: server.agent("north").await,
        }
    }

    async fn ask(&mut self, call: &str, fill: &[&str], body: Value) -> Answer {
        self.ask_with_key(None, call, fill, body).await
    }

    async fn ask_with_key(
        &mut self,
        key: Option<&str>,
        call: &str,
        fill: &[&str],
        body: Value,
    ) -> Answer {
        let (method, path) = Described::fill(call, fill);
        let mut request = self.agent.request(method, &path);
        if let Some(key) = key {
            request = request.header(KEY, key);
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = send(request).await;
        self.described.check(call, &answer);
        answer
    }
}

sqlite_story! {
    async fn every_success(server) {
        let confirm = |config: &mut server::config::Config| {
            config.foreign_links = ForeignLinks::Confirmed;
        };
        server = server.reconfigure(confirm).await;
        let mut checker = Checker::new(&server).await;
        propose(&server, &mut checker).await;
        let (one, two) = list_and_link(&mut checker).await;
        record(&mut checker, &one).await;
        read(&mut checker, &one).await;
        mark(&mut checker, (&one, &two)).await;
        let body = json!({"seller": id(&one), "buyer": id(&two)});
        checker.ask("POST /chain/remove/link", &[], body).await;
        let alone = checker.agent.list(9).await.to_string();
        checker.ask("DELETE /listing/{listing}", &[&alone], Value::Null).await;
        checker.ask("GET /listing/{listing}/history", &[&alone], Value::Null).await;
        checker.described.assert_every_success_was_seen();
    }
}

/// Proposes links to listings of another branch.
async fn propose(server: &TestServer, checker: &mut Checker) {
    let south = server.agent("south").await;
    let own = checker.agent.list(100).await;
    let theirs = south.list(101).await;
    let link = json!({"seller": own, "buyer": theirs});
    checker.ask("POST /chain/add/link", &[], link).await;
    let (own, theirs) = (own.to_string(), theirs.to_string());
    for end in ["top", "bottom"] {
        let call = format!("POST /listing/chain/{{listing}}/add/{end}/{{added}}");
        checker.ask(&call, &[&own, &theirs], Value::Null).await;
    }
    checker
        .ask("GET /listing/{listing}/proposals", &[&own], Value::Null)
        .await;
}

async fn list_and_link(checker: &mut Checker) -> (String, String) {
    let branch = checker.agent.branch();
    let address = |number| {
        json!({"line1": format!("{number} High Street"), "postTown": "Leeds",
            "postcode": "LS1 4AP", "uprn": number})
    };
    let new = json!({"address": address(1), "branch_id": branch, "price": 250_000,
        "tenure": "leasehold", "transaction_type": ["auction"], "external_id": "first"});
    let (call, key) = ("POST /listing", Some("k1"));
    let created = checker.ask_with_key(key, call, &[], new.clone()).await;
    let replayed = checker.ask_with_key(key, call, &[], new.clone()).await;
    assert_eq!(replayed.header("idempotency-replayed"), "true");
    checker.ask(call, &[], new).await;
    let other = json!({"address": address(2), "branch_id": branch, "price": 1});
    let other = checker.ask("POST /listing", &[], other).await;
    let (one, two) = (text_id(&created), text_id(&other));
    let link = json!({"seller": id(&one), "buyer": id(&two)});
    checker.ask("POST /chain/add/link", &[], link).await;
    let third = json!({"address": address(3), "branch_id": branch, "price": 1});
    for (end, number) in [("top", 3), ("bottom", 4)] {
        let mut third = third.clone();
        third["address"] = address(number);
        let added = text_id(&checker.ask("POST /listing", &[], third).await);
        let call = format!("POST /listing/chain/{{listing}}/add/{end}/{{added}}");
        checker.ask(&call, &[&one, &added], Value::Null).await;
    }
    let change = json!({"price": 260_000, "parties": {"sellerConveyancer": "Deed LLP"}});
    let call = "PATCH /listing/{listing}";
    checker.ask(call, &[&one], change).await;
    (one, two)
}

async fn record(checker: &mut Checker, one: &str) {
    let milestone = "/listing/{listing}/milestone/{key}";
    let (get, put) = (format!("GET {milestone}"), format!("PUT {milestone}"));
    let key = "offer_accepted";
    checker.ask(&get, &[one, key], Value::Null).await;
    for kind in &*KINDS {
        let body = json!({"date": "2026-10-01"});
        checker.ask(&put, &[one, kind.key], body).await;
        checker.ask(&get, &[one, kind.key], Value::Null).await;
    }
    let reopen = "POST /listing/{listing}/reopen-enquiries";
    checker.ask(reopen, &[one], Value::Null).await;
    for key in ["enquiries_closed", "enquiries_opened"] {
        checker.ask(&get, &[one, key], Value::Null).await;
    }
    let delete = format!("DELETE {milestone}");
    let first = KINDS[0].key;
    checker.ask(&delete, &[one, first], Value::Null).await;
}

async fn read(checker: &mut Checker, one: &str) {
    let branch = checker.agent.branch().to_string();
    let one_alone: [&str; 1] = [one];
    let changes = format!("/changes?branch_id={branch}");
    let chain = "/listing/{listing}?includes=buyer,seller,chain_data,chained_listings";
    let milestones = "/listing/{listing}?includes=milestones,buyer,chain_data,seller";
    let workflow = "/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow";
    for (call, fill) in [
        ("/listing?per_page=2", &[][..]),
        ("/listing/{listing}", &one_alone),
        (chain, &one_alone),
        (milestones, &one_alone),
        ("/listing/{listing}/history?per_page=100", &one_alone),
        (&changes, &[]),
        ("/listing/{listing}/is-complete", &one_alone),
        ("/listing/{listing}/lagging", &one_alone),
        ("/listing/{listing}/bottleneck", &one_alone),
        ("/listing/{listing}/forecast", &one_alone),
        ("/listing/{listing}/relationships/milestones", &one_alone),
        ("/milestone_type", &[]),
        ("/milestone_type/{id}/relationships/milestones", &["1"]),
        ("/milestone_group", &[]),
        (workflow, &["searches", &branch, one]),
    ] {
        let answer = checker.ask(&format!("GET {call}"), fill, Value::Null).await;
        assert_eq!(answer.status, 200, "{call}");
        let head = format!("HEAD {call}");
        checker.ask(&head, fill, Value::Null).await;
    }
    for (call, body) in [
        ("POST /address/filter", json!({"full_address": "LS1 4AP"})),
        ("POST /branch/filter", json!({"name": "NORTH"})),
    ] {
        let found = checker.ask(call, &[], body).await.json();
        assert_ne!(found["data"], json!([]));
    }
}

async fn mark(checker: &mut Checker, (one, two): (&str, &str)) {
    let chain = checker.agent.chain_of(two.parse().unwrap()).await;
    let body = |reason: &str| json!({"top": true, "reason": reason});
    for (call, body) in [
        ("GET /chain/{chain}/listings", Value::Null),
        ("GET /chain/{chain}/history", Value::Null),
        ("POST /chain/{chain}/check", body("Checked")),
        ("POST /chain/{chain}/uncheck", body("Not EOC")),
    ] {
        checker.ask(call, &[&chain], body).await;
    }
    for end in ["top", "bottom"] {
        for action in ["check", "uncheck"] {
            let call = format!("POST /listing/chain/{{listing}}/{action}/{end}");
            checker.ask(&call, &[one], Value::Null).await;
        }
    }
}

sqlite_story! {
    async fn what_past_sales_teach(server) {
        learn_from_past_sales(&server).await;
        let mut checker = Checker::new(&server).await;
        let [one, two] = checker.agent.list_chain([901, 902]).await;
        let texts = [one.to_string(), two.to_string()];
        let calls = ["GET /listing/{listing}/bottleneck", "GET /listing/{listing}/forecast"];
        for date in ["2026-08-10", "2026-09-10"] {
            for listing in [one, two] {
                checker.agent.record(listing, "sstc", date).await;
            }
            for call in calls {
                let answer = checker.ask(call, &[&texts[0]], Value::Null).await.json();
                assert_eq!(answer["data"]["rule_version"], 1, "{answer}");
            }
        }
        checker.agent.record(one, "searches_expected", "2026-11-01").await;
        let answer = checker.ask(calls[1], &[&texts[1]], Value::Null).await.json();
        assert!(answer["data"]["exchange"].is_object(), "{answer}");
    }
}

sqlite_story! {
    async fn refusals_of_every_status(server) {
        let mut checker = Checker::new(&server).await;
        let (one, two) = list_and_link(&mut checker).await;
        let theirs = server.agent("south").await.list(900).await.to_string();
        let link = |seller: &str, buyer: &str| json!({"seller": id(seller), "buyer": id(buyer)});
        let add = "POST /chain/add/link";
        for (call, fill, body, status) in [
            (add, &[][..], link(&one, &two), 409),
            (add, &[], link("999", &two), 404),
            (add, &[], link(&theirs, &theirs), 403),
            (add, &[], json!({"seller": "x"}), 422),
            (add, &[], Value::Null, 415),
            (add, &[], json!([]), 400),
            (add, &[], "a".repeat(70_000).into(), 413),
            ("GET /listing/{listing}", &["x"], Value::Null, 404),
            ("GET /listing/{listing}", &[&theirs], Value::Null, 403),
            ("GET /listing/{listing}?includes=chain", &[&one], Value::Null, 422),
            ("GET /listing?page=0", &[], Value::Null, 422),
            ("GET /listing?page=%FF", &[], Value::Null, 422),
            ("DELETE /listing/{listing}", &[&one], Value::Null, 409),
            ("PUT /listing/{listing}/milestone/{key}", &[&one, "x"], json!({}), 404),
            ("GET /milestone_type/{id}/relationships/milestones", &["99"], Value::Null, 404),
            ("GET /chain/{chain}/listings", &["x"], Value::Null, 404),
        ] {
            let answer = checker.ask(call, fill, body).await;
            assert_eq!(answer.status, status, "{call} {}", String::from_utf8_lossy(&answer.body));
        }
        let wrong = checker.ask_with_key(Some("with space"), add, &[], link(&one, &two)).await;
        assert_eq!(wrong.status, 422);
        let first = checker.ask_with_key(Some("again"), add, &[], link(&one, &two)).await;
        let again = checker.ask_with_key(Some("again"), add, &[], link(&one, &two)).await;
        assert_eq!((first.status, again.status), (409, 409));
        assert_eq!(again.header("idempotency-replayed"), "true");
        let reused = checker.ask_with_key(Some("again"), add, &[], link(&two, &one)).await;
        assert!(reused.failure().starts_with("422 idempotency_key_reused"));
        checker.agent.token = "none".to_owned();
        assert_eq!(checker.ask(add, &[], Value::Null).await.status, 401);
        checker.agent = server.lender().await;
        assert_eq!(checker.ask(add, &[], Value::Null).await.status, 403);
    }
}

fn id(text: &str) -> i64 {
    text.parse().unwrap()
}

fn text_id(answer: &Answer) -> String {
    answer.listing().to_string()
}
