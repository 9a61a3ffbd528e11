//! `onward client`: registered, listed, changed, disabled and enabled.

mod of_framework;
mod resource_server;

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::certificate::Thumbprint;
use signing::key::SigningKey;

use super::folder::Folder;

const REGISTER: &[&str] = &[
    "client",
    "register",
    "--name",
    "Chain Watch",
    "--participant",
    "Lender Ltd",
];

fn jwks() -> String {
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    json!({"keys": [key.public_key().to_jwk()]}).to_string()
}

fn register(folder: &Folder, jwks: &str, more: &[&str]) -> super::program::Finished {
    let file = folder.write("jwks.json", jwks);
    folder.run(&[REGISTER, &["--jwks", file.as_str()], more].concat())
}

/// The certificate in PEM, without an extended key usage, and its thumbprint.
fn certificate(folder: &Folder, file: &str, year: i32) -> (String, String) {
    let mut params = rcgen::CertificateParams::default();
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let made = params.self_signed(&key).unwrap();
    let thumbprint = Thumbprint::of_der(made.der()).to_base64url();
    (
        folder.write(file, made.pem()),
        format!("x5t#S256 {thumbprint}"),
    )
}

const FIRST: &str = "https://rp.example/first";

/// Registers [`FIRST`] plainly, and another one with every option; its id.
fn register_two(folder: &Folder) -> String {
    let branch = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}";
    let branches = folder.write("branches.ndjson", branch);
    assert_eq!(folder.run(&["import", &branches]).status, Some(0));
    let keys = jwks();
    let plain = "--any-certificate --profile fapi2 --scope transaction-status --client-id https://rp.example/first";
    let made = register(folder, &keys, &plain.split(' ').collect::<Vec<_>>());
    assert_eq!(made.status, Some(0), "{}", made.err);
    assert_eq!(made.out, "Registered https://rp.example/first\n");
    let every = "--json --scope listing --scope transaction-status --branch 1 \
        --assertion-alg ES256 \
        --subject cn=app,OU=1234 --issuer C=GB";
    let made = register(folder, &keys, &every.split(' ').collect::<Vec<_>>());
    let second: Value = serde_json::from_str(&made.out).unwrap();
    let second = second["client_id"].as_str().unwrap();
    assert!(second.starts_with("https://"), "{second}");
    second.to_owned()
}

#[test]
fn clients_are_registered_and_listed() {
    let folder = Folder::new();
    assert_eq!(folder.list("client"), Vec::<Value>::new());
    let second = register_two(&folder);
    let mut listed = folder.list("client");
    listed.sort_by_key(|client| client["client_id"] != FIRST);
    for client in &mut listed {
        assert!(client["created_at"].take().as_i64().unwrap() > 1_700_000_000);
    }
    let first = json!({
        "client_id": FIRST, "name": "Chain Watch", "participant": "Lender Ltd",
        "status": "active", "created_at": null, "profile": "fapi2", "of_framework": false,
        "scopes": ["transaction-status"], "branches": [], "introspects": [], "certificate_bound": true,
        "assertion_alg": null, "jwks_uri": null, "accepted_certificate": [],
    });
    let second = json!({
        "client_id": second, "name": "Chain Watch", "participant": "Lender Ltd",
        "status": "active", "created_at": null, "profile": "sector", "of_framework": false,
        "scopes": ["listing", "transaction-status"], "branches": [1], "introspects": [], "certificate_bound": true,
        "assertion_alg": "ES256", "jwks_uri": null,
        "accepted_certificate": ["subject CN=app,OU=1234", "issuer C=GB"],
    });
    assert_eq!(listed, [first, second]);
}

#[test]
fn a_client_may_publish_its_keys_itself() {
    let folder = Folder::new();
    let any = "--any-certificate";
    let register = |uri: &str| folder.run(&[REGISTER, &[any, "--jwks-uri", uri]].concat());
    let made = register("https://Keys.example:443/lender.jwks");
    assert_eq!(made.status, Some(0), "{}", made.err);
    let listed = folder.list("client");
    assert_eq!(listed[0]["jwks_uri"], "https://keys.example/lender.jwks");
    let long = format!("https://keys.example/{}", "a".repeat(2000));
    let others = "http://keys.example/jwks https:// https://a:b@keys.example/ jwks.json";
    for wrong in others.split(' ').chain([long.as_str()]) {
        assert_eq!(register(wrong).status, Some(2), "{wrong}");
    }
    let keys = folder.write("jwks.json", jwks());
    let uri = "https://keys.example/";
    let both = folder.run(&[REGISTER, &[any, "--jwks", &keys, "--jwks-uri", uri]].concat());
    assert_eq!(both.status, Some(2));
    assert_eq!(
        folder.run(&[REGISTER, &[any]].concat()).status,
        Some(2),
        "neither"
    );
}

