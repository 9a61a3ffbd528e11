//! `onward audit` names the entries and the logs that restores lost, and a missing checkpoint file (S-61).

use state_log::audit::EndedLog;
use storage::StorageError;

use super::audit::{Damage, audit, change, find_each};
use super::stored::count_waiting;
use super::{KEEP, PUT_BACK, close_log, record, run_sql};
use crate::story;
use crate::test_server::{Client, TestServer};

/// Changes facts and changes them back. So the versions of an earlier moment have the present facts.
async fn change_twice(server: &TestServer, agent: &Client, listing: i64) {
    let agent = agent.after_restart(server);
    record(&agent, listing, 2).await;
    record(&agent, listing, 1).await;
    let is_logged = async || count_waiting(&server.storage).await == 0;
    server.wait_until("all is in the log", is_logged).await;
}

fn ended(origin: &str, size: u64, in_store: u64) -> EndedLog {
    let origin = origin.to_owned();
    EndedLog {
        origin,
        size,
        in_store,
    }
}

story! {
    async fn an_audit_names_the_entries_and_the_logs_that_restores_lost(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_607).await;
        record(&agent, listing, 1).await;
        server.wait_for_log().await;
        let kept = audit(&server, 0).await.logs[0].size;
        server = server.reconfigure(|config| run_sql(config, KEEP)).await;
        change_twice(&server, &agent, listing).await;
        let end = audit(&server, 0).await.logs[0].size;
        server = server.reconfigure(|config| run_sql(config, PUT_BACK)).await;
        change_twice(&server, &agent, listing).await;
        let found = audit(&server, 0).await;
        let note = format!(
            "the log localhost:8442 ended at size {end}, and the store has {kept} of its entries: \
             a restore lost {}", end - kept
        );
        assert_eq!((found.faults, found.notes), (vec![], vec![note]));
        assert_eq!(found.ended, [ended("localhost:8442", end, kept)]);

        // The second restore of one copy loses a whole log. Only the checkpoint file still names it.
        let end = found.logs[1].size;
        server = server.reconfigure(|config| run_sql(config, PUT_BACK)).await;
        change_twice(&server, &agent, listing).await;
        let found = audit(&server, 0).await;
        let unnamed = format!(
            "no log in the store names the end of the log localhost:8442, of which the store has {kept} entries"
        );
        let lost = |number: u64, end: u64| format!(
            "the log localhost:8442/log/{number} ended at size {end}, and the store does not have it: a restore lost it"
        );
        assert_eq!((found.faults, found.notes), (vec![], vec![lost(2, end), unnamed.clone()]));
        assert_eq!(found.ended, [ended("localhost:8442/log/2", end, 0)]);

        let end = found.logs[1].size;
        server = server.reconfigure(|config| run_sql(config, PUT_BACK)).await;
        change_twice(&server, &agent, listing).await;
        let found = audit(&server, 0).await;
        let more = "of the logs before the log localhost:8442/log/4, 1 more is not in the store".to_owned();
        assert_eq!((found.faults, found.notes), (vec![], vec![lost(3, end), unnamed, more]));
    }
}

/// Statements that do damage, statements that mend it, and a part of the sentence about it.
const DAMAGES: &[Damage] = &[
    (
        &["update state_log set signed_size = signed_size + 1 where number = 1"],
        &["update state_log set signed_size = signed_size - 1 where number = 1"],
        "as the log localhost:8442/log/2 says, and it has a checkpoint of",
    ),
    (
        &[
            "create table kept as select * from log_tile",
            "update log_tile set content = (select content from log_tile where level = -1 and log_number = 1) \
             where level = -1 and log_number = 2",
        ],
        &[
            "delete from log_tile",
            "insert into log_tile select * from kept",
            "drop table kept",
        ],
        "the log localhost:8442/log/2 does not name the log before it",
    ),
    (
        &[
            "create table kept as select * from state_log where number = 2",
            "update kept set number = 3, origin = 'localhost:8442/log/3'",
            "insert into state_log select * from kept",
            "create table kept_tile as select * from log_tile where log_number = 2",
            "update kept_tile set log_number = 3",
            "insert into log_tile select * from kept_tile",
        ],
        &[
            "delete from log_tile where log_number = 3",
            "delete from state_log where number = 3",
            "drop table kept",
            "drop table kept_tile",
        ],
        "the log localhost:8442/log/3 names the log localhost:8442, and the store has another one between them",
    ),
];

story! {
    async fn an_audit_compares_the_end_of_a_log_with_the_next_log(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(100_012_345_608).await;
        server.wait_for_log().await;
        // Its entry is in the first log, and only a checkpoint of the next one shows it.
        close_log(&server, &agent, listing).await;
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let whole = audit(&server, 0).await;
        assert_eq!((&whole.faults, &whole.notes), (&vec![], &vec![]));
        let end = &whole.ended[0];
        assert_eq!(whole.ended, [ended("localhost:8442", end.size, end.size)]);
        assert!(end.size < whole.logs[0].size, "{whole:?}");
        find_each(&server, DAMAGES, &whole).await;
        let tile = vec![7_u8; usize::try_from(whole.logs[0].size).unwrap() * 32];
        let damaging = server.storage.write(move |write| {
            let update = "update log_tile set content = $1 where log_number = 1 and level = 0";
            write.execute(update, &[tile.as_slice().into()])
        });
        let damaged: Result<u64, StorageError> = damaging.await;
        assert_eq!(damaged.unwrap(), 1);
        let said = format!(
            "the log localhost:8442 has another root at size {} than the log localhost:8442/log/2 says", end.size
        );
        let found = audit(&server, 0).await;
        assert!(found.faults.contains(&said), "{found:?}");
    }
}

story! {
    async fn an_audit_names_a_checkpoint_file_that_shows_nothing(server) {
        let agent = server.agent("north").await;
        agent.list(100_012_345_609).await;
        server.wait_for_log().await;
        server = server.without_sequencer().await;
        let file = server.checkpoint_file();
        let whole = std::fs::read(&file).unwrap();
        for (text, sentence) in [
            (None, "log-checkpoint does not exist, which is `state_log_checkpoint_file`"),
            (Some("what is this"), "log-checkpoint as `state_log_checkpoint_file`: not a signed note"),
        ] {
            std::fs::remove_file(&file).unwrap();
            if let Some(text) = text {
                std::fs::write(&file, text).unwrap();
            }
            let found = audit(&server, 0).await;
            assert_eq!(found.fault_count(), 1, "{found:?}");
            assert!(found.faults[0].starts_with("nothing shows whether the store went back in time: "), "{found:?}");
            assert!(found.faults[0].contains(sentence), "{found:?}");
            std::fs::write(&file, &whole).unwrap();
        }
        change(&server, &["delete from log_tile", "delete from state_log"]).await;
        let found = audit(&server, 0).await;
        let said = "the checkpoint file is of the log localhost:8442, and the store has no log";
        assert!(found.faults.iter().any(|fault| fault == said), "{found:?}");
    }
}
