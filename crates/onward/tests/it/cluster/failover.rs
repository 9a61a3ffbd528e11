//! The primary of a highly available database is lost while everybody calls. `scripts/test-failover`
//! starts that database and then these tests.

use std::process::Command;
use std::time::Duration;

use super::Cluster;
use super::load::{Load, Past, Tolerance};
use super::outage::recover;
use crate::test_server::{Database, TestServer};

/// How soon everybody is served again, at most.
const RECOVERY_MAX: Duration = Duration::from_secs(30);

/// Runs one of the script's commands, and prints what it says.
async fn command(name: &'static str) {
    let folder = std::env::var("ONWARD_FAILOVER").expect("scripts/test-failover runs this");
    let running = tokio::task::spawn_blocking(move || {
        let done = Command::new(format!("{folder}/{name}")).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            done.status.success(),
            "{name}: {said}{}",
            String::from_utf8_lossy(&done.stderr)
        );
        said
    });
    print!("{}", running.await.unwrap());
}

/// What came of it while the database's servers changed.
fn describe(past: &Past, lost: Duration, next: Duration) -> String {
    let during = |at: &&Duration| **at >= lost && **at <= next;
    let refused = past.refused.iter().filter(during).count();
    format!(
        "{refused} were asked to come back; served again after {:.1?}",
        next.saturating_sub(lost)
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "scripts/test-failover starts the database that it needs"]
async fn the_primary_is_lost_and_nothing_acknowledged_with_it() {
    let admin = std::env::var("ONWARD_FAILOVER_STORE").expect("scripts/test-failover runs this");
    let cluster =
        Cluster::start(TestServer::on_database(Database::create_at(admin).await).await).await;
    let load = Load::begin(&cluster, Tolerance::RetryAfter).await;
    for how in ["lose-primary", "freeze-primary"] {
        load.go_on(Duration::from_secs(3)).await;
        let lost = load.calls.elapsed();
        command(how).await;
        // By then the first callers were asked to come back.
        load.go_on(Duration::from_secs(5)).await;
        let (_last, next) = recover(&load.calls).await;
        println!("{how}: {}", describe(&load.calls.past(), lost, next));
        assert!(next < lost + RECOVERY_MAX, "{how}");
        command("mend").await;
    }
    load.go_on(Duration::from_secs(2)).await;
    let past = load.end().await;
    past.assert_well("the primary was lost");
    cluster.end(&past).await;
}
