//! The service asks witnesses for cosignatures (S-61, S-62).

mod fake;

use evidence::Level;
use log::policy::Policy;
use server::config::Config;
use storage::StorageError;
use storage::state_log::StoredLog;

use self::fake::{FakeWitness, Manner};
use super::stored::count_waiting;
use super::{KEEP, PUT_BACK, read_checkpoint, record, run_sql};
use crate::story;
use crate::test_server::{At, Client, Node, TestServer, http_client, send};

/// Longer than the pause between two requests to a witness, in seconds.
const ASKED_AGAIN: i64 = 11;
/// Longer than a pack waits for witnesses, in seconds.
const WAITED: i64 = 31;

impl TestServer {
    /// Starts again with these witnesses.
    async fn with_witnesses(self, witnesses: &[&FakeWitness], quorum: usize) -> Self {
        self.changed_with_witnesses(witnesses, quorum, |_config| {})
            .await
    }

    /// The same, with a change while nothing runs.
    async fn changed_with_witnesses(
        self,
        witnesses: &[&FakeWitness],
        quorum: usize,
        change: impl FnOnce(&Config),
    ) -> Self {
        let lines = witnesses.iter().map(|one| one.line.clone()).collect();
        self.reconfigure(|config| {
            config.state_log_witnesses = lines;
            config.state_log_witness_quorum = quorum;
            change(config);
        })
        .await
    }

    /// Waits while the clock of the test goes on.
    async fn wait_for_some_time(&self, wanted: &str, mut is_so: impl AsyncFnMut() -> bool) {
        let mut looks = 0;
        self.wait_until(wanted, async || {
            looks += 1;
            if looks % 50 == 0 {
                self.clock.advance(ASKED_AGAIN);
            }
            is_so().await
        })
        .await;
    }

    async fn newest_log(&self) -> StoredLog {
        let finding = self.storage.read(storage::state_log::find_newest);
        let found: Result<_, StorageError> = finding.await;
        found.unwrap().unwrap()
    }

    /// Waits until a quorum cosigned a checkpoint with all entries.
    async fn wait_until_witnessed(&self) -> StoredLog {
        self.wait_for_some_time("the quorum cosigned all entries", async || {
            let log = self.newest_log().await;
            count_waiting(&self.storage).await == 0 && log.witnessed_size == log.size
        })
        .await;
        self.newest_log().await
    }

    /// The value of a metric with this name and these labels.
    async fn metric(&self, name: &str) -> i64 {
        let answer = send(http_client(self, None).get(self.url(At::Ops, "/metrics"))).await;
        let text = String::from_utf8(answer.body).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("no {name} in {text}"))
            .parse()
            .unwrap()
    }

    async fn count_failures(&self, witness: &str) -> i64 {
        self.metric(&format!(
            "onward_state_log_witness_failures_total{{witness=\"{witness}\"}}"
        ))
        .await
    }
}

/// An agent with a listing, and a lender.
async fn begin(server: &TestServer) -> (Client, i64, Client) {
    let agent = server.agent("north").await;
    let listing = agent.list(7).await;
    server.wait_for_log().await;
    (agent, listing, server.lender().await)
}

