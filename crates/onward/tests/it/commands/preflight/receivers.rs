//! Mistakes of receivers of events.

use observe::clock::Clock;
use provision::authority::Authority;
use reqwest::Method;
use serde_json::json;
use tokio::task::block_in_place;

use super::fake_server::{self, Reply};
use super::set_up::{Change, Checked, SetUp};
use crate::commands::program::{Program, find_ports};

fn check(set_up: &SetUp, callback: &str) -> Checked {
    let changes: Vec<Change> = vec![
        ("--callback", callback.to_owned()),
        ("--callback-ca", set_up.text("ca_file")),
        ("--api-key-file", set_up.api_key_file()),
    ];
    block_in_place(|| set_up.check(&changes))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_cannot_be_reached_is_explained() {
    let set_up = block_in_place(SetUp::new);
    let checked = check(&set_up, &format!("https://localhost:{}/", find_ports()));
    checked.assert_fails(
        "callback",
        "nothing answers at localhost:",
        "integrator",
        "correct the port in --callback",
    );
    assert_eq!(checked.outcomes("skipped"), ["event"]);

    let other = tempfile::tempdir().unwrap();
    let authority = Authority::ensure(other.path(), Clock::System.now_seconds()).unwrap();
    authority
        .issue_server_certificate(other.path(), "callback")
        .unwrap();
    let reply = Reply::status(202);
    let url = fake_server::start_with(other.path(), "callback", reply).await;
    let checked = check(&set_up, &url);
    checked.assert_fails(
        "callback",
        "in --callback-ca has another key",
        "integrator",
        "into the file of --callback-ca",
    );
    assert_eq!(checked.outcomes("skipped"), ["event"]);
    // This machine may trust a receiver that the service does not trust.
    let trusted = other.path().join("ca.pem").to_str().unwrap().to_owned();
    let changes = [
        ("--callback", url),
        ("--callback-ca", trusted),
        ("--api-key-file", set_up.api_key_file()),
    ];
    let checked = block_in_place(|| set_up.check(&changes));
    let change = "put the receiver's authority into callback_ca_file";
    checked.assert_fails(
        "event",
        "no answer from the receiver (tls)",
        "operator",
        change,
    );
    assert_eq!(block_in_place(|| set_up.subscriptions()), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_refuses_is_explained() {
    let set_up = block_in_place(SetUp::new);
    for (status, change) in [
        (500, "read the log of the receiver: it failed on this event"),
        (
            404,
            "put the path at which the receiver takes POST into --callback",
        ),
    ] {
        let url = fake_server::start(&set_up, "localhost", Reply::status(status)).await;
        let found = format!("the receiver answered {status}");
        check(&set_up, &url).assert_fails("event", &found, "integrator", change);
        // The subscription is deleted after a failure, too.
        assert_eq!(block_in_place(|| set_up.subscriptions()), "");
    }
    let listen = ["listen", "--sandbox", set_up.directory(), "--port", "0"];
    let mut receiver = Program::start(&listen);
    let line = block_in_place(|| receiver.wait_for_line("listening on "));
    let callback = line.split([' ', ',']).nth(2).unwrap();
    let checked = check(&set_up, callback);
    let change = "for this test it must accept test events";
    checked.assert_fails("event", "answered 400: ", "integrator", change);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_of_ones_own_is_used_and_other_receivers_get_nothing() {
    let set_up = block_in_place(SetUp::new);
    let listen = ["listen", "--sandbox", set_up.directory(), "--port", "0"];
    let more = ["--subscribe", "--accept-simulated"];
    let mut receiver = Program::start(&[&listen[..], &more].concat());
    let line = block_in_place(|| receiver.wait_for_line("listening on "));
    let callback = line.split([' ', ',']).nth(2).unwrap();
    block_in_place(|| receiver.wait_for("subscribed for "));

    let checked = check(&set_up, callback);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    // The test event arrives in spite of a watch, which stays as it was.
    let watch = json!({"uprns": [7], "reach": "property"});
    set_up.call_watch(Method::PUT, Some(watch)).await;
    let checked = check(&set_up, callback);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    let watch = set_up.call_watch(Method::GET, None).await;
    assert_eq!(watch["uprnCount"], 1, "{watch}");
    let kept = block_in_place(|| set_up.subscriptions());
    assert_eq!(kept.lines().count(), 1, "{kept}");
    let other = fake_server::start(&set_up, "localhost", Reply::status(202)).await;
    let checked = check(&set_up, &other);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    assert_eq!(block_in_place(|| set_up.subscriptions()), kept);

    std::fs::write(set_up.path("wrong.key"), "onward_wrong").unwrap();
    let changes = [
        ("--callback", other),
        ("--callback-ca", set_up.text("ca_file")),
        ("--api-key-file", set_up.path("wrong.key")),
    ];
    let checked = block_in_place(|| set_up.check(&changes));
    let change = "put a valid API key into the file of --api-key-file";
    checked.assert_fails("event", "401 ", "integrator", change);
    for (option, step) in [("--api-key-file", "event"), ("--callback-ca", "callback")] {
        let absent = (option, set_up.path("absent"));
        let changes = [&changes[..], &[absent]].concat();
        let checked = block_in_place(|| set_up.check(&changes));
        checked.assert_fails(step, "cannot read ", "integrator", option);
    }
    let unsent = block_in_place(|| set_up.check(&changes[..2]));
    assert_eq!(
        (unsent.status, unsent.outcomes("skipped")),
        (1, vec!["event"])
    );
}
