//! What the server logs while the database is away.

use std::time::Duration;

use observe::clock::Stopwatch;

use super::folder::Folder;
use super::program::{Program, find_ports, get_plainly};
use crate::test_server::Database;

/// How long the database is away: several rounds of each read.
const AWAY: Duration = Duration::from_secs(6);
/// What fails meanwhile, and how the log says that it works again.
const OUTAGES: [(&str, &str); 5] = [
    (
        "the connection for notifications broke and is made again",
        "the connection for notifications works again",
    ),
    (
        "operators' changes cannot be read",
        "ended=\"operators' changes cannot be read\"",
    ),
    (
        "the subscriptions cannot be read for the metrics",
        "ended=\"the subscriptions cannot be read for the metrics\"",
    ),
    (
        "the registry cannot be read",
        "ended=\"the registry cannot be read\"",
    ),
    (
        "lanes with something due cannot be read",
        "ended=\"lanes with something due cannot be read\"",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_logged_when_it_begins_and_when_it_ends() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = Folder::on(Some(database.url.clone()));
    let port = find_ports();
    let mut server = folder.serve(&[&format!("listen_ops=127.0.0.1:{port}")]);
    server.wait_for("serving");
    database.allow_connections(false).await;
    let away = Stopwatch::start();
    while away.elapsed() < AWAY {
        assert!(get_plainly(port, "/metrics").contains("onward_store_up"));
    }
    database.allow_connections(true).await;
    wait_for_all(&mut server, port);
    let finished = server.stop("TERM");
    for (began, ended) in OUTAGES {
        for (level, said) in [(" WARN ", began), (" INFO ", ended)] {
            let is_it = |line: &&str| line.contains(level) && line.contains(said);
            let count = finished.err.lines().filter(is_it).count();
            assert_eq!(count, 1, "{said}: {}", finished.err);
        }
    }
    database.remove().await;
}

/// Waits until the log says of each outage that it has ended.
fn wait_for_all(server: &mut Program, port: u16) {
    let mut missing: Vec<_> = OUTAGES.iter().map(|(_began, ended)| *ended).collect();
    while !missing.is_empty() {
        get_plainly(port, "/metrics");
        let line = server.wait_for_line(" INFO ");
        missing.retain(|ended| !line.contains(ended));
    }
}
