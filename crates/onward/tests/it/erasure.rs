//! `onward erase`: one sale is gone from the store, and its neighbours stay proved (S-60 to S-63).

mod interrupted;
mod restored;

use std::path::PathBuf;

use chain::ids::ListingId;
use evidence::Level;
use observe::clock;
use serde_json::{Value, json};
use server::config::Config;
use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;
use state_log::erasures_file::{self, Line};
use storage::StorageError;

use crate::commands::program::{Finished, run};
use crate::query::versions::SCOPES;
use crate::refusals::dump_without;
use crate::state_log::stored::{StoredLogs, count_waiting};
use crate::story;
use crate::test_server::{Answer, Client, TestServer};

/// The UPRN of the sale that is erased.
const GONE: i64 = 100_012_345_699;
/// What stands in the store about this sale alone.
const PERSONAL: [&str; 5] = [
    "Gorse Hollow",
    "REF-8841",
    "Quill Solicitors",
    "Mrs Quarrel",
    "100012345699",
];
/// The UPRN of its neighbour in the chain.
const KEPT: i64 = 100_012_345_601;

/// Runs `onward ARGS… --config FILE` with these settings.
fn run_with(config: &Config, args: &[&str]) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("onward.toml");
    std::fs::write(&file, toml::to_string(config).unwrap()).unwrap();
    run(&[args, &["--config", file.to_str().unwrap()]].concat())
}

impl TestServer {
    /// Runs `onward ARGS… --config FILE` beside the server.
    pub(crate) async fn run(&self, args: &[&str]) -> Finished {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let config = self.config.clone();
        let running = tokio::task::spawn_blocking(move || {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            run_with(&config, &args)
        });
        running.await.unwrap()
    }

    /// Runs it, and it must succeed; its output.
    pub(crate) async fn run_well(&self, args: &[&str]) -> String {
        let ran = self.run(args).await;
        assert_eq!(ran.status, Some(0), "{args:?}: {}{}", ran.out, ran.err);
        ran.out
    }

    async fn erase(&self, listing: i64) -> String {
        let id = listing.to_string();
        self.run_well(&["erase", "--listing", &id, "--reason", "her letter"])
            .await
    }

    async fn audit(&self) -> Value {
        let ran = self.run(&["audit", "--json"]).await;
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"))
    }

    fn erasures(&self) -> PathBuf {
        self.config.erasures_file().unwrap()
    }

    async fn wait_until_logged(&self) {
        let is_done = async || count_waiting(&self.storage).await == 0;
        self.wait_until("all is in the log", is_done).await;
    }

    /// All texts of the store that may name the sale: the tables, and the sealed documents.
    async fn read_texts(&self) -> String {
        let mut texts = dump_without(self, &[]).await;
        let parts = StoredLogs::read(&self.storage)
            .await
            .list_parts(server::OPEN);
        texts.extend(
            parts
                .into_iter()
                .map(|part| String::from_utf8(part).unwrap()),
        );
        texts.join("\n")
    }

    async fn change(&self, sql: &'static str) {
        let changing = self.storage.write(move |write| write.execute(sql, &[]));
        let changed: Result<u64, StorageError> = changing.await;
        changed.unwrap();
    }
}

impl Client {
    async fn ask_at_time(&self, uprn: i64, at: i64) -> Answer {
        let (uprn, time) = (uprn.to_string(), clock::to_rfc3339(at));
        let form = [("inputType", "uprn"), ("value[]", &uprn), ("asOf", &time)];
        self.ask(&form).await
    }
}

/// A listing of the home whose sale is erased.
fn sale_of(agent: &Client) -> Value {
    json!({"branch_id": agent.branch(), "price": 251_000, "address": {"line1": "9 Gorse Hollow",
        "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": GONE}})
}

/// A sale about which everything is in the store that an erasure must find.
async fn list_gone(server: &TestServer, agent: &Client) -> i64 {
    let mut body = sale_of(agent);
    body["external_id"] = "REF-8841".into();
    body["parties"] = json!({"sellerConveyancer": "Quill Solicitors"});
    let made = agent
        .send_with_key(("POST", "/listing"), "key-1", &body)
        .await;
    let listing = made.listing();
    let person = server.add_person("progressor", &["north"]).await;
    let noting = server.storage.write(move |write| {
        let said = "Mrs Quarrel telephoned";
        storage::notes::insert_note(write, ListingId(listing), person, said, 5)
    });
    let noted: Result<(), StorageError> = noting.await;
    noted.unwrap();
    listing
}