/// The client [`FIRST`] as `client list` shows it.
fn find_first(folder: &Folder) -> Value {
    let mut listed = folder.list("client").into_iter();
    listed.find(|client| client["client_id"] == FIRST).unwrap()
}

#[test]
fn a_client_is_disabled() {
    let folder = Folder::new();
    register_two(&folder);
    let disabled = folder.run(&["client", "disable", FIRST]);
    assert_eq!(disabled.status, Some(0), "{}", disabled.err);
    assert_eq!(disabled.out, "Disabled https://rp.example/first\n");
    let again = folder.run(&["client", "disable", FIRST, "--json"]);
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(again, json!({"client_id": FIRST, "status": "disabled"}));
    let human = folder.run(&["client", "list"]).out;
    assert_eq!(human.lines().count(), 4);
    for part in [
        "https://rp.example/first\n  Chain Watch of Lender Ltd, disabled, profile fapi2, ",
        "profile fapi2, scopes [transaction-status], branches [], certificate [any]\n",
        ", active, profile sector, scopes [listing transaction-status], branches [1], certificate [subject CN=app,OU=1234; issuer C=GB]\n",
    ] {
        assert!(human.contains(part), "{human}");
    }
    let enabled = folder.run(&["client", "enable", FIRST]);
    assert_eq!(enabled.out, "Enabled https://rp.example/first\n");
    assert_eq!(find_first(&folder)["status"], "active");
}

#[test]
fn scopes_are_granted_and_withdrawn() {
    let folder = Folder::new();
    register_two(&folder);
    let both = "listing transaction-status";
    for (verb, scopes, left) in [
        ("grant", "listing", both),
        ("grant", "listing", both),
        ("withdraw", "transaction-status", "listing"),
        ("withdraw", both, ""),
        ("grant", both, both),
    ] {
        let mut arguments = vec!["client", verb, FIRST];
        arguments.extend(scopes.split(' ').flat_map(|scope| ["--scope", scope]));
        let changed = folder.run(&arguments);
        let said = format!("{FIRST} has the scopes [{left}]\n");
        let seen = (changed.status, changed.out);
        assert_eq!(seen, (Some(0), said), "{verb} {scopes}");
    }
    for wrong in [&["--scope", "everything"][..], &[]] {
        let refused = folder.run(&[&["client", "grant", FIRST], wrong].concat());
        assert_eq!(refused.status, Some(2), "{wrong:?}");
    }
}

#[test]
fn keys_and_the_certificate_of_a_client_are_changed() {
    let folder = Folder::new();
    register_two(&folder);
    let first = || {
        let client = find_first(&folder);
        json!([client["jwks_uri"], client["accepted_certificate"]])
    };
    let update = |more: &[&str]| folder.run(&[&["client", "update", FIRST], more].concat());
    let keys = folder.write("other.json", jwks());
    let (subject, uri) = ("--subject", "https://keys.example/a");
    let (own, file) = ("--certificate", |name| certificate(&folder, name, 2090));
    let ((one, first_print), (two, second_print)) = (file("one.pem"), file("two.pem"));
    for (more, after) in [
        (&["--jwks-uri", uri][..], json!([uri, []])),
        (&[subject, "OU= 12=34 "], json!([uri, ["subject OU=12=34"]])),
        (
            &[
                "--jwks",
                &keys,
                subject,
                "uid=9, O = A\\, B",
                "--issuer",
                "C=GB",
            ],
            json!([null, ["subject UID=9,O=A\\, B", "issuer C=GB"]]),
        ),
        (
            &[own, &one, own, &two],
            json!([null, [first_print, second_print]]),
        ),
        (&["--any-certificate"], json!([null, []])),
    ] {
        let updated = update(more);
        let said = format!("Updated {FIRST}\n");
        assert_eq!((updated.status, updated.out), (Some(0), said), "{more:?}");
        assert_eq!(first(), after, "{more:?}");
    }
    for wrong in [
        &[][..],
        &[own, &one, "--any-certificate"],
        &[own, &one, subject, "OU=1"],
        &["--issuer", "C=GB"],
        &[subject, "1234"],
        &[subject, "XY=1234"],
        &[subject, "OU="],
        &[subject, "OU=a\nb"],
        &[subject, "OU=1", "--any-certificate"],
        &["--jwks", &keys, "--jwks-uri", uri],
    ] {
        assert_eq!(update(wrong).status, Some(2), "{wrong:?}");
    }
    let weak = folder.write("weak.json", "{}");
    let refused = update(&["--jwks", &weak]);
    assert!(refused.failure().contains("cannot be registered"));
}

#[test]
fn a_file_without_a_valid_certificate_is_refused() {
    let folder = Folder::new();
    register_two(&folder);
    let other = folder.write("other.pem", "{}");
    let (past, _) = certificate(&folder, "past.pem", 2020);
    for (file, said) in [
        (past, "has expired"),
        (other, "is not a certificate in PEM or DER"),
        ("none.pem".to_owned(), "cannot read none.pem: "),
    ] {
        let refused = folder.run(&["client", "update", FIRST, "--certificate", &file]);
        assert!(refused.failure().contains(said), "{}", refused.err);
    }
}

