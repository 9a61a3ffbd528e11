//! `onward audit` finds whatever differs between store and log (S-60, S-61).

use evidence::entry::{Entry, ServiceEvent};
use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use state_log::audit::Report;
use state_log::checkpoint_file;
use storage::retention::OldRows;

use crate::story;
use crate::test_server::TestServer;

pub(super) async fn audit(server: &TestServer, since: i64) -> Report {
    let log = server.sequencer();
    let auditing = tokio::task::spawn_blocking(move || {
        let mut steps = 0;
        let report = log.audit(server::SEAL, since, &mut |done, total| {
            assert!(steps <= done && done <= total, "{steps} {done} {total}");
            steps = done;
        });
        report.unwrap()
    });
    auditing.await.unwrap()
}

pub(super) async fn change(server: &TestServer, statements: &'static [&'static str]) {
    let running = server.storage.write(move |write| {
        for statement in statements {
            write.execute(statement, &[])?;
        }
        Ok::<_, storage::StorageError>(())
    });
    running.await.unwrap();
}

/// Statements that do damage, statements that mend it, and a part of the sentence about it.
pub(super) type Damage = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

/// An audit finds each damage to a store that was whole, and none once it is mended.
pub(super) async fn find_each(server: &TestServer, damages: &[Damage], whole: &Report) {
    for (damage, mend, sentence) in damages {
        change(server, damage).await;
        let found = audit(server, 0).await;
        let has_fault = found.faults.iter().any(|one| one.contains(sentence));
        assert!(has_fault, "{sentence}: {found:?}");
        change(server, mend).await;
        assert_eq!(audit(server, 0).await, *whole, "{sentence}");
    }
}

const DAMAGES: &[Damage] = &[
    (
        &["update sealed set recorded_at = recorded_at + 1 where version = 2"],
        &["update sealed set recorded_at = recorded_at - 1 where version = 2"],
        "is not version 2 of chain",
    ),
    (
        &["update sealed set recorded_at = recorded_at + 900 where version = 1"],
        &["update sealed set recorded_at = recorded_at - 900 where version = 1"],
        "was recorded before the version before it",
    ),
    (
        &["update sealed set log_index = log_index + 100 where version = 1"],
        &["update sealed set log_index = log_index - 100 where version = 1"],
        "has entries of",
    ),
    (
        &["update sealed set log_index = 9 - log_index where version in (1, 2)"],
        &["update sealed set log_index = 9 - log_index where version in (1, 2)"],
        "is in the log before the version before it",
    ),
    (
        &[
            "create table kept as select * from sealed where version = 2",
            "delete from sealed where version = 2",
        ],
        &["insert into sealed select * from kept", "drop table kept"],
        "a version between its first and its last one is not sealed",
    ),
    (
        &[
            "create table kept as select * from sealed",
            "update sealed set document = digest where version = 2",
        ],
        &[
            "delete from sealed",
            "insert into sealed select * from kept",
            "drop table kept",
        ],
        "version 2 of chain",
    ),
    (
        &[
            "create table kept as select * from sealed",
            "delete from sealed where exists (select 1 from chain c where c.id = sealed.chain_id \
             and c.version = sealed.version)",
        ],
        &[
            "delete from sealed",
            "insert into sealed select * from kept",
            "drop table kept",
        ],
        "its present version is neither sealed nor waits for the sealer",
    ),
    (
        &["update chain set version = version - 1"],
        &["update chain set version = version + 1"],
        "a later version than its present one is sealed",
    ),
    (
        &[
            "create table kept as select * from listing_secret",
            "update listing_secret set secret = (select secret from state_log)",
        ],
        &[
            "delete from listing_secret",
            "insert into listing_secret select * from kept",
            "drop table kept",
        ],
        "is not version",
    ),
    (
        &[
            "create table kept as select * from listing_secret",
            "delete from listing_secret",
        ],
        &[
            "insert into listing_secret select * from kept",
            "drop table kept",
        ],
        "has no secret",
    ),
    (
        &["update milestone set date = '2026-03-31' where date = '2026-03-03'"],
        &["update milestone set date = '2026-03-03' where date = '2026-03-31'"],
        "is sealed with another document than its facts give",
    ),
    (
        &[
            "create table kept as select * from log_tile",
            "update log_tile set content = (select content from log_tile where level = 0) where level = -1",
        ],
        &[
            "delete from log_tile",
            "insert into log_tile select * from kept",
            "drop table kept",
        ],
        "lacks entries from index 0 on",
    ),
    (
        &[
            "create table kept as select * from log_tile",
            "update log_tile set content = (select content from log_tile where level = -1) where level = 0",
        ],
        &[
            "delete from log_tile",
            "insert into log_tile select * from kept",
            "drop table kept",
        ],
        "tile 0 of level 0 of the log",
    ),
    (
        &["update state_log set signed_size = signed_size - 1"],
        &["update state_log set signed_size = signed_size + 1"],
        "is not the root of its entries",
    ),
    (
        &["update state_log set checkpoint = replace(checkpoint, origin, 'log.example')"],
        &["update state_log set checkpoint = replace(checkpoint, 'log.example', origin)"],
        "is not signed by its key",
    ),
    (
        &["update key_change set changed_at = changed_at + 1"],
        &["update key_change set changed_at = changed_at - 1"],
        "is not the change of key",
    ),
];

