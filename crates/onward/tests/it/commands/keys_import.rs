//! `keys import`.

use std::process::Command;

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::key::SigningKey;

use super::folder::Folder;
use super::program::Finished;

/// A key that OpenSSL makes, in PEM.
fn make(folder: &Folder, algorithm: &str, option: &str) -> String {
    let path = folder.path(&format!("{algorithm}-{option}.key"));
    let mut openssl = Command::new("openssl");
    openssl.args(["genpkey", "-quiet", "-algorithm", algorithm]);
    openssl.args(["-pkeyopt", option, "-out"]).arg(&path);
    let made = openssl.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    path.to_str().unwrap().to_owned()
}

/// What OpenSSL prints about a key.
fn ask_openssl(args: &[&str]) -> Vec<u8> {
    let asked = Command::new("openssl").args(args).output().unwrap();
    assert!(asked.status.success(), "{asked:?}");
    asked.stdout
}

/// The private JWK of a key in PEM, with the numbers that OpenSSL prints.
fn to_jwk(path: &str) -> Value {
    let printed = ask_openssl(&["pkey", "-in", path, "-noout", "-text"]);
    let printed = String::from_utf8(printed).unwrap();
    let numbers = |name: &str| {
        let lines = printed.lines().skip_while(|line| *line != name).skip(1);
        let digits = lines.take_while(|line| line.starts_with(' '));
        let digits: String = digits
            .flat_map(str::chars)
            .filter(char::is_ascii_hexdigit)
            .collect();
        let bytes =
            (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16));
        let bytes: Vec<u8> = bytes
            .map(Result::unwrap)
            .skip_while(|byte| *byte == 0)
            .collect();
        base64url::encode(&bytes)
    };
    json!({
        "kty": "RSA", "n": numbers("modulus:"), "e": "AQAB", "d": numbers("privateExponent:"),
        "p": numbers("prime1:"), "q": numbers("prime2:"), "dp": numbers("exponent1:"),
        "dq": numbers("exponent2:"), "qi": numbers("coefficient:"),
    })
}

fn import(folder: &Folder, purpose: &str, kid: &str, file: &str) -> Finished {
    folder.run(&[
        "keys",
        "import",
        "--purpose",
        purpose,
        "--kid",
        kid,
        "--key",
        file,
    ])
}

/// The state of each key with one of these ids.
fn states(folder: &Folder, kids: &[&str]) -> Vec<String> {
    let rows = folder.list("keys");
    let state = |kid: &&str| {
        let row = rows.iter().find(|row| row["kid"] == **kid).unwrap();
        format!(
            "{} {}",
            row["purpose"].as_str().unwrap(),
            row["state"].as_str().unwrap()
        )
    };
    kids.iter().map(state).collect()
}

