//! The values that a sandbox always refuses, and that no other service does.

use reqwest::Certificate;
use serde_json::Value;

use super::program::{Finished, Program, get_plainly, run};
use super::sandbox::Sandbox;

fn query(sandbox: &Sandbox, asked: &[&str]) -> Finished {
    let args = ["query", "--sandbox", sandbox.directory()];
    run(&[&args[..], asked].concat())
}

/// The error of a query that is refused.
fn refusal(sandbox: &Sandbox, asked: &[&str]) -> String {
    let finished = query(sandbox, asked);
    assert_eq!(finished.status, Some(1), "{finished:?}");
    finished.err
}

/// The status of a chain query for this UPRN without an access token.
fn status_without_token(sandbox: &Sandbox, file: &Value, uprn: &str) -> u16 {
    // This fails if another test has installed a provider already, which is then used.
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let authority = std::fs::read(sandbox.file("ca.pem")).unwrap();
    let authority = Certificate::from_pem(&authority).unwrap();
    let client = reqwest::Client::builder()
        .tls_certs_only([authority])
        .no_proxy()
        .build()
        .unwrap();
    let url = format!("{}/api/v1/opda/chains", file["base_url"].as_str().unwrap());
    let form = [("inputType", "uprn"), ("value[]", uprn)];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = runtime.block_on(client.post(url).form(&form).send());
    answer.unwrap().status().as_u16()
}

#[test]
fn each_refusal_can_be_tried_and_only_in_a_sandbox() {
    let sandbox = Sandbox::new();
    let program = sandbox.start();
    let file = sandbox.read();
    let samples = &file["samples"];
    let uprn = |name: &str| samples[name].to_string();
    let (busy, away) = (uprn("uprn_rate_limited"), uprn("uprn_unavailable"));
    let unlisted = uprn("uprn_not_listed");
    let twins = samples["address_ambiguous"].as_str().unwrap();
    for (asked, said) in [
        (
            &["--uprn", busy.as_str()][..],
            "wait 2 s before the next request",
        ),
        // One of several values is enough.
        (
            &["--uprn", &uprn("uprn_alone"), &busy],
            "wait 2 s before the next request",
        ),
        (&["--uprn", &away], "503 Service unavailable for a moment"),
        (&["--uprn", &unlisted], "it is not on sale"),
        (&[twins], "several properties fit equally well"),
    ] {
        let told = refusal(&sandbox, asked);
        assert!(told.contains(said), "{asked:?}: {told}");
    }
    assert_eq!(
        query(&sandbox, &["--uprn", &uprn("uprn_alone")]).status,
        Some(0)
    );
    assert_eq!(status_without_token(&sandbox, &file, &busy), 401);
    let console = file["console_url"].as_str().unwrap();
    let (host, path) = console["http://localhost:".len()..]
        .split_once('/')
        .unwrap();
    let page = get_plainly(host.parse().unwrap(), &format!("/{path}"));
    for value in [&busy, &away, &unlisted, twins] {
        assert!(page.contains(value), "{value}: {page}");
    }
    program.stop("INT");

    // The same store under `onward serve` does not know the UPRNs.
    let mut served = Program::start(&["serve", "--config", &sandbox.file("onward.toml")]);
    served.wait_for("serving");
    for uprn in [&busy, &away] {
        let told = refusal(&sandbox, &["--uprn", uprn]);
        assert!(told.contains("no known property fits"), "{told}");
    }
    served.stop("TERM");
}
