//! `onward client`: registered, listed, changed, disabled and enabled.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
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

const FIRST: &str = "https://rp.example/first";

/// Registers [`FIRST`] plainly, and another one with every option; its id.
fn register_two(folder: &Folder) -> String {
    let branch = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}";
    let branches = folder.write("branches.ndjson", branch);
    assert_eq!(folder.run(&["import", &branches]).status, Some(0));
    let keys = jwks();
    let plain = "--profile fapi2 --scope transaction-status --client-id https://rp.example/first";
    let made = register(folder, &keys, &plain.split(' ').collect::<Vec<_>>());
    assert_eq!(made.status, Some(0), "{}", made.err);
    assert_eq!(made.out, "Registered https://rp.example/first\n");
    let every = "--json --scope listing --scope transaction-status --branch 1 \
        --assertion-alg ES256 \
        --certificate-subject cn=app --certificate-subject OU=1234";
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
        "status": "active", "created_at": null, "profile": "fapi2",
        "scopes": ["transaction-status"], "branches": [], "certificate_bound": true,
        "assertion_alg": null, "jwks_uri": null, "certificate_subject": [],
    });
    let second = json!({
        "client_id": second, "name": "Chain Watch", "participant": "Lender Ltd",
        "status": "active", "created_at": null, "profile": "sector",
        "scopes": ["listing", "transaction-status"], "branches": [1], "certificate_bound": true,
        "assertion_alg": "ES256", "jwks_uri": null,
        "certificate_subject": ["CN=app", "OU=1234"],
    });
    assert_eq!(listed, [first, second]);
}

#[test]
fn a_client_may_publish_its_keys_itself() {
    let folder = Folder::new();
    let register = |uri: &str| folder.run(&[REGISTER, &["--jwks-uri", uri]].concat());
    let made = register("https://Keys.example:443/lender.jwks");
    assert_eq!(made.status, Some(0), "{}", made.err);
    let listed = folder.list("client");
    assert_eq!(listed[0]["jwks_uri"], "https://keys.example/lender.jwks");
    let long = format!("https://keys.example/{}", "a".repeat(2000));
    for wrong in [
        &long,
        "http://keys.example/jwks",
        "https://",
        "https://a:b@keys.example/",
        "jwks.json",
    ] {
        assert_eq!(register(wrong).status, Some(2), "{wrong}");
    }
    let keys = folder.write("jwks.json", jwks());
    let uri = "https://keys.example/";
    let both = folder.run(&[REGISTER, &["--jwks", &keys, "--jwks-uri", uri]].concat());
    assert_eq!(both.status, Some(2));
    assert_eq!(folder.run(REGISTER).status, Some(2), "neither");
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
        "profile fapi2, scopes [transaction-status], branches [], certificate subject []\n",
        ", active, profile sector, scopes [listing transaction-status], branches [1], certificate subject [CN=app, OU=1234]\n",
    ] {
        assert!(human.contains(part), "{human}");
    }
    let enabled = folder.run(&["client", "enable", FIRST]);
    assert_eq!(enabled.out, "Enabled https://rp.example/first\n");
    let first = folder
        .list("client")
        .into_iter()
        .find(|client| client["client_id"] == FIRST);
    assert_eq!(first.unwrap()["status"], "active");
}

