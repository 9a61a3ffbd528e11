//! Mistakes in the addresses, certificates, keys and registration of a client.

use observe::clock::Clock;
use provision::authority::Authority;
use rcgen::CertificateParams;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use tokio::task::block_in_place;

use super::fake_server::{self, Reply};
use super::set_up::SetUp;
use crate::commands::program::find_ports;

#[test]
fn wrong_addresses_are_named() {
    let set_up = SetUp::new();
    let closed = format!("https://localhost:{}", find_ports());
    let [base, jwks] = ["base_url", "jwks_url"].map(|name| set_up.text(name));
    let none = ("--base-url", "https://no-such-host.invalid:8440");
    set_up.check(&[none]).assert_fails(
        "dns",
        "no-such-host.invalid does not resolve",
        "integrator",
        "correct the host name in --base-url",
    );
    let checked = set_up.check(&[("--base-url", &closed)]);
    checked.assert_fails(
        "connection",
        "nothing answers at localhost:",
        "integrator",
        "correct the port in --base-url",
    );
    // The steps that do not need the address go on.
    assert_eq!(
        checked.outcomes("skipped"),
        ["service", "query", "signature"]
    );
    set_up
        .check(&[("--jwks-url", &format!("{base}/jwks"))])
        .assert_fails(
            "key set",
            "status 404 instead of a key set",
            "integrator",
            &format!("put {jwks} into --jwks-url"),
        );
    let plain = set_up.check(&[("--jwks-url", "http://localhost/jwks")]);
    let change = "--jwks-url: write it as https://host";
    plain.assert_fails("addresses", "not a plain https://", "integrator", change);
    let without_tls = set_up.text("ops_url").replace("http://", "https://");
    set_up.check(&[("--base-url", without_tls)]).assert_fails(
        "tls",
        "speaks neither TLS 1.3 nor 1.2",
        "integrator",
        "check that --base-url names a port with TLS",
    );
    let checked = set_up.check(&[("--auth-url", &base)]);
    assert_eq!(checked.failed(), ["issuer", "service", "token"]);
    let change = format!("put {} into --auth-url", set_up.text("auth_url"));
    checked.assert_says("issuer", "status 404", &change);
}

#[test]
fn an_address_of_another_service_is_no_service_without_the_property() {
    let set_up = SetUp::new();
    let [base, listing, directory] =
        ["base_url", "listing_base_url", "directory_url"].map(|name| set_up.text(name));
    let change = format!("put {base} into --base-url");
    for (wrong, found) in [
        (
            listing,
            "takes tokens of the scope `listing`, not of transaction-status",
        ),
        (
            directory,
            "status 404 instead of the description of a server",
        ),
        (
            set_up.text("auth_url"),
            "status 404 instead of the description of a server",
        ),
        (format!("{base}/api/v1"), "calls itself"),
        (format!("{base}/api/v1/opda/"), "calls itself"),
    ] {
        // The property is on sale, or it is not.
        for uprn in [set_up.uprn(), "5".to_owned()] {
            let checked = set_up.check(&[("--base-url", &wrong), ("--uprn", &uprn)]);
            checked.assert_fails("service", found, "integrator", &change);
            assert_eq!(
                checked.outcomes("skipped"),
                ["query", "signature"],
                "{wrong}"
            );
        }
    }
}

