//! The log of states (S-61) under races, crashes and restored stores.

mod audit;
mod ends;
pub(crate) mod stored;
mod witnesses;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evidence::entry::{Entry, ServiceEvent};
use log::checkpoint::SignedCheckpoint;
use log::note::LogKey;
use observe::clock::{Clock, ManualClock};
use server::config::Config;
use server::lifecycle::Server;
use state_log::{StateLog, checkpoint_file};
use storage::{Opening, StorageError};

use self::stored::{check_log, count_waiting};
use crate::random::Random;
use crate::story;
use crate::test_server::{Answer, At, Client, TestServer, http_client, send};

/// Longer than a lease, in seconds.
const LEASE_ENDS: i64 = 6;
/// Sequencers that race.
const RACERS: u64 = 3;

impl TestServer {
    /// Waits until everything is in the log, and compares the log with it.
    pub(crate) async fn wait_for_log(&self) -> stored::StoredLogs {
        let is_done = async || count_waiting(&self.storage).await == 0;
        self.wait_until("all is in the log", is_done).await;
        check_log(&self.storage, &self.node.foundation.state_log()).await
    }

    /// Reads from the directory's address.
    pub(crate) async fn read_public(&self, path: &str) -> Answer {
        send(http_client(self, None).get(self.url(At::Directory, path))).await
    }

    /// Serves the store with a node that never appends to the log.
    pub(crate) async fn without_sequencer(mut self) -> Self {
        let time = Clock::Manual(self.clock.clone());
        let config = self.config.clone();
        let trying = Server::start_without_deliveries(config, time, Opening::Unchanged).await;
        let node = std::mem::replace(&mut self.node, trying.unwrap());
        self.storage = self.node.foundation.storage.clone();
        node.stop().await;
        self.clock.advance(LEASE_ENDS);
        self
    }

    /// Appends all that waits, where no node does.
    pub(crate) async fn append_all(&self) {
        let is_done = async || {
            self.clock.advance(LEASE_ENDS);
            turn(self.sequencer()).await.1.unwrap();
            count_waiting(&self.storage).await == 0
        };
        self.wait_until("all is in the log", is_done).await;
    }

    /// Appends what waits and is sealed, and signs no checkpoint.
    pub(crate) async fn append_unsigned(&self) {
        self.wait_until("the entries are in the store", async || {
            self.clock.advance(LEASE_ENDS);
            let mut log = self.sequencer();
            log.file = Some("/nowhere/checkpoint".into());
            let _no_file_or_nothing_waits = turn(log).await.1;
            let stored = stored::StoredLogs::read(&self.storage).await;
            stored.newest().size > stored.newest().signed_size
        })
        .await;
    }

    /// A sequencer of the test, with the clock of the test.
    fn sequencer(&self) -> StateLog {
        Arc::into_inner(self.node.foundation.state_log()).unwrap()
    }

    fn checkpoint_file(&self) -> PathBuf {
        self.directory.path().join("log-checkpoint")
    }

    /// The present log's key.
    pub(crate) async fn log_key(&self, number: i64) -> LogKey {
        let finding = self
            .storage
            .read(move |read| storage::state_log::find_log(read, number));
        let found: Result<_, StorageError> = finding.await;
        let sealing = &self.node.foundation.registry.safe().sealing;
        let key = state_log::key::open_key(&found.unwrap().unwrap(), sealing);
        key.unwrap().unwrap()
    }
}

/// A listing that is recorded at, again and again.
async fn record(agent: &Client, listing: i64, times: i64) {
    for day in 1..=times {
        let date = format!("2026-{:02}-{:02}", 1 + day / 28 % 12, 1 + day % 28);
        let answer = agent.record(listing, "sstc", &date).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }
}

/// Removes the checkpoint file and records a milestone, so that the log is closed.
async fn close_log(server: &TestServer, agent: &Client, listing: i64) {
    std::fs::remove_file(server.checkpoint_file()).unwrap();
    record(agent, listing, 1).await;
    let is_closed = async || server.read_public("/checkpoint").await.status == 410;
    server.wait_until("the log is closed", is_closed).await;
}