#[test]
fn scopes_are_granted_and_withdrawn() {
    let folder = Folder::new();
    register_two(&folder);
    for (verb, scopes, left) in [
        ("grant", &["listing"][..], "listing transaction-status"),
        ("grant", &["listing"], "listing transaction-status"),
        ("withdraw", &["transaction-status"], "listing"),
        ("withdraw", &["listing", "transaction-status"], ""),
        (
            "grant",
            &["listing", "transaction-status"],
            "listing transaction-status",
        ),
    ] {
        let mut arguments = vec!["client", verb, FIRST];
        arguments.extend(scopes.iter().flat_map(|scope| ["--scope", scope]));
        let changed = folder.run(&arguments);
        let said = format!("{FIRST} has the scopes [{left}]\n");
        assert_eq!(
            (changed.status, changed.out),
            (Some(0), said),
            "{verb} {scopes:?}"
        );
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
        let found = folder
            .list("client")
            .into_iter()
            .find(|client| client["client_id"] == FIRST);
        let client = found.unwrap();
        json!([client["jwks_uri"], client["certificate_subject"]])
    };
    let update = |more: &[&str]| folder.run(&[&["client", "update", FIRST], more].concat());
    let keys = folder.write("other.json", jwks());
    for (more, after) in [
        (
            &["--jwks-uri", "https://keys.example/a"][..],
            json!(["https://keys.example/a", []]),
        ),
        (
            &["--certificate-subject", "OU= 12=34 "],
            json!(["https://keys.example/a", ["OU=12=34"]]),
        ),
        (
            &["--jwks", &keys, "--certificate-subject", "uid=9"],
            json!([null, ["UID=9"]]),
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
        &["--certificate-subject", "1234"],
        &["--certificate-subject", "XY=1234"],
        &["--certificate-subject", "OU="],
        &["--certificate-subject", "OU=a\nb"],
        &["--certificate-subject", "OU=1", "--any-certificate"],
        &["--jwks", &keys, "--jwks-uri", "https://keys.example/a"],
    ] {
        assert_eq!(update(wrong).status, Some(2), "{wrong:?}");
    }
    let weak = folder.write("weak.json", "{}");
    assert!(
        update(&["--jwks", &weak])
            .failure()
            .contains("cannot be registered")
    );
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
fn what_cannot_be_registered_is_refused() {
    let folder = Folder::new();
    let keys = jwks();
    let id = ["--client-id", "https://rp.example/first"];
    assert_eq!(register(&folder, &keys, &id).status, Some(0));
    let unbound = register(&folder, &keys, &["--profile", "fapi2", "--unbound-tokens"]);
    assert!(
        unbound.failure().contains("bound tokens only"),
        "{}",
        unbound.err
    );
    let subject = ["--certificate-subject", "CN=app"];
    let nothing = "so that its subject would protect nothing";
    let no_certificate = register(
        &folder,
        &keys,
        &[&["--unbound-tokens"], &subject[..]].concat(),
    );
    assert!(
        no_certificate.failure().contains(nothing),
        "{no_certificate:?}"
    );
    assert_eq!(
        register(&folder, &keys, &id).failure(),
        "the client id https://rp.example/first is taken"
    );
    assert_eq!(
        register(&folder, &keys, &["--branch", "7"]).failure(),
        "there is no branch 7"
    );
    for more in [
        &["--scope", "everything"][..],
        &["--profile", "fapi3"],
        &["--assertion-alg", "HS256"],
        &["--assertion-alg", "none"],
        &["--branch", "b1"],
        &["--client-id", "first"],
        &["--client-id", "http://rp.example/first"],
        &["--client-id", "https://rp.example/a client"],
        &[
            "--client-id",
            &format!("https://rp.example/{}", "a".repeat(250)),
        ],
    ] {
        assert_eq!(register(&folder, &keys, more).status, Some(2), "{more:?}");
    }
    for named in [
        ["", "Lender Ltd"],
        ["Chain Watch", " "],
        ["Chain Watch", "a\nb"],
    ] {
        let [name, participant] = named;
        let file = folder.write("jwks.json", &keys);
        let args = ["client", "register", "--jwks", &file, "--name", name];
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
    for (jwks, part) in [
        (weak.to_string(), "2048"),
        (symmetric.to_string(), ""),
        ("{}".to_owned(), ""),
        ("no JSON".to_owned(), ""),
        (
            format!("{}{}", " ".repeat(70_000), keys),
            "larger than 65536 bytes",
        ),
    ] {
        let refused = register(&folder, &jwks, &[]);
        let said = refused.failure();
        assert!(
            said.contains("jwks.json cannot be registered: ") && said.contains(part),
            "{said}"
        );
    }
    let missing = folder.run(&[REGISTER, &["--jwks", "none.json"]].concat());
    assert!(
        missing.failure().starts_with("cannot read none.json: "),
        "{missing:?}"
    );
    assert_eq!(folder.list("client"), Vec::<Value>::new());
}
