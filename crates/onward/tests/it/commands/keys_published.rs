//! `check` and `keys rotate` with `published_jwks_url` (S-76).

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use signing::seal::KeyEncryptionKeys;

use super::folder::Folder;
use super::program::Finished;

/// Answers each request on this machine, without TLS, as it was last told: the status line, and the body.
struct KeyStore {
    url: String,
    answer: Arc<Mutex<(String, String)>>,
}

impl KeyStore {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/jwks", listener.local_addr().unwrap());
        let answer = Arc::<Mutex<(String, String)>>::default();
        let told = Arc::clone(&answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                // The header ends with an empty line.
                let _header = lines.find(String::is_empty);
                let (status, body) = told.lock().unwrap().clone();
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close");
                // The program may have gone.
                drop((&stream).write_all(format!("{head}\r\n\r\n{body}").as_bytes()));
            }
        });
        Self { url, answer }
    }

    fn show(&self, keys: &[Value]) {
        self.answer("200 OK", &json!({ "keys": keys }).to_string());
    }

    fn answer(&self, status: &str, body: &str) {
        *self.answer.lock().unwrap() = (status.to_owned(), body.to_owned());
    }
}

/// The next keys of answers and events, and all keys, as public JWKs.
fn public_keys(folder: &Folder) -> (Vec<Value>, Vec<Value>) {
    let file = std::fs::read_to_string(folder.path("key-encryption.key")).unwrap();
    let safe = KeyEncryptionKeys::parse(&file).unwrap().into();
    let rows = folder
        .open()
        .read_blocking(storage::keys::list_keys)
        .unwrap();
    let (mut next, mut all) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.purpose != "token") {
        let jwk = tokens::keys::open_key(row, &safe)
            .unwrap()
            .public_key()
            .to_jwk();
        if row.state == "next" {
            next.push(jwk.clone());
        }
        all.push(jwk);
    }
    (next, all)
}

/// A folder whose readers look at a key store, the next key of events, and all keys.
struct Case {
    folder: Folder,
    store: KeyStore,
    event: Value,
    all: Vec<Value>,
}

impl Case {
    fn new() -> Self {
        let (folder, store) = (Folder::new(), KeyStore::start());
        let (next, all) = public_keys(&folder);
        let rows = folder.list("keys");
        let is_event = |key: &&Value| {
            let mut same = rows.iter().filter(|row| row["kid"] == key["kid"]);
            same.any(|row| row["purpose"] == "event")
        };
        let event = next.iter().find(is_event).unwrap().clone();
        Self {
            folder,
            store,
            event,
            all,
        }
    }

    fn run(&self, args: &[&str]) -> Finished {
        let setting = format!("published_jwks_url={}", self.store.url);
        self.folder.run(&[args, &["--set", &setting]].concat())
    }

    fn rotate(&self, more: &[&str]) -> Finished {
        self.run(&[&["keys", "rotate", "--purpose", "event"], more].concat())
    }

    fn kid(&self) -> &str {
        self.event["kid"].as_str().unwrap()
    }
}

#[test]
fn a_rotation_is_refused_until_the_address_shows_the_next_key() {
    let case = Case::new();
    let (kid, url) = (case.kid(), &case.store.url);
    case.store.show(&[]);
    let said = format!(
        "at {url}, the event key {kid} signs next and is missing: publish it there first; nothing was rotated"
    );
    assert_eq!(case.rotate(&["--now"]).failure(), said);
    let warned = case.run(&["check"]);
    assert_eq!(warned.status, Some(0), "{warned:?}");
    assert_eq!(
        warned.out.matches("at published_jwks_url ").count(),
        4,
        "{warned:?}"
    );
    assert!(
        warned
            .out
            .contains(&format!("{kid} signs next and is missing\n")),
        "{warned:?}"
    );
    let mut other = case
        .all
        .iter()
        .find(|key| **key != case.event)
        .unwrap()
        .clone();
    other["kid"] = kid.into();
    case.store.show(&[other]);
    let refused = case.rotate(&["--now"]);
    assert!(
        refused.failure().contains("is not the same key: publish"),
        "{refused:?}"
    );
    case.store
        .answer("302 Found\r\nLocation: /elsewhere", "{\"keys\": []}");
    let refused = case.rotate(&["--now"]);
    assert!(
        refused.err.contains("the answer has status 302"),
        "{refused:?}"
    );
    assert!(
        refused.err.contains("has not shown the next key"),
        "{refused:?}"
    );
    assert_eq!(refused.status, Some(1));
    let warned = case.run(&["check"]);
    assert!(
        warned
            .out
            .contains("cannot be read: the answer has status 302"),
        "{warned:?}"
    );
}

#[test]
fn a_rotation_goes_by_what_the_address_shows_or_showed() {
    let case = Case::new();
    case.store.show(&case.all);
    let checked = case.run(&["check"]);
    assert_eq!(
        checked.out.matches("published_jwks_url").count(),
        0,
        "{checked:?}"
    );
    // It counts from now on, so it is too early.
    let early = case.rotate(&[]);
    assert!(early.failure().contains("too short a time"), "{early:?}");
    case.store.answer("503 Away", "");
    let rotated = case.rotate(&["--now"]);
    assert_eq!(rotated.status, Some(0), "{rotated:?}");
    assert!(
        rotated
            .err
            .contains("cannot be read now, so what it showed before counts")
    );
    assert!(
        rotated.out.contains(&format!("{} signs now", case.kid())),
        "{rotated:?}"
    );
    let noted = case.folder.list_of(&["audit-log"]);
    assert_eq!(noted.len(), 1, "{noted:?}");
    // Nobody has published the key that was made then, and it has to follow at once.
    let revoked = case.run(&["keys", "revoke", case.kid()]);
    let said = format!(" signs as soon as {} shows it\n", case.store.url);
    assert!(revoked.out.ends_with(&said), "{revoked:?}");
    // The keys of tokens are nobody else's.
    let token = case.run(&["keys", "rotate", "--purpose", "token"]);
    assert_eq!((token.status, token.err.as_str()), (Some(0), ""));
}

#[test]
fn the_address_uses_tls_unless_it_is_on_this_machine() {
    let folder = Folder::new();
    for url in [
        "http://keys.example/jwks",
        "http://10.0.0.1/jwks",
        "http://localhost.example/jwks",
        "https://user:secret@keys.example/jwks",
        "http://user@localhost/jwks",
        "https://keys.example/jwks#part",
        "https://",
        "ftp://localhost/jwks",
        "keys.example",
    ] {
        let setting = format!("published_jwks_url={url}");
        let refused = folder.run(&["check", "--print", "--set", &setting]);
        let failure = refused.failure();
        assert!(
            failure.contains("`published_jwks_url` wrongly: it must be an https"),
            "{failure}"
        );
        assert!(!failure.contains("secret"), "{failure}");
    }
    for url in [
        "https://keys.example/a/application.jwks",
        "http://localhost:8080/jwks",
        "http://127.0.0.1/jwks",
        "http://[::1]:80/jwks",
    ] {
        let setting = format!("published_jwks_url={url}");
        let printed = folder.run(&["check", "--print", "--set", &setting]);
        assert_eq!(printed.status, Some(0), "{printed:?}");
    }
}
