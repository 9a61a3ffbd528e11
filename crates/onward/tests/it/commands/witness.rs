//! `onward witness` as a program, asked over HTTP and HTTPS as a log asks it.

use std::convert::Infallible;
use std::path::Path;

use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::note::{LogKey, SignatureLine};
use log::policy::{Policy, Quorum};
use log::proof::prove_consistency;
use log::tree::hash_leaf;
use log::witness::{AddCheckpoint, MAX_BODY_BYTES};
use log::{Hash, Node, TreeHead};
use observe::clock::Clock;
use provision::authority::Authority;
use reqwest::Client;

use super::program::{Program, find_ports, run};
use crate::test_server::client_trusting;

const ORIGIN: &str = "log.example/onward";
/// From `printf %s log.example/onward | sha256sum`.
const ORIGIN_HASH: &str = "10dd743965873e92dad412918ab8ae155250fff4379f5d405a86b897d94c9729";
const NAME: &str = "witness.example/w1";

/// A log in memory. Two with another `word` are two histories of one log.
struct Log {
    nodes: std::collections::HashMap<Node, Hash>,
    heads: Vec<TreeHead>,
}

impl Log {
    fn grow(word: &str) -> Self {
        let (mut nodes, mut frontier) = (std::collections::HashMap::new(), Frontier::new());
        let mut heads = vec![frontier.head()];
        for index in 0..20 {
            let leaf = hash_leaf(format!("{word} {index}").as_bytes());
            let kept = frontier.append(leaf, |node, hash| {
                nodes.insert(node, hash);
            });
            kept.unwrap();
            heads.push(frontier.head());
        }
        Self { nodes, heads }
    }

    fn call(&self, old: u64, size: usize) -> AddCheckpoint {
        let head = self.heads[size];
        let mut read = |node: Node| Ok::<_, Infallible>(self.nodes[&node]);
        AddCheckpoint {
            old_size: old,
            proof: match old {
                0 => vec![],
                old => prove_consistency(old, head.size, &mut read).unwrap(),
            },
            checkpoint: SignedCheckpoint::sign(head, &log_key()).unwrap(),
        }
    }
}

fn log_key() -> LogKey {
    LogKey::from_seed(ORIGIN, &[7; 32]).unwrap()
}

/// The command of a witness for the log, and further arguments.
fn command(directory: &Path, args: &[&str]) -> Vec<String> {
    let log = log_key().verifier().to_string();
    let directory = directory.to_str().unwrap();
    let named = [
        "witness",
        "--directory",
        directory,
        "--name",
        NAME,
        "--log",
        &log,
    ];
    let all = named.iter().chain(args);
    all.map(ToString::to_string).collect()
}

/// A running witness, and its line for a policy.
struct Witness {
    program: Program,
    line: String,
    client: Client,
}

impl Witness {
    fn start(directory: &Path, args: &[&str], client: Client) -> Self {
        let command = command(directory, args);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let mut program = Program::start(&command);
        let line = program.wait_for_line("witness ");
        Self {
            program,
            line,
            client,
        }
    }

    fn start_plainly(directory: &Path) -> Self {
        drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
        let client = Client::builder().no_proxy().build().unwrap();
        Self::start(directory, &["--listen", "127.0.0.1:0"], client)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.line.rsplit(' ').next().unwrap())
    }

    async fn post(&self, body: String) -> (u16, String, String) {
        let request = self.client.post(self.url("/add-checkpoint")).body(body);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let content_type = answer.headers().get("content-type");
        let content_type = content_type.map_or("", |value| value.to_str().unwrap());
        let content_type = content_type.to_owned();
        (status, content_type, answer.text().await.unwrap())
    }

    /// The status, and the body.
    async fn send(&self, call: &AddCheckpoint) -> (u16, String) {
        let (status, _content_type, body) = self.post(call.to_string()).await;
        (status, body)
    }

    /// Whether a policy with the printed line accepts the checkpoint with this answer.
    fn check(&self, call: &AddCheckpoint, answer: &str) {
        let name = self.line.split(' ').nth(1).unwrap();
        let log = log_key();
        let text = format!("log {}\n{}\nquorum {name}\n", log.verifier(), self.line);
        let policy = Policy::parse(&text).unwrap();
        let mut signed = call.checkpoint.clone();
        for line in SignatureLine::parse_all(answer).unwrap() {
            signed.add(line);
        }
        let Quorum::By(time) = policy.check(&signed).unwrap().quorum else {
            panic!("the policy does not accept {signed}");
        };
        let now = u64::try_from(Clock::System.now_seconds()).unwrap();
        assert!(now.abs_diff(time) < 60, "{time}");
    }
}