story! {
    async fn an_erased_sale_is_gone_and_its_neighbours_stay_proved(server) {
        server = server.reconfigure(|config| config.access_log_days = 30).await;
        let node = server.start_node().await;
        let agent = server.agent("north").await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let elsewhere = auditor.on_node(&server, node);
        let (receiver, key, subscription) = server.subscriber().await;
        let kept = agent.list(KEPT).await;
        let gone = list_gone(&server, &agent).await;
        server.clock.advance(10);
        assert_eq!(agent.link(gone, kept).await.status, 200);
        assert_eq!(agent.record(gone, "sstc", "2026-03-01").await.status, 200);
        receiver.wait_for(1).await;
        server.clock.advance(10);
        let (linked_at, chain) = (server.now(), agent.chain_of(kept).await);
        assert_eq!(agent.record(kept, "sstc", "2026-03-02").await.status, 200);
        server.clock.advance(10);
        // Both nodes have the past in their caches.
        let old = auditor.ask_at_time(KEPT, linked_at).await;
        assert_eq!(old.chains()[0]["properties"].as_array().unwrap().len(), 2);
        assert_eq!(old.json()["data"]["erased"], Value::Null);
        let pack = auditor.wait_for_evidence(&server, &old.body).await;
        assert_eq!(elsewhere.ask_at_time(KEPT, linked_at).await.chains(), old.chains());
        assert_eq!(auditor.ask_at_time(GONE, linked_at).await.status, 200);
        let versions = auditor.list_versions(&chain).await.len();

        refuse_what_stands(&server, gone).await;
        assert_eq!(agent.unlink(gone, kept).await.status, 200);
        agent.withdraw(gone).await;
        server.wait_until_logged().await;
        let before = server.read_texts().await;
        for text in PERSONAL {
            assert!(before.contains(text), "{text}");
        }
        let log = server.audit().await["logs"].clone();
        let said = server.erase(gone).await;
        assert!(said.contains(&format!("Erased listing {gone}, and noted it in ")), "{said}");
        let again = server.erase(gone).await;
        assert!(again.starts_with(&format!("Listing {gone} was erased at 20")), "{again}");
        assert!(again.ends_with(" already\n"), "{again}");

        assert_nothing_is_left(&server).await;
        let deliveries = server.deliveries(&key, &subscription).await;
        assert!(!deliveries.is_empty() && !format!("{deliveries:?}").contains("100012345699"));
        let keys = JwkSet::parse(&server.jwks().await).unwrap();
        let mut now = None;
        for auditor in [&auditor, &elsewhere] {
            let answer = auditor.ask_at_time(KEPT, linked_at).await;
            verify_envelope(&answer.body, &keys).unwrap();
            assert_eq!(answer.json()["data"]["erased"], 1);
            let shown = &answer.chains()[0];
            assert_eq!(shown["properties"].as_array().unwrap().len(), 1);
            assert_eq!(shown["properties"][0], property(&old, KEPT));
            assert_eq!(auditor.ask_at_time(GONE, linked_at).await.status, 404);
            now = Some(answer);
        }
        assert!(auditor.list_versions(&chain).await.len() >= versions);
        assert_versions_lack_it(&auditor, &chain).await;
        check_evidence(&server, &auditor, [&old, &now.unwrap(), &pack]).await;

        check_audit(&server, gone, &log[0]).await;
        check_controls(&server).await;
    }
}

/// A listing that stands is not erased, and neither is one that nobody knows or for no reason.
async fn refuse_what_stands(server: &TestServer, listing: i64) {
    let id = listing.to_string();
    let refused = server
        .run(&["erase", "--listing", &id, "--reason", "r"])
        .await;
    let said = refused.failure();
    assert!(
        said.contains("is the current listing of its property, so queries would go on showing it"),
        "{said}"
    );
    let unknown = server
        .run(&["erase", "--listing", "987654", "--reason", "r"])
        .await;
    assert_eq!(unknown.failure(), "there is no listing 987654");
    for reason in [&["--reason", " "][..], &[]] {
        let refused = server
            .run(&[&["erase", "--listing", &id], reason].concat())
            .await;
        assert_eq!(refused.status, Some(2), "{refused:?}");
    }
    assert!(!server.erasures().exists());
    assert_eq!(server.audit().await["erasures"], json!([]));
}

fn property(answer: &Answer, uprn: i64) -> Value {
    let chain = answer.chains().remove(0);
    let properties = chain["properties"].as_array().unwrap().clone();
    properties
        .into_iter()
        .find(|one| one["uprn"] == uprn)
        .unwrap()
}

async fn assert_nothing_is_left(server: &TestServer) {
    let after = server.read_texts().await;
    // A neighbour's own part names the UPRNs that it is linked to, and the log has committed to that.
    let tables = dump_without(server, &[]).await.join("\n");
    for text in &PERSONAL[..4] {
        assert!(!after.contains(text), "{text}");
    }
    for text in PERSONAL {
        assert!(!tables.contains(text), "{text}: {tables}");
    }
}

/// Each version of the chain says how many sales it lacks.
async fn assert_versions_lack_it(auditor: &Client, chain: &str) {
    let mut erased = 0;
    for (version, _time) in auditor.list_versions(chain).await {
        let answer = auditor
            .read_below(&format!("{chain}/versions/{version}"))
            .await;
        let text = String::from_utf8(answer.body.clone()).unwrap();
        assert!(!text.contains("Gorse Hollow"), "{text}");
        erased += answer.json()["data"]["erased"].as_i64().unwrap_or_default();
    }
    assert!(erased > 1, "{erased}");
}