fn next_of(folder: &Folder, purpose: &str) -> String {
    let is_next = |row: &&Value| row["purpose"] == purpose && row["state"] == "next";
    let rows = folder.list("keys");
    rows.iter().find(is_next).unwrap()["kid"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_key_is_imported_with_its_kid_and_becomes_the_next_one() {
    let folder = Folder::new();
    let (pem, other) = (
        make(&folder, "RSA", "rsa_keygen_bits:2048"),
        make(&folder, "RSA", "rsa_keygen_bits:3072"),
    );
    let before = next_of(&folder, "provenance");
    let longest = "!~".repeat(64);
    let imported = import(&folder, "provenance", &longest, &pem);
    let said = format!(
        "provenance: {longest} is published as the next one, {before} is retired; \
         `onward keys rotate --purpose provenance` lets it sign\n"
    );
    assert_eq!(
        (imported.status, imported.out),
        (Some(0), said),
        "{}",
        imported.err
    );
    let found = states(&folder, &[&longest, &before]);
    assert_eq!(found, ["provenance next", "provenance retired"]);
    // The same numbers as a JWK are another file of the same kind.
    let mut jwk = to_jwk(&other);
    jwk["kid"] = "-event".into();
    let file = folder.write("event.jwk", jwk.to_string());
    let imported = import(&folder, "event", "-event", &file);
    assert_eq!(imported.status, Some(0), "{}", imported.err);
    // It signs only after it was published, as a generated key.
    let early = folder.run(&["keys", "rotate", "--purpose", "event"]);
    assert!(early.failure().contains("too short a time"), "{early:?}");
    for _time in 0..2 {
        let rotated = folder.run(&["keys", "rotate", "--now"]);
        assert_eq!(rotated.status, Some(0), "{}", rotated.err);
    }
    let found = states(&folder, &[&longest, "-event"]);
    assert_eq!(found, ["provenance retired", "event retired"]);
    // Another key-encryption key seals them, and each new key is as long as the one before.
    let key_file = std::fs::read_to_string(folder.path("key-encryption.key")).unwrap();
    let new = signing::seal::KeyEncryptionKey::generate()
        .unwrap()
        .to_base64url();
    folder.write("key-encryption.key", format!("{new}\n{key_file}"));
    assert_eq!(folder.run(&["keys", "rewrap"]).status, Some(0));
    folder.write("key-encryption.key", new);
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let noted = folder.list_of(&["audit-log"]);
    let is_noted = |row: &&Value| row["command"].as_str().unwrap().contains("keys import");
    assert_eq!(noted.iter().filter(is_noted).count(), 2, "{noted:?}");
}

#[test]
fn a_kid_and_a_public_key_are_used_once() {
    let folder = Folder::new();
    let (pem, other) = (
        make(&folder, "RSA", "rsa_keygen_bits:2048"),
        make(&folder, "RSA", "rsa_keygen_bits:3072"),
    );
    assert_eq!(import(&folder, "event", "first", &pem).status, Some(0));
    let refuse = |purpose: &str, kid: &str, file: &str, said: &str| {
        let refused = import(&folder, purpose, kid, file);
        assert_eq!(refused.failure(), said);
    };
    let again = "the service has this key already, with the kid first: import another key";
    refuse("event", "second", &pem, again);
    refuse("provenance", "second", &pem, again);
    let used = |kid: &str, state: &str| {
        format!(
            "the kid {kid} was used before, by a key that is {state} now: a kid is never used again"
        )
    };
    refuse("event", "first", &other, &used("first", "next"));
    let generated = next_of(&folder, "token");
    refuse("event", &generated, &other, &used(&generated, "next"));
    assert_eq!(folder.run(&["keys", "revoke", "first"]).status, Some(0));
    refuse("event", "first", &other, &used("first", "revoked"));
    refuse("event", "second", &pem, again);
    assert_eq!(import(&folder, "event", "second", &other).status, Some(0));
}

/// The file with this text is refused for this reason.
#[track_caller]
fn refuse(folder: &Folder, text: &str, said: &str) {
    let file = folder.write("wrong.key", text);
    let refused = import(folder, "provenance", "wrong", &file);
    let failure = refused.failure();
    let start = "this key cannot be imported: ";
    assert!(
        failure.starts_with(start) && failure.contains(said),
        "{said}: {failure}"
    );
}

#[test]
fn only_a_sound_rsa_key_is_imported() {
    let folder = Folder::new();
    let before = folder.list("keys");
    let pem = make(&folder, "RSA", "rsa_keygen_bits:2048");
    let token = SigningKey::generate(Algorithm::Es256).unwrap();
    let ask = |args: &[&str]| {
        let asked = ask_openssl(&[&["pkey", "-in", &pem], args].concat());
        String::from_utf8(asked).unwrap()
    };
    let new = |bits: &str| {
        let made = make(&folder, "RSA", &format!("rsa_keygen_bits:{bits}"));
        std::fs::read_to_string(made).unwrap()
    };
    let wrong = "the key is damaged, or is not one for RS256";
    refuse(&folder, &token.to_pkcs8_pem().unwrap(), wrong);
    refuse(&folder, &new("1024"), wrong);
    refuse(
        &folder,
        &new("5120"),
        "it has 5120 bits, and at most 4096 are allowed",
    );
    let wrong = "not an unencrypted PKCS#8 key in PEM";
    refuse(&folder, &ask(&["-pubout"]), wrong);
    refuse(
        &folder,
        &ask(&["-aes256", "-passout", "pass:secret"]),
        wrong,
    );
    refuse(&folder, "", wrong);
    let missing = import(&folder, "provenance", "wrong", "/no/such/file");
    assert!(
        missing.failure().starts_with("cannot read /no/such/file: "),
        "{missing:?}"
    );
    for kid in ["", "a b", "a\u{7f}", "a\n", "é", &"x".repeat(129)] {
        let refused = import(&folder, "provenance", kid, &pem);
        assert_eq!(refused.status, Some(2), "{kid:?}");
        let said = "a kid has 1 to 128 visible ASCII characters, without spaces";
        assert!(refused.err.contains(said), "{refused:?}");
    }
    assert_eq!(import(&folder, "token", "wrong", &pem).status, Some(2));
    assert_eq!(folder.list("keys"), before);
}

#[test]
fn a_jwk_must_be_a_whole_private_rsa_key_for_signatures() {
    let folder = Folder::new();
    let jwk = to_jwk(&make(&folder, "RSA", "rsa_keygen_bits:2048"));
    let wrong = "the key is damaged, or is not one for RS256";
    for (name, value, said) in [
        ("kid", "another".into(), "its JWK has the kid \"another\""),
        ("kid", 1.into(), "the member `kid` is no text"),
        ("kty", "EC".into(), "`kty` is not `RSA`"),
        ("use", "enc".into(), "`use` is not `sig`"),
        ("alg", "PS256".into(), "`alg` names another algorithm"),
        (
            "key_ops",
            json!(["verify"]),
            "`key_ops` does not hold `sign`",
        ),
        ("oth", json!([]), "it has more than two primes"),
        ("e", "AQ".into(), wrong),
        ("n", jwk["d"].clone(), wrong),
        ("qi", jwk["dp"].clone(), wrong),
        (
            "d",
            Value::Null,
            "it has no member `d`, so it is a public key",
        ),
        ("qi", "+".into(), "the member `qi` is missing or malformed"),
    ] {
        let mut changed = jwk.clone();
        changed[name] = value;
        refuse(&folder, &changed.to_string(), said);
    }
    refuse(&folder, "{\"kty\": \"RSA\"", "it is not strict JSON");
}

/// An older program would sign with the thumbprint as the key's id.
#[test]
fn an_older_program_leaves_a_store_with_a_given_kid() {
    let folder = Folder::new();
    let oldest = || {
        let sql = "select coalesce(oldest_program, version) from schema_version where version = 32";
        let storage = folder.open();
        storage.read_blocking(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)))
    };
    assert_eq!(oldest().unwrap(), 31);
    let pem = make(&folder, "RSA", "rsa_keygen_bits:2048");
    assert_eq!(import(&folder, "event", "given", &pem).status, Some(0));
    assert_eq!(oldest().unwrap(), 32);
}