/// Runs a turn of a sequencer.
async fn turn(log: StateLog) -> (StateLog, Result<(), String>) {
    let turning = tokio::task::spawn_blocking(move || {
        let turned = log.take_turn().map(drop).map_err(|fault| fault.to_string());
        (log, turned)
    });
    turning.await.unwrap()
}

/// The signed checkpoint that everybody sees.
async fn read_checkpoint(server: &TestServer, path: &str) -> SignedCheckpoint {
    let answer = server.read_public(path).await;
    assert_eq!(answer.status, 200, "{path}");
    SignedCheckpoint::parse(std::str::from_utf8(&answer.body).unwrap()).unwrap()
}

story! {
    async fn racing_sequencers_append_each_state_once(server) {
        server = server.without_sequencer().await;
        let agent = server.agent("north").await;
        let listings = [agent.list(100_012_345_601).await, agent.list(100_012_345_602).await];
        let over = Arc::new(AtomicBool::new(false));
        let mut racing = tokio::task::JoinSet::new();
        let clock = ManualClock::at(server.now());
        for racer in 0..RACERS {
            let (mut log, clock, over) = (server.sequencer(), clock.clone(), Arc::clone(&over));
            log.clock = Clock::Manual(clock.clone());
            racing.spawn_blocking(move || {
                let (mut turns, mut random) = (0, Random::new(racer));
                while !over.load(Ordering::SeqCst) {
                    // The leases of the others end in the middle of their work.
                    if random.chance(30) {
                        clock.advance(LEASE_ENDS);
                    }
                    log.take_turn().unwrap();
                    turns += 1;
                }
                turns
            });
        }
        let mut seen = BTreeMap::new();
        for day in 1..=20 {
            for listing in listings {
                let answer = agent.record(listing, "sstc", &format!("2026-03-{day:02}")).await;
                assert_eq!(answer.status, 200, "{}", answer.json());
            }
            let answer = server.read_public("/checkpoint").await;
            if answer.status == 200 {
                let text = String::from_utf8(answer.body).unwrap();
                let size = SignedCheckpoint::parse(&text).unwrap().checkpoint().head.size;
                // Never two different checkpoints of one size.
                assert_eq!(*seen.entry(size).or_insert_with(|| text.clone()), text);
                assert_eq!(seen.last_key_value().unwrap().0, &size, "the log shrank");
            }
        }
        server.wait_until("all is in the log", async || count_waiting(&server.storage).await == 0).await;
        over.store(true, Ordering::SeqCst);
        let turns: Vec<i32> = racing.join_all().await;
        assert!(turns.iter().all(|turns| *turns > 1), "{turns:?}");
        let logs = check_log(&server.storage, &server.node.foundation.state_log()).await;
        // A racer that was late may have closed a log, but none contradicts itself.
        for (size, text) in seen {
            let checkpoint = SignedCheckpoint::parse(&text).unwrap();
            let of = logs.logs.iter().find(|log| log.origin == checkpoint.checkpoint().origin);
            let entries = &logs.entries[&of.unwrap().number][..usize::try_from(size).unwrap()];
            assert_eq!(stored::head_of(entries).0, checkpoint.checkpoint().head);
        }
        assert_eq!(logs.logs.len(), 1);
    }
}