story! {
    async fn packs_reach_level_4_once_a_witness_cosigned(server) {
        let (agent, listing, lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
        for day in 1..=3 {
            record(&agent, listing, day).await;
            let answer = lender.ask_uprns(&[7]).await;
            server.wait_until_witnessed().await;
            let pack = lender.wait_for_evidence(&server, &answer.body).await;
            let steps = server.verify_at(&pack.body, Level::Witnessed).await;
            assert!(steps.iter().any(|step| step.starts_with("witness witness.example/w1 cosigned at ")), "{steps:?}");
        }
        let shown = read_checkpoint(&server, "/checkpoint").await;
        assert!(witness.has_cosigned(&shown.to_string()), "{shown}");
        assert_eq!(server.metric("onward_state_log_unwitnessed_seconds").await, 0);
        assert_eq!(server.count_failures("witness.example/w1").await, 0);
        let calls = witness.take_calls();
        assert!(!calls.contains(&"POST 409".to_owned()), "{calls:?}");
    }
}

story! {
    async fn without_its_witness_the_log_goes_on_at_level_3(server) {
        let (agent, listing, lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
        server.wait_until_witnessed().await;
        witness.be(Manner::Down);
        record(&agent, listing, 1).await;
        server.wait_for_log().await;
        let answer = lender.ask_uprns(&[7]).await;
        // The witness may answer within some seconds, and after them the pack is made without it.
        assert_eq!(lender.ask_evidence(&answer.body).await.status, 409);
        server.clock.advance(WAITED);
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        let policy = server.policy().await;
        let refused = evidence::verify(&pack.body, &Policy::parse(&policy).unwrap());
        assert!(matches!(refused, Err(evidence::Refusal::Quorum(_))), "{refused:?}");
        let without = policy.replace("\nquorum witness.example/w1\n", "\nquorum none\n");
        let report = evidence::verify(&pack.body, &Policy::parse(&without).unwrap()).unwrap();
        assert_eq!(report.level, Level::StateLogged);
        server.wait_until("the failure shows", async || {
            server.count_failures("witness.example/w1").await > 0
        }).await;
        assert!(server.metric("onward_state_log_unwitnessed_seconds").await >= WAITED);

        witness.be(Manner::Honest);
        server.wait_until_witnessed().await;
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        server.verify_at(&pack.body, Level::Witnessed).await;
        assert_eq!(server.metric("onward_state_log_unwitnessed_seconds").await, 0);
    }
}

/// The store forgets what was cosigned.
const FORGET: &[&str] = &["update state_log set witnessed = '', witnessed_size = 0"];

story! {
    async fn a_witness_of_another_size_is_asked_from_there(server) {
        let (agent, listing, _lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        server.wait_until_witnessed().await;
        server = server.changed_with_witnesses(&[&witness], 1, |config| run_sql(config, FORGET)).await;
        witness.take_calls();
        record(&agent.after_restart(&server), listing, 1).await;
        let log = server.wait_until_witnessed().await;
        assert!(witness.has_cosigned(&log.witnessed));
        let calls = witness.take_calls();
        let asked: Vec<_> = calls.iter().filter(|call| call.starts_with("POST")).collect();
        assert_eq!(&asked[..2], ["POST 409", "POST 200"], "{calls:?}");
    }
}

story! {
    async fn a_quorum_of_two_needs_both_witnesses(server) {
        let (agent, listing, lender) = begin(&server).await;
        let first = FakeWitness::start("witness.example/w1", &server).await;
        let second = FakeWitness::start("witness.example/w2", &server).await;
        server = server.with_witnesses(&[&first, &second], 2).await;
        let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
        server.wait_until_witnessed().await;
        second.be(Manner::Unwilling);
        let before = server.newest_log().await;
        record(&agent, listing, 1).await;
        server.wait_for_log().await;
        server.clock.advance(ASKED_AGAIN);
        first.take_calls();
        server.wait_until("the first witness cosigned", async || {
            first.count_calls() > 0 && server.count_failures("witness.example/w2").await > 0
        }).await;
        assert_eq!(server.newest_log().await.witnessed, before.witnessed);
        second.be(Manner::Honest);
        let log = server.wait_until_witnessed().await;
        assert!(first.has_cosigned(&log.witnessed) && second.has_cosigned(&log.witnessed));
        let answer = lender.ask_uprns(&[7]).await;
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        server.verify_at(&pack.body, Level::Witnessed).await;
    }
}

story! {
    async fn a_hostile_witness_holds_up_nothing(server) {
        let (agent, listing, _lender) = begin(&server).await;
        let honest = FakeWitness::start("witness.example/w1", &server).await;
        let hostile = FakeWitness::start("witness.example/w2", &server).await;
        server = server.with_witnesses(&[&hostile, &honest], 1).await;
        let agent = agent.after_restart(&server);
        server.wait_until_witnessed().await;
        for (day, manner) in (1..).zip([
            Manner::WrongKey,
            Manner::WrongText,
            Manner::Redirecting,
            Manner::Ahead,
            Manner::Endless,
            Manner::Silent,
        ]) {
            hostile.be(manner);
            let failures = server.count_failures("witness.example/w2").await;
            record(&agent, listing, day).await;
            let log = server.wait_until_witnessed().await;
            assert!(honest.has_cosigned(&log.witnessed), "{manner:?}");
            server.wait_until("the answer is refused", async || {
                server.count_failures("witness.example/w2").await > failures
            }).await;
            let log = server.newest_log().await;
            assert!(!hostile.has_cosigned(&log.witnessed), "{manner:?}: {}", log.witnessed);
            assert!(!log.witnessed.contains("witness.example/w2"), "{manner:?}: {}", log.witnessed);
        }
        assert_eq!(server.count_failures("witness.example/w1").await, 0);
        // A late witness adds its signature to a checkpoint that is stored already.
        hostile.be(Manner::Honest);
        server.wait_for_some_time("both cosigned", async || {
            let log = server.newest_log().await;
            hostile.has_cosigned(&log.witnessed) && honest.has_cosigned(&log.witnessed)
        }).await;
    }
}

story! {
    async fn a_witness_notices_a_restored_store_with_its_old_file(server) {
        let (agent, listing, _lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        server.wait_until_witnessed().await;
        server = server.changed_with_witnesses(&[&witness], 1, |config| run_sql(config, KEEP)).await;
        let old_file = std::fs::read(server.checkpoint_file()).unwrap();
        let agent = agent.after_restart(&server);
        record(&agent, listing, 4).await;
        let lost = server.wait_until_witnessed().await;
        let file = server.checkpoint_file();
        let put_back = |config: &Config| {
            run_sql(config, PUT_BACK);
            std::fs::write(file, old_file).unwrap();
        };
        server = server.changed_with_witnesses(&[&witness], 1, put_back).await;
        server.wait_for_some_time("the log is closed", async || {
            server.read_public("/checkpoint").await.status == 410
        }).await;
        let logs = server.wait_for_log().await;
        assert_eq!(logs.logs.len(), 2);
        let first = String::from_utf8_lossy(&logs.entries[&2][0]).into_owned();
        // The new log names the checkpoint that only the witness had.
        assert!(first.contains(&format!("\"size\":{}", lost.witnessed_size)), "{first}");
        // The next log has a key of its own, which the witness has to be told.
        witness.know(&server).await;
        record(&agent.after_restart(&server), listing, 5).await;
        let log = server.wait_until_witnessed().await;
        assert_eq!(log.number, 2);
    }
}

story! {
    async fn a_node_signs_nothing_before_a_witness_answers(server) {
        let (agent, listing, lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        let size = server.wait_until_witnessed().await.size;
        for manner in [Manner::Down, Manner::Forgetful, Manner::Redirecting, Manner::Endless] {
            witness.be(manner);
            server = server.with_witnesses(&[&witness], 1).await;
            let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
            record(&agent, listing, 2).await;
            assert_eq!(lender.ask_uprns(&[7]).await.status, 200);
            witness.take_calls();
            server.wait_until("the node has asked again", async || witness.count_calls() > 2).await;
            let log = server.newest_log().await;
            assert_eq!((log.size, log.signed_size), (size, size), "{manner:?}");
        }
        witness.be(Manner::Honest);
        assert!(server.wait_until_witnessed().await.size > size);
        assert_eq!(server.wait_for_log().await.logs.len(), 1);
    }
}

story! {
    async fn a_crash_between_signing_and_cosigning_loses_nothing(server) {
        let (agent, listing, lender) = begin(&server).await;
        let witness = FakeWitness::start("witness.example/w1", &server).await;
        server = server.with_witnesses(&[&witness], 1).await;
        server.wait_until_witnessed().await;
        server = server.without_sequencer().await;
        let (agent, lender) = (agent.after_restart(&server), lender.after_restart(&server));
        witness.be(Manner::Unwilling);
        let mut node = Node::start(server.directory.path(), server.config.clone()).await;
        record(&agent, listing, 3).await;
        let answer = lender.ask_uprns(&[7]).await;
        server.wait_until("all is signed", async || count_waiting(&server.storage).await == 0).await;
        let signed = server.newest_log().await;
        assert!(signed.witnessed_size < signed.signed_size);
        node.kill().await;
        witness.be(Manner::Honest);
        node.resume().await;
        server.wait_until("the quorum cosigned", async || {
            let log = server.newest_log().await;
            log.witnessed_size >= signed.signed_size
        }).await;
        node.stop_at_once().await;
        let pack = lender.ask_evidence(&answer.body).await;
        server.verify_at(&pack.body, Level::Witnessed).await;
        assert_eq!(server.wait_for_log().await.logs.len(), 1);
    }
}
