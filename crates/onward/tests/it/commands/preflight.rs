//! `onward preflight`: all green, and a helpful sentence for each planted mistake.

mod fake_server;
mod mistakes;
mod receivers;
mod set_up;

use self::set_up::SetUp;
use super::program::{Program, run};

/// The steps without a receiver, in order.
const STEPS: &str = "addresses,dns,connection,tls,server certificate,clock,client certificate,\
    mutual TLS,issuer,service,key set,assertion,token,token binding,scope,query,signature";

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
    assert_eq!(lines.pop(), Some("All 19 steps passed."));
    let steps = STEPS.split(',').chain(["callback", "event"]);
    for (line, step) in lines.iter().zip(steps) {
        let begin = format!("passed   {step:<19} ");
        assert!(line.starts_with(&begin), "{step}: {line}");
    }
    for (index, part) in [
        (3, "TLS 1.3 and 1.2: localhost:"),
        (6, "its key belongs to it"),
        (9, "takes tokens of https://localhost:"),
        (15, "is in chain"),
        (16, "signed the answer"),
        (18, "the receiver answered 202 to sim_"),
    ] {
        assert!(lines[index].contains(part), "{}", lines[index]);
    }
    receiver.wait_for("UPRN 899999999999  SIMULATED");
    assert_eq!(set_up.subscriptions(), "", "the subscription is deleted");

    let all = set_up.check::<&str>(&[]);
    assert_eq!((all.status, all.failed()), (0, vec![]), "{:?}", all.steps);
    assert_eq!(all.outcomes("passed").join(","), STEPS);
    let log = set_up.end();
    assert!(!log.contains("handshakes_failed"), "{log}");
}

#[test]
fn without_a_property_on_sale_the_signature_is_skipped_and_nothing_is_green() {
    let set_up = SetUp::new();
    let checked = set_up.check(&[("--uprn", "5")]);
    assert_eq!((checked.status, checked.failed()), (1, vec![]));
    assert!(checked.found("query").contains("UPRN 5 is not on sale"));
    assert_eq!(checked.outcomes("skipped"), ["signature"]);
    let said = "pass --uprn with a property that is on sale";
    assert!(checked.found("signature").contains(said));
}

#[test]
fn an_agent_lists_listings_at_their_address() {
    let set_up = SetUp::new();
    let [base, listing] = ["base_url", "listing_base_url"].map(|name| set_up.text(name));
    let check = |url: &str| {
        let mut changes = set_up.client("Example Agent");
        changes.push(("--scope", "listing".to_owned()));
        changes.push(("--listing-base-url", url.to_owned()));
        set_up.check(&changes)
    };
    let checked = check(&listing);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    let last = checked.steps.last().unwrap();
    assert_eq!(
        (&last["step"], &last["outcome"]),
        (&"listings".into(), &"passed".into())
    );
    assert!(
        checked.found("listings").contains("branches have "),
        "{last}"
    );
    for wrong in [base, format!("{listing}/api/v1")] {
        let change = format!("put {listing} into --listing-base-url");
        let checked = check(&wrong);
        checked.assert_fails("service", &wrong, "integrator", &change);
        assert_eq!(checked.outcomes("skipped"), ["listings"]);
    }
    // Nobody is asked at an address that nobody named.
    let mut args = vec!["preflight", "--scope", "listing"];
    let mut options = set_up.client("Example Agent");
    for (option, member) in [
        ("--base-url", "base_url"),
        ("--auth-url", "auth_url"),
        ("--jwks-url", "jwks_url"),
        ("--ca", "ca_file"),
    ] {
        options.push((option, set_up.text(member)));
    }
    args.extend(options.iter().flat_map(|(option, value)| [*option, value]));
    let refused = run(&args);
    assert!(
        refused
            .failure()
            .contains("pass --listing-base-url as well"),
        "{refused:?}"
    );
}

#[test]
fn a_certificate_that_ends_soon_or_a_wrong_chain_is_a_warning() {
    let set_up = SetUp::new();
    let soon = set_up.issue_client(-1, 5);
    let checked = set_up.check(&soon);
    assert_eq!((checked.status, checked.failed()), (0, vec![]));
    assert_eq!(checked.warned(), ["client certificate"]);
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
