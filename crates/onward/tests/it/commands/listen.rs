//! `onward listen` and `onward simulate` against a service in the test's own process.

mod fake_server;

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use self::fake_server::FakeServer;
use super::program::{Program, run};

/// Starts `onward listen` on a free port; its address.
fn listen(service: &FakeServer, args: &[&str]) -> (Program, String) {
    let fixed = ["--sandbox", service.directory(), "--port", "0"];
    listen_with(&[&fixed[..], args].concat())
}

fn listen_with(args: &[&str]) -> (Program, String) {
    let mut program = Program::start(&[&["listen"], args].concat());
    let line = program.wait_for_line("listening on ");
    let url = line.split([' ', ',']).nth(2).unwrap().to_owned();
    (program, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_verified_printed_and_counted() {
    let service = FakeServer::start().await;
    let (program, url) = listen(&service, &["--json", "--count", "2"]);
    let first = service.sign("e-1");

    assert_eq!(service.deliver(&url, &first).await, 202);
    assert_eq!(service.deliver(&url, &first).await, 202);
    let (head, _) = first.rsplit_once('.').unwrap();
    let forged = format!("{head}.{}", "A".repeat(342));
    assert_eq!(service.deliver(&url, &forged).await, 400);
    let other = service.sign_for("https://other");
    assert_eq!(service.deliver(&url, &other).await, 400);
    assert_eq!(service.deliver(&url, &"x".repeat(65_537)).await, 413);
    let wrong_type = service.deliver_as(&url, "application/json", &first);
    assert_eq!(wrong_type.await, 415);
    assert_eq!(service.deliver(&url, &service.sign("e-2")).await, 202);

    let finished = program.wait();
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    let lines = finished.out.lines();
    let events = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let shown = events.map(|event| json!([event["eventId"], event["duplicate"], event["data"]]));
    let shown: Vec<Value> = shown.collect();
    let data = json!({"milestone": {"label": "SSTC", "date": "2026-11-20"}});
    let expected = [
        json!(["e-1", false, data]),
        json!(["e-1", true, data]),
        json!(["e-2", false, data]),
    ];
    assert_eq!(shown, expected);
    let reasons = "does not verify|not this service|larger than|application/jwt";
    for reason in reasons.split('|') {
        assert!(finished.err.contains(reason), "{reason}: {}", finished.err);
    }
    assert!(!finished.err.contains(&first), "{}", finished.err);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_event_is_refused_unless_it_is_asked_for() {
    let service = FakeServer::start().await;
    let event = service.sign("sim_1");
    let (program, url) = listen(&service, &[]);
    assert_eq!(service.deliver(&url, &event).await, 400);
    program.signal("TERM");
    let finished = program.wait();
    assert_eq!(finished.out, "");
    let hint = "refused with 400: the event is simulated, so it says nothing about a sale; \
                --accept-simulated accepts it";
    assert!(finished.err.contains(hint), "{}", finished.err);

    let (program, url) = listen(&service, &["--accept-simulated", "--count", "1"]);
    assert_eq!(service.deliver(&url, &event).await, 202);
    let finished = program.wait();
    let said = finished.out;
    assert!(said.contains("UPRN 7  SIMULATED"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_of_a_later_type_is_accepted_and_printed() {
    let service = FakeServer::start().await;
    let (program, url) = listen(&service, &["--count", "1"]);
    let event = service.sign_of_later_type();
    assert_eq!(service.deliver(&url, &event).await, 202);
    let finished = program.wait();
    let said = finished.out;
    let expected =
        "✓ offer.made  a type that this version does not know: {\"offer\":1}  property 42";
    assert!(said.starts_with(expected), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_answered_for_once_it_was_forwarded() {
    let service = FakeServer::start().await;
    let target = format!("{}/forwarded", service.plain_url());
    let (program, url) = listen(&service, &["--forward", &target]);
    let event = service.sign("e-1");

    service.takes_forwarded.store(false, Ordering::SeqCst);
    assert_eq!(service.deliver(&url, &event).await, 502);
    service.takes_forwarded.store(true, Ordering::SeqCst);
    assert_eq!(service.deliver(&url, &event).await, 202);
    // Passed on already: not passed on again.
    assert_eq!(service.deliver(&url, &event).await, 202);

    let finished = program.stop("TERM");
    let said = &finished.err;
    assert!(said.contains("status 500 instead of 2xx"), "{said}");
    let lines: Vec<&str> = finished.out.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("✓ milestone.updated  SSTC 2026-11-20  property 42, UPRN 7"));
    assert!(lines[1].starts_with("= duplicate milestone.updated"));
    let forwarded = service.bodies("/forwarded");
    assert_eq!(forwarded.len(), 2);
    assert_eq!(forwarded[1]["eventId"], "e-1");
    assert_eq!(forwarded[1]["uprn"], "7");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_subscribes_itself_and_simulate_asks_for_an_event() {
    let service = FakeServer::start().await;
    let (mut program, url) = listen(&service, &["--subscribe", "--events", "fallthrough"]);
    program.wait_for_line("subscribed for Example Lender to fallthrough, s-1");
    let wish = &service.bodies("/api/v1/webhook/subscribe")[0];
    let expected = json!({
        "participantName": "Example Lender", "callbackUrl": url, "events": ["fallthrough"]
    });
    assert_eq!(wish, &expected);
    let finished = program.stop("INT");
    assert!(
        finished.err.contains("the subscription s-1 is ended"),
        "{}",
        finished.err
    );
    assert_eq!(service.bodies("/api/v1/webhook/subscriptions/s-1").len(), 1);

    // One that was there before stays.
    service.has_subscription();
    let (mut program, _url) = listen(&service, &["--subscribe"]);
    program.wait_for_line("subscribed again for Example Lender");
    program.stop("INT");
    assert_eq!(service.bodies("/api/v1/webhook/subscriptions/s-1").len(), 1);

    let simulate = ["simulate", "--sandbox", service.directory(), "--uprn", "7"];
    let finished = tokio::task::block_in_place(|| run(&simulate));
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    let shown = "event sim_1 goes to\n  subscription s-1, delivery 9\n";
    assert_eq!(finished.out, shown);
    let asked = &service.bodies("/api/v1/webhook/simulate")[0];
    let expected = json!({"eventType": "milestone.updated", "uprn": "7"});
    assert_eq!(asked, &expected);
    let refused = [&simulate[..], &["--label", "Nonsense"]].concat();
    let finished = tokio::task::block_in_place(|| run(&refused));
    let said = finished.failure();
    assert!(said.starts_with("422 Unprocessable"), "{said}");
    let unnamed = tokio::task::block_in_place(|| run(&["simulate"]));
    assert_eq!(unnamed.status, Some(2));
}

/// The options that name the fake server as a service, with its key set at this path.
fn named(service: &FakeServer, key_set: &str) -> Vec<String> {
    let file = |name: &str| format!("{}/{name}", service.directory());
    let options = [
        ("--jwks-url", format!("{}{key_set}", service.base_url())),
        ("--issuer", service.base_url().to_owned()),
        ("--certificate", file("callback.pem")),
        ("--key", file("callback.key")),
        ("--ca", file("ca.pem")),
        ("--port", "0".to_owned()),
    ];
    let texts = options.map(|(name, value)| [name.to_owned(), value]);
    texts.concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_name_the_service_whose_events_are_taken() {
    let service = FakeServer::start().await;
    let options = named(&service, "/jwks");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (program, url) = listen_with(&[&options[..], &["--count", "1"]].concat());
    assert_eq!(service.get(&url).await, 405);
    assert_eq!(
        service
            .deliver(&url, &service.sign_for("https://other"))
            .await,
        400
    );
    assert_eq!(service.deliver(&url, &service.sign("e-1")).await, 202);
    let finished = program.wait();
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    assert!(finished.out.contains("UPRN 7"), "{}", finished.out);
    assert!(
        finished.err.contains("refused with 405: "),
        "{}",
        finished.err
    );

    // The service delivers again later: the fault is not the event's.
    let options = named(&service, "/none");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (program, url) = listen_with(&options);
    assert_eq!(service.deliver(&url, &service.sign("e-1")).await, 503);
    program.signal("TERM");
    let finished = program.wait();
    assert!(
        finished.err.contains("refused with 503: "),
        "{}",
        finished.err
    );
    assert_eq!(finished.out, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_name_the_service_that_simulates() {
    let service = FakeServer::start().await;
    let ca = format!("{}/ca.pem", service.directory());
    let args = [
        "simulate",
        "--property-id",
        "42",
        "--base-url",
        service.base_url(),
    ];
    let more = ["--api-key", "key-1", "--ca", &ca, "--json"];
    let finished = tokio::task::block_in_place(|| run(&[&args[..], &more].concat()));
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    let shown: Value = serde_json::from_str(&finished.out).unwrap();
    assert_eq!(shown["eventId"], "sim_1");
    assert_eq!(shown["deliveries"][0]["subscriptionId"], "s-1");
    let asked = &service.bodies("/api/v1/webhook/simulate")[0];
    assert_eq!(
        asked,
        &json!({"eventType": "milestone.updated", "propertyId": "42"})
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_without_an_api_key_can_neither_subscribe_nor_simulate() {
    let service = FakeServer::start().await;
    let file = format!("{}/sandbox.json", service.directory());
    let mut known: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    known["api_keys"] = json!([]);
    std::fs::write(&file, known.to_string()).unwrap();
    let said = "sandbox.json holds no API key: start `onward sandbox` of this version again";
    let place = ["--sandbox", service.directory()];
    for args in [
        &["simulate", "--uprn", "7"][..],
        &["listen", "--port", "0", "--subscribe"],
    ] {
        let finished = tokio::task::block_in_place(|| run(&[args, &place].concat()));
        assert_eq!(finished.status, Some(1), "{args:?}");
        assert!(
            finished.err.ends_with(&format!("onward: {said}\n")),
            "{finished:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_work_is_said_at_once() {
    let service = FakeServer::start().await;
    let listen = |args: &[&str]| {
        let fixed = ["listen", "--sandbox", service.directory()];
        tokio::task::block_in_place(|| run(&[&fixed[..], args].concat()))
    };
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let finished = listen(&["--port", &port]);
    assert!(finished.failure().contains("--port chooses another port"));
    let finished = listen(&["--port", "0", "--forward", "ftp://localhost/"]);
    assert!(finished.failure().contains("is no http(s):// address"));
    let mut options = named(&service, "/jwks");
    let other_key = options
        .iter_mut()
        .find(|text| text.ends_with("callback.key"));
    *other_key.unwrap() = format!("{}/server.key", service.directory());
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let finished = tokio::task::block_in_place(|| run(&[&["listen"], &options[..]].concat()));
    let said = finished.failure();
    assert!(
        said.contains("callback.pem") && said.contains("server.key"),
        "{said}"
    );
}
