//! Nodes that are killed while they deliver: afterwards every event is delivered, waits, or has
//! visibly ended, and hardly any came twice (S-34 to S-37).
//!
//! Real processes, one on SQLite and two on PostgreSQL, are ended at random as by a loss of power,
//! while milestones are recorded and receivers of every kind get events. Then the clock moves on
//! for weeks, and nodes are killed on the way. `ONWARD_CRASH_SEED` repeats the choices of a run,
//! `ONWARD_CRASH_ROUNDS` makes it longer or shorter.

mod account;
mod ledger;
mod nodes;
mod past;
mod receivers;
mod recording;
mod requests;
mod run;

use self::account::Account;
use self::run::Run;
use crate::model::setting;
use crate::test_server::TestServer;

/// Kills under load, of one node or of all.
const ROUNDS: usize = 8;
/// Properties that are sold, by the numbers from 1 on.
const PROPERTIES: i64 = 12;
/// Of this one the fussy subscriber takes nothing.
const FUSSY_UPRN: i64 = 1;

mod nothing_is_nowhere_after_crashes {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn on_sqlite() {
        run_with(TestServer::on_sqlite().await, "SQLite", 1).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn on_postgres() {
        if let Some(server) = TestServer::on_postgres().await {
            run_with(server, "PostgreSQL", 2).await;
        }
    }
}

async fn run_with(server: TestServer, engine: &str, nodes: usize) {
    let seed = setting("ONWARD_CRASH_SEED");
    let seed = seed.unwrap_or(1);
    let rounds = setting("ONWARD_CRASH_ROUNDS").map(|rounds| usize::try_from(rounds).unwrap());
    let rounds = rounds.unwrap_or(ROUNDS);
    println!("ONWARD_CRASH_SEED={seed} ONWARD_CRASH_ROUNDS={rounds}");
    let mut run = Box::pin(Run::begin(server, seed, nodes)).await;
    let lived = run.live(rounds).await;
    let past = Box::pin(run.end()).await;
    let mut account = Account::new(&past);
    account.wrong.extend(lived.err().map(|vain| vain.0));
    account.check_everything();
    println!("{engine}: {}; {}", past.summary(), account.summary());
    assert!(
        account.wrong.is_empty(),
        "{engine}, ONWARD_CRASH_SEED={seed} ONWARD_CRASH_ROUNDS={rounds}, {} faults: {:#?}",
        account.wrong.len(),
        &account.wrong[..account.wrong.len().min(40)]
    );
}
