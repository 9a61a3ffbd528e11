//! `onward preflight`: all green, and a helpful sentence for each planted mistake.

mod fake_server;
mod mistakes;
mod receivers;
mod set_up;

use self::set_up::SetUp;
use super::program::{Program, run};

/// The steps without a receiver, in order.
const STEPS: &str = "addresses,dns,connection,tls,server certificate,clock,client certificate,\
    mutual TLS,issuer,key set,assertion,token,token binding,scope,query,signature";

#[test]
fn a_right_set_up_is_green_from_the_addresses_to_the_event() {
    let set_up = SetUp::new();
    let sandbox = set_up.directory();
    let listen = [
        "listen",
        "--sandbox",
        sandbox,
        "--port",
        "0",
        "--accept-simulated",
    ];
    let mut receiver = Program::start(&listen);
    let line = receiver.wait_for_line("listening on ");
    let callback = line.split([' ', ',']).nth(2).unwrap();

    let finished = run(&["preflight", "--sandbox", sandbox, "--callback", callback]);
    assert_eq!(finished.status, Some(0), "{}{}", finished.out, finished.err);
    let mut lines: Vec<_> = finished.out.lines().collect();
    assert_eq!(lines.pop(), Some("None of the 18 steps failed."));
    let steps = STEPS.split(',').chain(["callback", "event"]);
    for (line, step) in lines.iter().zip(steps) {
        let begin = format!("ok       {step:<19} ");
        assert!(line.starts_with(&begin), "{step}: {line}");
    }
    for (index, part) in [
        (3, "TLS 1.3 and 1.2: localhost:"),
        (6, "its key belongs to it"),
        (14, "is in chain"),
        (15, "signed the answer"),
        (17, "the receiver answered 202 to sim_"),
    ] {
        assert!(lines[index].contains(part), "{}", lines[index]);
    }
    receiver.wait_for("UPRN 899999999999  SIMULATED");
    assert_eq!(set_up.subscriptions(), "", "the subscription is deleted");

    let all = set_up.check::<&str>(&[]);
    assert_eq!((all.status, all.failed()), (0, vec![]), "{:?}", all.steps);
    assert_eq!(all.outcomes("ok").join(","), STEPS);
    let log = set_up.end();
    assert!(!log.contains("handshakes_failed"), "{log}");
}

#[test]
fn a_service_that_does_not_list_the_property_passes() {
    let set_up = SetUp::new();
    let checked = set_up.check(&[("--uprn", "5")]);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    assert!(checked.found("query").contains("UPRN 5 is not listed"));
    assert_eq!(checked.outcomes("skipped"), ["signature"]);
    let agent = set_up.client("Example Agent");
    let checked = set_up.check(&[&agent[..], &[("--scope", "listing".to_owned())]].concat());
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    assert_eq!(checked.steps.last().unwrap()["step"], "scope");
}

#[test]
fn a_certificate_that_ends_soon_or_a_wrong_chain_is_a_warning() {
    let set_up = SetUp::new();
    let soon = set_up.issue_client(-1, 5);
    let checked = set_up.check(&soon);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    assert_eq!(checked.outcomes("warning"), ["client certificate"]);
    checked.assert_says(
        "client certificate",
        "issued.pem ends in ",
        "request a new certificate",
    );

    let chain = ["Example Lender", "Example Agent"].map(|name| {
        let (_option, certificate) = &set_up.client(name)[0];
        std::fs::read_to_string(certificate).unwrap()
    });
    let path = set_up.path("chain.pem");
    std::fs::write(&path, chain.concat()).unwrap();
    let checked = set_up.check(&[("--certificate", path)]);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    let change = "put your own certificate first";
    checked.assert_says("client certificate", "do not follow one another", change);
}