story! {
    async fn a_crash_between_two_steps_loses_nothing_and_repeats_nothing(server) {
        server = server.without_sequencer().await;
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_603).await;
        // The first turn begins the log, and the second one appends.
        let (log, _begun) = turn(server.sequencer()).await;
        let (mut log, begun) = turn(log).await;
        assert_eq!(begun, Ok(()));
        for _round in 0..3 {
            server.clock.advance(1);
            record(&agent, listing, 2).await;
            // The entries are in the store, and the checkpoint is not signed.
            let before = read_checkpoint(&server, "/checkpoint").await;
            log.file = Some("/nowhere/checkpoint".into());
            let failed;
            (log, failed) = turn(log).await;
            assert!(failed.unwrap_err().contains("/nowhere/checkpoint"));
            log.file = Some(server.checkpoint_file());
            assert_eq!(read_checkpoint(&server, "/checkpoint").await, before);
            // The checkpoint is in the file, and not in the store.
            let stored = stored::StoredLogs::read(&server.storage).await;
            assert!(stored.newest().size > stored.newest().signed_size);
            let head = stored::head_of(&stored.entries[&1]).0;
            let signed = SignedCheckpoint::sign(head, &server.log_key(1).await).unwrap();
            checkpoint_file::write(&server.checkpoint_file(), &signed).unwrap();
            let turned;
            (log, turned) = turn(log).await;
            assert_eq!(turned, Ok(()));
            assert!(read_checkpoint(&server, "/checkpoint").await.checkpoint().head.size >= head.size);
        }
        server.append_all().await;
        let logs = check_log(&server.storage, &log).await;
        assert_eq!(logs.logs.len(), 1);
    }
}

/// Runs SQL on the store of these settings, while nobody serves it.
fn run_sql(config: &Config, statements: &'static [&'static str]) {
    let config = config.clone();
    let running = std::thread::spawn(move || {
        let store = server::foundation::open_storage(&config, Opening::Unchanged).unwrap();
        let ran = store.write_blocking(move |write| {
            for sql in statements {
                write.execute(sql, &[])?;
            }
            Ok::<_, StorageError>(())
        });
        ran.unwrap();
    });
    running.join().unwrap();
}

/// Keeps the log as it is.
const KEEP: &[&str] = &[
    "create table kept_log as select * from state_log",
    "create table kept_tile as select * from log_tile",
];
/// Takes log and chains back to the time when the log was kept.
const PUT_BACK: &[&str] = &[
    "delete from state_log",
    "insert into state_log select * from kept_log",
    "delete from log_tile",
    "insert into log_tile select * from kept_tile",
    "delete from sealed where log_number > 1 or log_index >= (select max(size) from state_log)",
    "delete from unsealed",
    "update chain set version = (select max(s.version) from sealed s where s.chain_id = chain.id)",
];

story! {
    async fn a_store_that_went_back_in_time_gets_the_next_log(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_604).await;
        record(&agent, listing, 3).await;
        server.wait_for_log().await;
        server = server.reconfigure(|config| run_sql(config, KEEP)).await;
        let agent = agent.after_restart(&server);
        record(&agent, listing, 4).await;
        let logs = server.wait_for_log().await;
        assert_eq!(logs.logs.len(), 1, "a restart continues the log");
        let lost = read_checkpoint(&server, "/checkpoint").await;
        let old_key = server.log_key(1).await;

        server = server.reconfigure(|config| run_sql(config, PUT_BACK)).await;
        // Other changes follow.
        server.clock.advance(1);
        let agent = agent.after_restart(&server);
        record(&agent, listing, 1).await;
        server.wait_until("the log is closed", async || {
            server.read_public("/checkpoint").await.status == 410
        }).await;
        let logs = server.wait_for_log().await;
        assert_eq!(logs.logs.len(), 2);
        let new = read_checkpoint(&server, "/log/2/checkpoint").await;
        assert_eq!(new.checkpoint().origin, "localhost:8442/log/2");
        assert_eq!(new.verify(server.log_key(2).await.verifier()), Ok(Some(0)));
        // The old checkpoint still verifies with the old key, and with no other.
        assert_eq!(lost.verify(old_key.verifier()), Ok(Some(0)));
        assert_eq!(new.verify(old_key.verifier()), Ok(None));
        let Entry::Service(first) = Entry::parse(&logs.entries[&2][0]).unwrap() else {
            panic!("{:?}", logs.entries[&2][0]);
        };
        let head = lost.checkpoint().head;
        let expected = ServiceEvent::Continues {
            origin: lost.checkpoint().origin.clone(),
            root: evidence::entry::Bytes32(head.root),
            size: head.size,
        };
        assert_eq!(first.event, expected);
        // Whoever holds the old address is told.
        let closed = server.read_public("/checkpoint").await;
        let next = "https://localhost:8442/log/2/checkpoint";
        assert_eq!(closed.header("link"), format!("<{next}>; rel=\"latest-version\""));
        assert!(String::from_utf8(closed.body).unwrap().ends_with(&format!("{next}\n")));
        assert_eq!(server.read_public("/tile/0/000.p/1").await.status, 200);
        let width = new.checkpoint().head.size;
        assert_eq!(server.read_public(&format!("/log/2/tile/0/000.p/{width}")).await.status, 200);
    }
}