#[tokio::test]
async fn a_witness_cosigns_one_history_also_after_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (log, fork) = (Log::grow("entry"), Log::grow("other"));
    let witness = Witness::start_plainly(folder.path());
    let (status, answer) = witness.send(&log.call(0, 7)).await;
    assert_eq!(status, 200, "{answer}");
    witness.check(&log.call(0, 7), &answer);
    let (first, line) = (answer, witness.line.clone());
    witness.program.kill();

    let witness = Witness::start_plainly(folder.path());
    let key = |line: &str| line.split(' ').nth(2).unwrap().to_owned();
    assert_eq!(key(&witness.line), key(&line));
    witness.check(&log.call(0, 7), &first);
    // The log may have missed the answer, and repeats the call.
    let conflict = ("text/x.tlog.size".to_owned(), "7\n".to_owned());
    let (status, content_type, body) = witness.post(log.call(0, 7).to_string()).await;
    assert_eq!((status, (content_type, body)), (409, conflict));
    assert_eq!(witness.send(&fork.call(7, 9)).await.0, 422);
    assert_eq!(witness.send(&fork.call(0, 7)).await.0, 409);
    let (status, answer) = witness.send(&log.call(7, 20)).await;
    assert_eq!(status, 200, "{answer}");
    witness.check(&log.call(7, 20), &answer);
    witness.program.stop("TERM");
}

#[tokio::test]
async fn only_the_calls_of_a_witness_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let witness = Witness::start_plainly(folder.path());
    let get = async |path: &str| {
        let answer = witness.client.get(witness.url(path)).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let shown = format!("/{ORIGIN_HASH}/checkpoint");
    assert_eq!(get(&shown).await.0, 404);
    let call = Log::grow("entry").call(0, 7);
    let (_status, answer) = witness.send(&call).await;
    let (status, checkpoint) = get(&shown).await;
    assert_eq!(status, 200);
    assert_eq!(checkpoint, format!("{}{answer}", call.checkpoint));
    for (path, expected) in [
        ("/", 404),
        ("/witness.key", 404),
        ("/witness.key/checkpoint", 404),
        ("/..%2Fwitness.key/checkpoint", 404),
        ("/add-checkpoint", 405),
    ] {
        assert_eq!(get(path).await.0, expected, "{path}");
    }
    assert_eq!(witness.post("old 7\n".to_owned()).await.0, 400);
    assert_eq!(witness.post("x".repeat(MAX_BODY_BYTES)).await.0, 400);
    assert_eq!(witness.post("x".repeat(MAX_BODY_BYTES + 1)).await.0, 413);
    witness.program.stop("INT");
}

#[tokio::test]
async fn with_a_certificate_a_witness_speaks_tls() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let authority = Authority::ensure(folder.path(), Clock::System.now_seconds()).unwrap();
    let issued = authority.issue_server_certificate(folder.path(), "server");
    issued.unwrap();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let tls = ["--certificate", certificate.as_str(), "--key", key.as_str()];
    let port = find_ports();
    let (listen, url) = (
        format!("127.0.0.1:{port}"),
        format!("https://localhost:{port}/"),
    );
    let at = ["--listen", listen.as_str(), "--url", url.as_str()];
    let client = client_trusting(folder.path(), None);
    let directory = folder.path().join("witness");
    let witness = Witness::start(&directory, &[&at[..], &tls].concat(), client);
    assert!(
        witness
            .line
            .ends_with(&format!(" https://localhost:{port}"))
    );
    let call = Log::grow("entry").call(0, 7);
    let (status, answer) = witness.send(&call).await;
    assert_eq!(status, 200, "{answer}");
    witness.check(&call, &answer);
    witness.program.stop("TERM");

    let elsewhere = ["--listen", "127.0.0.1:0", "--url", "https://other.example"];
    let command = command(&directory, &[&elsewhere[..], &tls].concat());
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let finished = run(&command);
    assert!(
        finished.failure().contains("not for other.example"),
        "{finished:?}"
    );
}

#[test]
fn a_witness_that_would_be_unsafe_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let directory = path("witness");
    let witness = Witness::start_plainly(Path::new(&directory));
    let log = log_key().verifier().to_string();
    let empty = path("policy");
    std::fs::write(&empty, "quorum none\n").unwrap();
    let attempt = |args: &str| {
        let fixed = ["witness", "--directory", &directory, "--name"];
        run(&[&fixed[..], &args.split(' ').collect::<Vec<_>>()[..]].concat())
    };
    let local = "--listen 127.0.0.1:0";
    for (args, reason) in [
        (format!("{NAME} {local} --log {log}"), "another witness"),
        (
            format!("{NAME} --listen 0.0.0.0:0 --log {log}"),
            "--behind-proxy",
        ),
        (
            format!("{NAME} --listen 0.0.0.0:0 --behind-proxy --log {log}"),
            "--url",
        ),
        (format!("{NAME} {local} --policy {empty}"), "names no log"),
    ] {
        let finished = attempt(&args);
        assert!(finished.failure().contains(reason), "{finished:?}");
    }
    // Wrong usage: no log, the key of a witness as a log, and a certificate without its key.
    let key = witness.line.split(' ').nth(2).unwrap();
    for args in [
        format!("{NAME} {local}"),
        format!("{NAME} {local} --log {key}"),
        format!("{NAME} {local} --log {log} --certificate c.pem"),
    ] {
        assert_eq!(attempt(&args).status, Some(2), "{args}");
    }
    witness.program.stop("TERM");

    std::fs::write(Path::new(&directory).join(ORIGIN_HASH), "damaged").unwrap();
    let finished = attempt(&format!("{NAME} {local} --log {log}"));
    assert!(
        finished.failure().contains("never remove it"),
        "{finished:?}"
    );
}
