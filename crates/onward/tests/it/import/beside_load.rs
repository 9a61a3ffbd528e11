//! An import by a process of its own, while others write.

use std::time::Duration;

use observe::clock::{Clock, Stopwatch};

use super::generated;
use crate::commands::program::Program;
use crate::story;
use crate::test_server::{Addresses, Client, Node};

/// How long the slowest write may take on a slow and busy machine.
const WAIT_MAX: Duration = Duration::from_secs(1);
const LISTINGS: u64 = 1_000;

story! {
    async fn others_write_while_an_import_runs(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let mut node = Node::start(server.directory.path(), server.config.clone()).await;
        let addresses = Addresses::new(|at| node.url(at, ""));
        let now = Clock::System.now_seconds();
        let token = agent.registration.request_token(&addresses.auth, now).await;
        let agent = Client { node: addresses, token, ..agent };
        let path = server.directory.path().join("many.ndjson");
        std::fs::write(&path, generated(LISTINGS, 5)).unwrap();
        let (file, path) = (node.file.clone(), path.display().to_string());
        let import = tokio::task::spawn_blocking(move || {
            Program::start(&["import", &path, "--config", &file]).wait()
        });
        let (mut recorded, mut slowest) = (0, Duration::ZERO);
        while !import.is_finished() {
            recorded += 1;
            let date = format!("2026-{:02}-{:02}", 1 + recorded / 28 % 9, 1 + recorded % 28);
            let waited = Stopwatch::start();
            let answer = agent.record(listing, "sstc", &date).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            slowest = slowest.max(waited.elapsed());
        }
        let finished = import.await.unwrap();
        assert_eq!(finished.status, Some(0), "{}", finished.err);
        println!("{recorded} writes beside the import, the slowest took {slowest:.2?}");
        assert!(recorded >= 20, "{recorded}");
        assert!(slowest < WAIT_MAX, "{slowest:?}");
        node.stop_at_once().await;
    }
}