#[test]
fn a_client_that_is_not_there_is_not_changed() {
    let folder = Folder::new();
    let none = "https://rp.example/none";
    for arguments in [
        &["disable", none][..],
        &["enable", none],
        &["grant", none, "--scope", "listing"],
        &["withdraw", none, "--scope", "listing"],
        &["update", none, "--any-certificate"],
    ] {
        let unknown = folder.run(&[&["client"], arguments].concat());
        let said = "there is no client https://rp.example/none";
        assert_eq!(unknown.failure(), said, "{arguments:?}");
    }
}

#[test]
fn a_registration_says_which_certificates_are_accepted() {
    let (folder, keys) = (Folder::new(), jwks());
    let nobody = register(&folder, &keys, &[]);
    assert_eq!(nobody.status, Some(2));
    for option in [
        "--certificate",
        "--subject",
        "--any-certificate",
        "--unbound-tokens",
    ] {
        assert!(nobody.err.contains(option), "{}", nobody.err);
    }
    let fapi2 = ["--profile", "fapi2", "--unbound-tokens"];
    let subject = ["--unbound-tokens", "--subject", "CN=app"];
    let nothing = "a registered one would protect nothing";
    for (more, said) in [(fapi2, "bound tokens only"), (subject, nothing)] {
        let refused = register(&folder, &keys, &more);
        assert!(refused.failure().contains(said), "{}", refused.err);
    }
    assert_eq!(folder.list("client"), Vec::<Value>::new());
}

#[test]
fn what_cannot_be_registered_is_refused() {
    let folder = Folder::new();
    let keys = jwks();
    let id = [
        "--any-certificate",
        "--client-id",
        "https://rp.example/first",
    ];
    assert_eq!(register(&folder, &keys, &id).status, Some(0));
    let taken = register(&folder, &keys, &id);
    let said = "the client id https://rp.example/first is taken";
    assert_eq!(taken.failure(), said);
    let unknown = register(&folder, &keys, &["--any-certificate", "--branch", "7"]);
    assert_eq!(unknown.failure(), "there is no branch 7");
    let long = format!("https://rp.example/{}", "a".repeat(250));
    for more in [
        ["--scope", "everything"],
        ["--profile", "fapi3"],
        ["--assertion-alg", "HS256"],
        ["--assertion-alg", "none"],
        ["--branch", "b1"],
        ["--client-id", "first"],
        ["--client-id", "http://rp.example/first"],
        ["--client-id", "https://rp.example/a client"],
        ["--client-id", &long],
    ] {
        let refused = register(
            &folder,
            &keys,
            &[&["--any-certificate"], &more[..]].concat(),
        );
        assert_eq!(refused.status, Some(2), "{more:?}");
        assert!(
            !refused.err.contains("required arguments"),
            "{}",
            refused.err
        );
    }
    for named in [
        ["", "Lender Ltd"],
        ["Chain Watch", " "],
        ["Chain Watch", "a\nb"],
    ] {
        let [name, participant] = named;
        let file = folder.write("jwks.json", &keys);
        let args = [
            "client",
            "register",
            "--any-certificate",
            "--jwks",
            &file,
            "--name",
            name,
        ];
        let refused = folder.run(&[&args[..], &["--participant", participant]].concat());
        assert_eq!(refused.status, Some(2), "{named:?}");
    }
    assert_eq!(folder.list("client").len(), 1);
}

/// S-21: RSA keys under 2,048 bits, and what holds no key for signatures.
#[test]
fn keys_that_cannot_be_used_are_not_registered() {
    let (folder, keys) = (Folder::new(), jwks());
    let mut modulus = [0xa5_u8; 128];
    modulus[127] = 0x0b;
    let weak = json!({"keys": [{"kty": "RSA", "kid": "1", "n": base64url::encode(&modulus), "e": "AQAB"}]});
    let symmetric = json!({"keys": [{"kty": "oct", "kid": "1", "k": "AAAA"}]});
    let large = " ".repeat(70_000) + &keys;
    for (jwks, part) in [
        (weak.to_string(), "2048"),
        (symmetric.to_string(), ""),
        ("{}".to_owned(), ""),
        ("no JSON".to_owned(), ""),
        (large, "larger than 65536 bytes"),
    ] {
        let refused = register(&folder, &jwks, &["--any-certificate"]);
        let said = refused.failure();
        let is_named = said.contains("jwks.json cannot be registered: ");
        assert!(is_named && said.contains(part), "{said}");
    }
    let missing = ["--any-certificate", "--jwks", "none.json"];
    let missing = folder.run(&[REGISTER, &missing].concat());
    let said = missing.failure();
    assert!(said.starts_with("cannot read none.json: "), "{said}");
    assert_eq!(folder.list("client"), Vec::<Value>::new());
}