story! {
    async fn an_audit_finds_each_kind_of_damage(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_601).await;
        for day in 1..=3 {
            let answer = agent.record(listing, "sstc", &format!("2026-03-{day:02}")).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            server.clock.advance(60);
        }
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let whole = audit(&server, 0).await;
        assert_eq!(whole.faults, [""; 0]);
        assert_eq!((whole.versions, whole.logged, whole.rendered), (4, 4, 1));
        assert!(whole.keys > 0 && whole.logs[0].size > 4, "{whole:?}");
        find_each(&server, DAMAGES, &whole).await;
        // What was recorded since then is compared, and nothing else is missed.
        let recent = audit(&server, server.now() - 90).await;
        assert_eq!((recent.versions, recent.faults.len()), (1, 0));
    }
}

story! {
    async fn an_audit_finds_a_store_that_is_behind_its_checkpoint(server) {
        let agent = server.agent("north").await;
        agent.list(100_012_345_601).await;
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let size = audit(&server, 0).await.logs[0].size + 1;
        let head = TreeHead { size, root: [7; 32] };
        let ahead = SignedCheckpoint::sign(head, &server.log_key(1).await).unwrap();
        checkpoint_file::write(&server.checkpoint_file(), &ahead).unwrap();
        let found = audit(&server, 0).await;
        assert_eq!(found.fault_count(), 1);
        assert!(found.faults[0].contains("does not continue its last checkpoint"), "{found:?}");
    }
}

story! {
    async fn versions_that_are_gone_after_their_retention_are_no_fault(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_601).await;
        for day in 1..=3 {
            let answer = agent.record(listing, "sstc", &format!("2026-03-{day:02}")).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
        }
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let whole = audit(&server, 0).await;
        let later = server.now() + 1;
        let deleting = server.storage.write(move |write| OldRows::Sealed.delete(write, later, 2));
        assert_eq!(deleting.await.unwrap(), 2);
        let found = audit(&server, 0).await;
        assert_eq!((found.faults, found.versions), (vec![], whole.versions - 2));
        // Nobody else may remove one.
        change(&server, &["delete from sealed where version = 3"]).await;
        let found = audit(&server, 0).await;
        assert!(found.faults[0].contains("has entries of 4 states"), "{found:?}");
    }
}

/// The results of audits in the log: states and faults.
async fn logged_results(server: &TestServer) -> Vec<(u64, u64)> {
    let logs = server.wait_for_log().await;
    let entries = logs.entries[&1].iter();
    let results = entries.filter_map(|entry| match Entry::parse(entry).unwrap() {
        Entry::Service(statement) => match statement.event {
            ServiceEvent::Audit { faults, states } => Some((states, faults)),
            ServiceEvent::Program { .. }
            | ServiceEvent::Continues { .. }
            | ServiceEvent::Closed {} => None,
        },
        Entry::State(_) | Entry::Key(_) => None,
    });
    results.collect()
}

story! {
    async fn the_result_of_an_audit_of_all_versions_enters_the_log(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_601).await;
        assert_eq!(agent.record(listing, "sstc", "2026-03-01").await.status, 200);
        server.wait_for_log().await;
        server.run_well(&["audit"]).await;
        assert_eq!(logged_results(&server).await, [(2, 0)]);
        // A part tells nothing about the rest.
        server.run_well(&["audit", "--since", "2026-01-01"]).await;
        assert_eq!(logged_results(&server).await, [(2, 0)]);
        change(&server, &["update milestone set date = '2026-03-31'"]).await;
        assert_eq!(server.run(&["audit"]).await.status, Some(1));
        assert_eq!(logged_results(&server).await, [(2, 0), (2, 1)]);
        change(&server, &["update milestone set date = '2026-03-01'"]).await;
        let whole = audit(&server, 0).await;
        assert_eq!(whole.faults, [""; 0]);
    }
}
