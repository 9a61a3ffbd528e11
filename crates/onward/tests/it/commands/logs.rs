//! What the server logs.

use std::time::Duration;

use observe::clock::Clock;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jws;
use signing::key::SigningKey;

use super::folder::Folder;
use super::program::{Program, command, find_ports, get_plainly};
use crate::test_server::{PATIENCE, token_form};

#[test]
fn each_line_is_an_object_that_names_the_request() {
    let folder = Folder::new();
    let port = find_ports();
    let listen = format!("listen_ops=127.0.0.1:{port}");
    let mut server = folder.serve(&["log_format=json", "log=info,onward=debug", &listen]);
    server.wait_for("serving");
    let answer = get_plainly(port, "/no\u{202e}\u{9b}thing");
    let (_, id) = answer.split_once("x-request-id: ").unwrap();
    let id = id.split("\r\n").next().unwrap();

    let line: Value = serde_json::from_str(&server.wait_for_line(id)).unwrap();
    let fields = &line["fields"];
    assert_eq!(line["level"], "DEBUG");
    assert!(line["timestamp"].is_string(), "{line}");
    assert_eq!(fields["request_id"], id);
    // A terminal must not obey control characters of a path.
    assert_eq!(fields["path"], r"/no\u{202e}\u{9b}thing");
    assert_eq!(fields["status"], 404);
    let finished = server.stop("TERM");
    for line in finished.err.lines() {
        let object: Result<Value, _> = serde_json::from_str(line);
        let has_text = object.is_ok_and(|object| object["fields"]["message"].is_string());
        assert!(has_text, "{line}");
    }
}

#[test]
fn the_reason_of_a_failed_start_is_an_object_too() {
    let folder = Folder::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("listen_base={}", taken.local_addr().unwrap());
    let finished = folder.serve(&["log_format=json", &listen]).wait();
    assert_eq!(finished.status, Some(1));
    let last: Value = serde_json::from_str(finished.err.lines().last().unwrap()).unwrap();
    assert_eq!(last["level"], "ERROR");
    let reason = last["fields"]["failure"].as_str().unwrap();
    assert!(reason.contains("listen_base"), "{reason}");
}

const INTERACTION_ID: &str = "x-fapi-interaction-id";
const INTERACTION: &str = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
const AGENT: &str = "https://rp.example/agent";

/// A server of the program, and a client that trusts it.
struct Served {
    folder: Folder,
    program: Program,
    http: reqwest::Client,
}

impl Served {
    async fn start(settings: Vec<String>) -> Self {
        let starting = tokio::task::spawn_blocking(move || {
            let folder = Folder::new();
            let settings: Vec<_> = settings.iter().map(String::as_str).collect();
            let mut program = folder.serve(&settings);
            program.wait_for("serving");
            (folder, program)
        });
        let (folder, program) = starting.await.unwrap();
        let ca = std::fs::read(folder.path("ca.pem")).unwrap();
        drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
        let http = reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&ca).unwrap()])
            .no_proxy()
            .build()
            .unwrap();
        Self {
            folder,
            program,
            http,
        }
    }

    /// Registers [`AGENT`]; an assertion of it.
    fn register_agent(&self) -> String {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let jwks = json!({"keys": [key.public_key().to_jwk()]}).to_string();
        let file = self.folder.write("agent.jwks", jwks);
        let register =
            "client register --name CRM --participant Acorn --scope listing --unbound-tokens";
        let mut arguments: Vec<_> = register.split(' ').collect();
        arguments.extend(["--client-id", AGENT, "--jwks", &file]);
        assert_eq!(self.folder.run(&arguments).status, Some(0));
        let claims = json!({
            "iss": AGENT, "sub": AGENT, "aud": "https://localhost:8441", "jti": "1",
            "exp": Clock::System.now_seconds() + 60,
        });
        jws::sign_compact("JWT", &key, &claims).unwrap()
    }

    /// Stops the server; its log.
    async fn stop(self) -> String {
        let stopping = tokio::task::spawn_blocking(move || {
            self.program.signal("TERM");
            let log = self.program.wait().err;
            drop(self.folder);
            log
        });
        stopping.await.unwrap()
    }
}

fn request_id(answer: &reqwest::Response) -> String {
    answer.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned()
}