story! {
    async fn a_restored_store_gets_the_next_log_before_it_is_served(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_606).await;
        record(&agent, listing, 2).await;
        server.wait_for_log().await;
        server = server.reconfigure(|config| run_sql(config, KEEP)).await;
        let agent = agent.after_restart(&server);
        record(&agent, listing, 3).await;
        server.wait_for_log().await;
        let lost = read_checkpoint(&server, "/checkpoint").await;
        // Nobody writes after this, so nothing new waits for the log.
        server = server.reconfigure(|config| run_sql(config, PUT_BACK)).await;
        assert_eq!(server.read_public("/checkpoint").await.status, 410);
        let logs = stored::StoredLogs::read(&server.storage).await;
        let Entry::Service(first) = Entry::parse(&logs.entries[&2][0]).unwrap() else {
            panic!("{:?}", logs.entries[&2][0]);
        };
        let head = lost.checkpoint().head;
        let root = evidence::entry::Bytes32(head.root);
        let origin = lost.checkpoint().origin.clone();
        assert_eq!(first.event, ServiceEvent::Continues { origin, root, size: head.size });
        assert_eq!(server.wait_for_log().await.logs.len(), 2);
    }
}

story! {
    async fn a_log_without_its_file_is_closed_and_one_with_a_damaged_file_waits(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_605).await;
        server.wait_for_log().await;
        // A copy of the store elsewhere has no file.
        close_log(&server, &agent, listing).await;
        let logs = server.wait_for_log().await;
        assert_eq!(logs.newest().origin, "localhost:8442/log/2");
        // A file that nobody understands stops the log until somebody looks.
        server = server.without_sequencer().await;
        let agent = agent.after_restart(&server);
        std::fs::write(server.checkpoint_file(), "what is this").unwrap();
        // The last of these changes seals the one before.
        record(&agent, listing, 3).await;
        let refused = turn(server.sequencer()).await.1.unwrap_err();
        assert!(refused.contains("log-checkpoint as `state_log_checkpoint_file`"), "{refused}");
        let shown = read_checkpoint(&server, "/log/2/checkpoint").await;
        assert_eq!(shown.checkpoint().origin, "localhost:8442/log/2");
    }
}

story! {
    async fn a_new_store_beside_an_old_file_gets_the_next_number(server) {
        server = server.without_sequencer().await;
        let forgetting = server.storage.write(|write| write.execute("delete from state_log", &[]));
        let forgotten: Result<u64, StorageError> = forgetting.await;
        forgotten.unwrap();
        let key = LogKey::from_seed("localhost:8442/log/6", &[3; 32]).unwrap();
        let head = log::TreeHead { size: 9, root: [1; 32] };
        let signed = SignedCheckpoint::sign(head, &key).unwrap();
        checkpoint_file::write(&server.checkpoint_file(), &signed).unwrap();
        assert_eq!(turn(server.sequencer()).await.1, Ok(()));
        let new = read_checkpoint(&server, "/log/7/checkpoint").await;
        assert_eq!(new.checkpoint().origin, "localhost:8442/log/7");
        assert_eq!(server.read_public("/checkpoint").await.status, 410);
        assert_eq!(server.read_public("/log/8/checkpoint").await.status, 404);
    }
}