#[test]
fn an_untrusted_authority_is_named() {
    let set_up = SetUp::new();
    let key = rcgen::KeyPair::generate().unwrap();
    let other = CertificateParams::default().self_signed(&key).unwrap();
    let authority = set_up.path("other.pem");
    std::fs::write(&authority, other.pem()).unwrap();
    let checked = set_up.check(&[("--ca", &authority)]);
    checked.assert_fails(
        "server certificate",
        "is from `CN=Onward sandbox authority`, and --ca names no authority that leads to it",
        "integrator",
        "put its certificate into the file of --ca",
    );
    let said = "send the intermediate certificates";
    checked.assert_says("server certificate", "localhost", said);
    assert!(checked.outcomes("skipped").contains(&"mutual TLS"));
    assert!(checked.outcomes("passed").contains(&"client certificate"));

    let other = tempfile::tempdir().unwrap();
    Authority::ensure(other.path(), Clock::System.now_seconds()).unwrap();
    let authority = other.path().join("ca.pem");
    set_up
        .check(&[("--ca", authority.to_str().unwrap())])
        .assert_fails(
            "server certificate",
            "and the authority of this name in --ca has another key",
            "integrator",
            "each new sandbox has its own",
        );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_of_another_host_is_named() {
    let set_up = block_in_place(SetUp::new);
    let reply = Reply::status(200);
    let url = fake_server::start(&set_up, "api.example", reply).await;
    let checked = block_in_place(|| set_up.check(&[("--base-url", url)]));
    checked.assert_fails(
        "server certificate",
        "is not for localhost; it is for: api.example",
        "operator",
        "install a certificate that names localhost",
    );
    let change = "put a host that the certificate names into --base-url";
    checked.assert_says("server certificate", "api.example", change);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_clock_is_measured_and_other_keys_are_noticed() {
    let set_up = block_in_place(SetUp::new);
    let caller = crate::test_server::client_trusting(set_up.directory().as_ref(), None);
    let answer = caller.get(set_up.text("jwks_url")).send().await.unwrap();
    let keys = answer.text().await.unwrap();
    let reply = Reply {
        date: "Sat, 01 Jan 2022 00:00:00 GMT",
        body: keys,
        ..Reply::status(200)
    };
    let url = fake_server::start(&set_up, "localhost", reply).await;
    block_in_place(|| set_up.check(&[("--jwks-url", url)])).assert_fails(
        "clock",
        " s ahead of the clock of localhost:",
        "integrator",
        "set this machine's clock",
    );

    let other = SigningKey::generate(Algorithm::Rs256).unwrap();
    let other = json!({"keys": [other.public_key().to_jwk()]}).to_string();
    let reply = Reply {
        body: other,
        ..Reply::status(200)
    };
    let url = fake_server::start(&set_up, "localhost", reply).await;
    block_in_place(|| set_up.check(&[("--jwks-url", url)])).assert_fails(
        "signature",
        "does NOT verify",
        "integrator",
        "check that --jwks-url and --base-url name the same service",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_description_and_a_key_set_without_use_are_explained() {
    let set_up = block_in_place(SetUp::new);
    let reply = Reply {
        body: json!({"issuer": "https://auth.example"}).to_string(),
        ..Reply::status(200)
    };
    let url = fake_server::start(&set_up, "localhost", reply).await;
    let checked = block_in_place(|| set_up.check(&[("--auth-url", url)]));
    assert_eq!(checked.failed(), ["issuer", "service", "token"]);
    let change = "put https://auth.example into --auth-url";
    checked.assert_says("issuer", "calls itself https://auth.example", change);

    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let keys = json!({"keys": [key.public_key().to_jwk()]}).to_string();
    let reply = Reply {
        body: keys,
        ..Reply::status(200)
    };
    let url = fake_server::start(&set_up, "localhost", reply).await;
    let checked = block_in_place(|| set_up.check(&[("--jwks-url", url)]));
    assert_eq!(checked.failed(), ["key set", "signature"]);
    let change = "publish a signing key: `onward keys list --config FILE`";
    checked.assert_says(
        "key set",
        "none of the 1 keys at https://localhost:",
        change,
    );
}

#[test]
fn a_wrong_certificate_is_explained() {
    let set_up = SetUp::new();
    let agent = set_up.client("Example Agent");
    let step = "client certificate";
    let expired = set_up.check(&set_up.issue_client(-9, -1));
    let change = "issue a certificate that is valid now";
    expired.assert_fails(step, " expired at 20", "certificate_authority", change);
    expired.assert_says(step, "issued.pem", "request a new certificate");
    let early = set_up.check(&set_up.issue_client(1, 9));
    let change = "wait until then, or set this machine's clock";
    early.assert_fails(step, "is not valid before 20", "integrator", change);

    let found = "does not belong to";
    let change = "put the key with which you requested the certificate into --key";
    let mixed = set_up.check(&agent[1..2]);
    mixed.assert_fails(step, found, "integrator", change);
    let checked = set_up.check(&agent[..2]);
    checked.assert_fails(
        "assertion",
        "the certificate on this connection is not registered for this client",
        "integrator",
        "put the certificate that is registered for this client into --certificate",
    );
    checked.assert_says("assertion", "401", "onward client update https://");
    let absent = set_up.check(&[("--key", set_up.path("absent.key"))]);
    let change = "put a file that this user may read into --key";
    absent.assert_fails(step, "cannot read ", "integrator", change);
    let unmarked = set_up.check(&set_up.issue_unmarked());
    let change = "issue a certificate with the extended key usage clientAuth";
    unmarked.assert_fails(
        "mutual TLS",
        "the certificate",
        "certificate_authority",
        change,
    );
    unmarked.assert_says(step, "names no extended key usage", change);
    assert_eq!(unmarked.warned(), [step]);
    let stranger = set_up.check(&set_up.issue_stranger());
    let change = "put the authority `CN=Onward sandbox authority` into client_ca_file";
    // The alert that names the reason may be lost when the connection ends.
    stranger.assert_fails("mutual TLS", "the certificate", "operator", change);
}

#[test]
fn a_wrong_registration_is_explained() {
    let set_up = SetUp::new();
    let agent = set_up.client("Example Agent");
    let step = "assertion";
    let found = "401 Unauthorized, invalid_client";
    let unknown = "https://rp.example/nobody";
    set_up.check(&[("--client-id", unknown)]).assert_fails(
        step,
        found,
        "integrator",
        "check --client-id `https://rp.example/nobody`, letter by letter",
    );
    let checked = set_up.check(&[("--assertion-kid", "-other")]);
    let change = "check --assertion-kid `-other`: --assertion-key has the thumbprint ";
    checked.assert_fails(step, found, "integrator", change);
    let change = "onward client list --json --config FILE";
    checked.assert_fails(step, found, "operator", change);
    let checked = set_up.check(&agent[3..4]);
    let change = "check --assertion-kid `";
    checked.assert_fails(step, found, "integrator", change);
    assert_eq!(checked.outcomes("skipped").len(), 5);
    let checked = set_up.check(&[("--assertion-alg", "ES256")]);
    let change = "its algorithm into --assertion-alg";
    checked.assert_fails(
        step,
        "the assertion key cannot be used",
        "integrator",
        change,
    );

    set_up.check(&agent).assert_fails(
        "scope",
        "the token has `listing`, and transaction-status is missing",
        "operator",
        "--scope transaction-status --config FILE",
    );
    let newcomer = set_up.check(&set_up.client("Example Newcomer"));
    let found = "the token has no scope";
    newcomer.assert_fails("scope", found, "operator", "onward client grant https://");
}