/// The old pack stays a proof. The old answer gets no new one. An answer of now gets one that withholds the sale.
async fn check_evidence(server: &TestServer, auditor: &Client, answers: [&Answer; 3]) {
    let [old, now, pack] = answers;
    let policy = log::policy::Policy::parse(&server.policy().await).unwrap();
    let verify = |pack: &[u8]| evidence::verify(pack, &policy).unwrap();
    let level = verify(&pack.body).level;
    assert_eq!(level, Level::StateLogged);
    let refused = auditor.ask_evidence(&old.body).await.problem();
    assert!(
        refused.starts_with("422 not-provable: ") && refused.contains("a sale that was erased"),
        "{refused}"
    );
    let new = auditor.wait_for_evidence(server, &now.body).await;
    let steps = format!("{}", verify(&new.body));
    assert!(steps.contains("; 1 of 2 properties are shown"), "{steps}");
    assert!(steps.contains("the pack withholds them"), "{steps}");
    assert!(
        !String::from_utf8(new.body)
            .unwrap()
            .contains("Gorse Hollow")
    );
}

/// The erasure is in the report and in the audit log, and the log of states goes on.
async fn check_audit(server: &TestServer, gone: i64, log: &Value) {
    let report = server.audit().await;
    assert_eq!(report["faults"], json!([]), "{report}");
    assert_eq!(report["erasures"][0]["listing"], gone);
    assert!(report["redacted"].as_u64().unwrap() > 2, "{report}");
    assert_eq!(report["logs"][0]["origin"], log["origin"]);
    assert!(report["logs"][0]["size"].as_u64() >= log["size"].as_u64());
    let noted = server.run_well(&["audit-log", "--matching", "erase"]).await;
    assert!(noted.contains("because: her letter"), "{noted}");
}

/// What an erasure did not do is a fault, with or without its record.
async fn check_controls(server: &TestServer) {
    for (damage, mend, sentence) in [
        (
            "update erasure set listing_id = listing_id + 1000",
            "update erasure set listing_id = listing_id - 1000",
            "lacks a sale, and nothing records that it was erased",
        ),
        (
            "update sealed set erased = null where version = 3 and erased is not null",
            "",
            "other properties than its row",
        ),
        (
            "insert into listing_secret (listing_id, secret) select listing_id, \
             (select secret from state_log) from erasure",
            "",
            "is in the store, which was erased",
        ),
    ] {
        server.change(damage).await;
        let report = server.audit().await;
        let faults = report["faults"].as_array().unwrap();
        let is_found = faults
            .iter()
            .any(|fault| fault.as_str().unwrap().contains(sentence));
        assert!(is_found, "{sentence}: {report}");
        if !mend.is_empty() {
            server.change(mend).await;
            assert_eq!(server.audit().await["faults"], json!([]));
        }
    }
}

story! {
    async fn the_operator_withdraws_and_a_new_sale_of_the_home_stays(server) {
        let agent = server.agent("north").await;
        let kept = agent.list(KEPT).await;
        let gone = list_gone(&server, &agent).await;
        assert_eq!(agent.link(gone, kept).await.status, 200);
        let newer = agent.post("/listing", sale_of(&agent)).await.listing();
        let id = gone.to_string();
        // A cursor of a branch stays good, although its last line is gone.
        let changes = format!("/changes?branch_id={}", agent.branch());
        let next = agent.get(&changes).await.json()["next"].as_str().unwrap().to_owned();
        server.run_well(&["erase", "--listing", &id, "--withdraw", "--reason", "the court"]).await;
        assert_eq!(agent.get(&format!("/listing/{gone}")).await.status, 404);
        let lender = server.lender().await;
        let shown = lender.ask_uprns(&[KEPT.unsigned_abs()]).await.chains();
        assert_eq!(shown[0]["chainSummary"]["chainLength"], 1);
        // The home has another sale, so its address stays.
        let answer = agent.get(&format!("/listing/{newer}")).await;
        assert_eq!(answer.status, 200);
        let texts = server.read_texts().await;
        for text in ["REF-8841", "Quill Solicitors", "Mrs Quarrel"] {
            assert!(!texts.contains(text), "{text}");
        }
        assert_eq!(server.audit().await["faults"], json!([]));
        let more = agent.get(&format!("{changes}&after={next}")).await;
        assert_eq!(more.status, 200, "{}", more.json());
    }
}

/// The line of a listing, as an erasure writes it.
async fn line_of(server: &TestServer, listing: i64) -> Line {
    let finding = server
        .storage
        .read(move |read| storage::erasures::find_created_at(read, listing));
    let created_at: Result<Option<i64>, StorageError> = finding.await;
    Line {
        listing,
        created_at: created_at.unwrap().unwrap(),
        erased_at: "2026-11-28T09:30:00Z".to_owned(),
        reason: "her letter".to_owned(),
    }
}