/// The fields of all lines of the security log.
fn events(log: &str) -> Vec<Value> {
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let fields = lines.map(|mut line| line["fields"].take());
    fields
        .filter(|fields| fields["event"].is_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_and_refused_calls_are_in_the_log() {
    let (auth, listing) = (find_ports(), find_ports());
    let served = Served::start(vec![
        "log_format=json".to_owned(),
        format!("listen_auth=127.0.0.1:{auth}"),
        format!("listen_listing=127.0.0.1:{listing}"),
        "rate_limit_per_second=1".to_owned(),
        "rate_limit_burst=2".to_owned(),
    ])
    .await;
    let assertion = served.register_agent();
    let ask = || {
        let url = format!("https://localhost:{auth}/token");
        let request = served.http.post(url).form(&token_form(&assertion));
        request.header(INTERACTION_ID, INTERACTION).send()
    };
    let issued = ask().await.unwrap();
    let issued_id = request_id(&issued);
    let answer: Value = issued.json().await.unwrap();
    let token = answer["access_token"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    let copied_id = request_id(&ask().await.unwrap());
    let url = format!("https://localhost:{listing}/api/v1/listing");
    let mut first = None;
    for _call in 0..5 {
        let request = served.http.get(&url).header(INTERACTION_ID, INTERACTION);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 401);
        first.get_or_insert(request_id(&answer));
    }
    loop {
        let answer = served
            .http
            .get(&url)
            .bearer_auth(token)
            .send()
            .await
            .unwrap();
        if answer.status() == 429 {
            break;
        }
    }
    let log = served.stop().await;
    assert!(
        !log.contains(token) && !log.contains(&assertion),
        "a secret"
    );
    check_events(&log, &issued_id, &copied_id, &first.unwrap());
}

/// A token was issued and refused, five calls had no token, and one was past the limit.
fn check_events(log: &str, issued_id: &str, copied_id: &str, first_id: &str) {
    let events = events(log);
    let find = |request: &str| {
        events
            .iter()
            .find(|event| event["request_id"] == request)
            .unwrap()
    };
    let issued = find(issued_id);
    for (member, value) in [
        ("event", "token_issued"),
        ("client_id", AGENT),
        ("scope", "listing"),
        ("address", "127.0.0.1"),
        ("interaction_id", INTERACTION),
    ] {
        assert_eq!(issued[member], value, "{issued}");
    }
    let copied = find(copied_id);
    let shown = [&copied["event"], &copied["error"], &copied["status"]];
    assert_eq!(
        json!(shown),
        json!(["token_refused", "invalid_client", 401]),
        "{copied}"
    );
    let of_status = |status: u16| events.iter().filter(move |event| event["status"] == status);
    let sums = of_status(401).filter(|event| event["event"] == "calls_refused");
    let counts: u64 = sums.map(|event| event["count"].as_u64().unwrap()).sum();
    assert_eq!(counts, 5, "{log}");
    let sum = find(first_id);
    assert_eq!(
        (&sum["address"], &sum["path"]),
        (&json!("127.0.0.1"), &json!("/api/v1/listing"))
    );
    assert_eq!(sum["interaction_id"], INTERACTION, "{sum}");
    let limited = of_status(429).next().unwrap_or_else(|| panic!("{log}"));
    assert_eq!(
        (&limited["client_id"], &limited["count"]),
        (&json!(AGENT), &json!(1))
    );
    // No request named one, so the line has none.
    assert!(limited["interaction_id"].is_null(), "{limited}");
}

/// Nobody who is not proven writes lines of the log, and the one about him names the request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_not_proven_is_logged_once() {
    let port = find_ports();
    let listen = format!("listen_auth=127.0.0.1:{port}");
    let served = Served::start(vec!["log=info,onward=debug".to_owned(), listen]).await;
    let forged = "https://rp.example/x\n1970-01-01 ERROR onward: all is lost";
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let claims = json!({
        "iss": forged, "sub": "https://rp.example/x", "aud": "https://onward.example", "jti": "1",
        "iat": 1, "exp": 2,
    });
    let assertion = jws::sign_compact("JWT", &key, &claims).unwrap();
    let url = format!("https://localhost:{port}/token");
    let request = served.http.post(url).form(&token_form(&assertion));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 401);
    let id = request_id(&answer);
    let log = served.stop().await;
    let named: Vec<_> = log.lines().filter(|line| line.contains(&id)).collect();
    let said = "must both be the client id";
    let is_told = |line: &&str| line.contains(" INFO ") && line.contains(said);
    assert!(named.iter().any(is_told), "{log}");
    let is_shown = log.contains("all is lost");
    assert!(is_shown, "at this level the id is shown: {log}");
    assert!(log.lines().all(|line| !line.starts_with("1970")), "{log}");
}

/// The pipe of standard error is full after 64 KiB. Requests and signals go on.
#[tokio::test]
async fn nobody_has_to_read_the_log() {
    let folder = Folder::new();
    let (port, config) = (find_ports(), folder.config());
    let mut settings = vec![
        "log=info,onward=debug".to_owned(),
        "drain_seconds=0".to_owned(),
    ];
    for (offset, name) in ["base", "auth", "directory", "listing", "ops"]
        .iter()
        .enumerate()
    {
        settings.push(format!(
            "listen_{name}=127.0.0.1:{}",
            usize::from(port) + offset
        ));
    }
    let mut args = vec!["serve", "--config", &config];
    args.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let mut server = command(&args).spawn().unwrap();
    let url = format!("http://127.0.0.1:{}/health/live", port + 4);
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE);
    let http = http.build().unwrap();
    while http.get(&url).send().await.is_err() {
        assert_eq!(server.try_wait().unwrap(), None, "it ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for _ in 0..1500 {
        assert_eq!(http.get(&url).send().await.unwrap().status(), 200);
    }
    let kill = format!("kill -TERM {}", server.id());
    assert!(
        std::process::Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success()
    );
    let ended = tokio::task::spawn_blocking(move || server.wait()).await;
    assert!(ended.unwrap().unwrap().success());
}

#[test]
fn refused_sign_ins_are_summed_up() {
    const TRIES: usize = 40;
    let folder = Folder::new();
    let port = find_ports();
    let url = format!("console_url=http://localhost:{port}");
    let listen = format!("listen_console=127.0.0.1:{port}");
    let console = [
        &url,
        &listen,
        // Nobody reaches the provider, and nobody tries.
        "sign_in_issuer=https://localhost:1",
        "log_format=json",
    ];
    let mut server = folder.serve(&console);
    server.wait_for("serving");
    for _try in 0..TRIES {
        let refused = get_plainly(port, "/sign-in/back?code=x&state=y");
        assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    }
    server.signal("TERM");
    let finished = server.wait();
    let lines = finished
        .err
        .lines()
        .filter(|line| line.contains("sign_in_refused"));
    let counts = lines.map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["fields"]["kind"], "state");
        line["fields"]["count"].as_u64().unwrap()
    });
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts.iter().sum::<u64>(), TRIES as u64, "{}", finished.err);
    // One line a second.
    assert!(counts.len() < TRIES, "{counts:?}");
}
