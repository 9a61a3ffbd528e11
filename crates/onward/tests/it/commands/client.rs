//! `client register`, `list` and `disable`.

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

fn list(folder: &Folder) -> Vec<Value> {
    let listed = folder.run(&["client", "list", "--json"]);
    assert_eq!((listed.status, listed.err.as_str()), (Some(0), ""));
    serde_json::from_str(&listed.out).unwrap()
}

#[test]
fn clients_are_registered_listed_and_disabled() {
    let folder = Folder::new();
    assert_eq!(list(&folder), Vec::<Value>::new());
    let branches = folder.write(
        "branches.ndjson",
        "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}",
    );
    assert_eq!(folder.run(&["import", &branches]).status, Some(0));
    let first = "https://rp.example/first";
    let keys = jwks();
    let made = register(
        &folder,
        &keys,
        &["--client-id", first, "--scope", "transaction-status"],
    );
    assert_eq!(
        (made.status, made.out.as_str()),
        (Some(0), "Registered https://rp.example/first\n")
    );
    let made = register(
        &folder,
        &keys,
        &[
            "--json",
            "--scope",
            "listing",
            "--scope",
            "transaction-status",
            "--branch",
            "1",
            "--profile",
            "fapi2",
            "--assertion-alg",
            "ES256",
            "--unbound-tokens",
        ],
    );
    let second: Value = serde_json::from_str(&made.out).unwrap();
    let second = second["client_id"].as_str().unwrap();
    assert!(second.starts_with("https://"), "{second}");

    let mut listed = list(&folder);
    listed.sort_by_key(|client| client["client_id"] != first);
    for client in &mut listed {
        assert!(client["created_at"].take().as_i64().unwrap() > 1_700_000_000);
    }
    let expected = |id: &str, more: Value| {
        let mut client = json!({
            "client_id": id, "name": "Chain Watch", "participant": "Lender Ltd",
            "status": "active", "created_at": null,
        });
        client
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        client
    };
    assert_eq!(
        listed,
        [
            expected(
                first,
                json!({
                    "profile": "sector", "scopes": ["transaction-status"], "branches": [],
                    "certificate_bound": true, "assertion_alg": null,
                })
            ),
            expected(
                second,
                json!({
                    "profile": "fapi2", "scopes": ["listing", "transaction-status"], "branches": [1],
                    "certificate_bound": false, "assertion_alg": "ES256",
                })
            ),
        ]
    );

    let disabled = folder.run(&["client", "disable", first]);
    assert_eq!(
        (disabled.status, disabled.out.as_str()),
        (Some(0), "Disabled https://rp.example/first\n")
    );
    let again = folder.run(&["client", "disable", first, "--json"]);
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(again, json!({"client_id": first, "status": "disabled"}));
    let human = folder.run(&["client", "list"]).out;
    let lines: Vec<&str> = human.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(human.contains(
        "https://rp.example/first\n  Chain Watch of Lender Ltd, disabled, profile sector, scopes [transaction-status], branches []\n"
    ), "{human}");
    assert!(
        human.contains(
            ", active, profile fapi2, scopes [listing transaction-status], branches [1]\n"
        ),
        "{human}"
    );
    let unknown = folder.run(&["client", "disable", "https://rp.example/none"]);
    assert_eq!(
        unknown.failure(),
        "there is no client https://rp.example/none"
    );
}

#[test]
fn what_cannot_be_registered_is_refused() {
    let folder = Folder::new();
    let keys = jwks();
    let id = ["--client-id", "https://rp.example/first"];
    assert_eq!(register(&folder, &keys, &id).status, Some(0));
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
    ] {
        assert_eq!(register(&folder, &keys, more).status, Some(2), "{more:?}");
    }

    // S-21: RSA keys under 2,048 bits.
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
    assert_eq!(list(&folder).len(), 1);
}
