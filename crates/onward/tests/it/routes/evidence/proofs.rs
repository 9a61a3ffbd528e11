//! What packs prove, and for how long.

use observe::clock::{self, Stopwatch};
use signing::keyring::Purpose;
use tokens::keys::{self, Rotation};

use super::read_pack;
use crate::query::rows::Rows;
use crate::query::versions::SCOPES;
use crate::story;
use crate::test_server::TestServer;

/// The longest pack of a chain of four, in bytes (S-62).
const PACK_BYTES_MAX: usize = 12 * 1024;
/// The longest time from a commit to its proof, in seconds.
const PROVED_SECONDS_MAX: u64 = 3;
/// The proof is measured so often, because a busy machine may be slow once.
const MEASUREMENTS: i64 = 4;

story! {
    async fn a_chain_of_four_has_a_short_pack_that_can_withhold_neighbours(server) {
        let rows = Rows::new().sales([1, 2, 3, 4]).link(2, 1).link(3, 2).link(4, 3);
        server.import(rows.lines()).await;
        let lender = server.lender().await;
        let answer = lender.ask_uprns(&[2, 3]).await;
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        assert!(pack.body.len() < PACK_BYTES_MAX, "{}", pack.body.len());
        let steps = server.verify(&pack.body).await;
        assert!(steps.iter().any(|step| step.ends_with("4 of 4 properties are shown")), "{steps:?}");
        // Two queried values are of one chain, which has one state.
        assert_eq!(read_pack(&pack).states.len(), 1);
        let text = String::from_utf8(pack.body.clone()).unwrap();
        assert!(!text.contains("signedAt"), "{text}");

        let only = read_pack(&pack).only(&[2]).unwrap().to_bytes().unwrap();
        let steps = server.verify(&only).await;
        let homes: Vec<_> = steps.iter().filter(|step| step.starts_with("home ")).collect();
        assert_eq!(homes.len(), 1);
        assert!(homes[0].starts_with("home 2: "), "{steps:?}");
        assert!(steps.iter().any(|step| step.ends_with("1 of 4 properties are shown")), "{steps:?}");
        let text = String::from_utf8(only).unwrap();
        assert!(text.contains("2 High Street"), "{text}");
        for neighbour in ["1 High Street", "3 High Street", "4 High Street"] {
            assert!(!text.contains(neighbour), "{neighbour}: {text}");
        }
        // With an explanation, which nothing signs, and after a restart.
        let explained = lender.ask_at("?explain=true", &[("inputType", "uprn"), ("value[]", "4")]).await;
        assert!(explained.json()["explanation"].is_array());
        server = server.reconfigure(|_config| {}).await;
        let lender = lender.after_restart(&server);
        let again = lender.wait_for_evidence(&server, &explained.body).await;
        server.verify(&again.body).await;
    }
}

story! {
    async fn each_chain_of_a_long_answer_is_proved(server) {
        let lender = server.lender_with_sales(1..=100).await;
        let uprns: Vec<u64> = (1..=100).collect();
        let answer = lender.ask_uprns(&uprns).await;
        assert_eq!(answer.chains().len(), 100);
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        let policy = log::policy::Policy::parse(&server.policy().await).unwrap();
        let report = evidence::verify(&pack.body, &policy).unwrap();
        assert_eq!(report.level, evidence::Level::StateLogged);
        assert_eq!(read_pack(&pack).states.len(), 100);
    }
}

story! {
    async fn a_new_state_is_proved_within_three_seconds_of_its_commit(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let listing = agent.list(7).await;
        let mut fastest = u64::MAX;
        for day in 1..=MEASUREMENTS {
            assert_eq!(agent.record(listing, "sstc", &format!("2026-03-0{day}")).await.status, 200);
            let begun = Stopwatch::start();
            let answer = lender.ask_uprns(&[7]).await;
            let pack = lender.wait_for_evidence(&server, &answer.body).await;
            fastest = fastest.min(begun.elapsed().as_secs());
            server.verify(&pack.body).await;
        }
        assert!(fastest < PROVED_SECONDS_MAX, "{fastest} s");
    }
}

story! {
    async fn the_version_is_the_one_of_the_answers_time(server) {
        let agent = server.agent("north").await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let listing = agent.list(7).await;
        // The third version shows what the first one showed.
        let mut times = Vec::new();
        for date in ["2026-03-01", "2026-03-02", "2026-03-01"] {
            server.clock.advance(10);
            assert_eq!(agent.record(listing, "sstc", date).await.status, 200);
            times.push(server.now());
        }
        server.clock.advance(10);
        let mut versions = Vec::new();
        for time in &times {
            let time = clock::to_rfc3339(*time);
            let form = [("inputType", "uprn"), ("value[]", "7"), ("asOf", time.as_str())];
            let answer = auditor.ask(&form).await;
            let pack = auditor.wait_for_evidence(&server, &answer.body).await;
            server.verify(&pack.body).await;
            let statement = read_pack(&pack).states.remove(0).statement;
            assert_eq!(statement.recorded_at, time);
            versions.push(statement.version);
        }
        assert_eq!(versions, [2, 3, 4]);
        let now = auditor.ask_uprns(&[7]).await;
        let pack = auditor.wait_for_evidence(&server, &now.body).await;
        assert_eq!(read_pack(&pack).states[0].statement.version, 4);
        // Nothing signs the time of an answer. It chooses a version for those who may see the past, and for nobody else.
        let mut claimed = now.json();
        claimed["provenance"]["signedAt"] = clock::to_rfc3339(times[0]).into();
        let claimed = claimed.to_string().into_bytes();
        let lender = server.lender().await;
        for (caller, version) in [(&auditor, 2), (&lender, 4)] {
            let pack = caller.wait_for_evidence(&server, &claimed).await;
            assert_eq!(read_pack(&pack).states[0].statement.version, version);
        }
        // Whoever may not see the past gets no evidence of it.
        let time = clock::to_rfc3339(times[1]);
        let form = [("inputType", "uprn"), ("value[]", "7"), ("asOf", time.as_str())];
        let past = auditor.ask(&form).await;
        let refused = lender.ask_evidence(&past.body).await.problem();
        assert!(refused.starts_with("403 insufficient-scope: This call needs the scope `transaction-history`"), "{refused}");
    }
}

/// Rotates the key of answers. Returns the id of the one that retired.
pub(super) async fn rotate(server: &TestServer) -> String {
    let (storage, registry, now) = (
        server.storage.clone(),
        server.node.foundation.registry.clone(),
        server.now(),
    );
    let rotating = tokio::task::spawn_blocking(move || {
        let rotation = Rotation {
            size: None,
            is_forced: true,
            now,
        };
        keys::rotate(&storage, registry.safe(), &[Purpose::Provenance], &rotation)
    });
    rotating.await.unwrap().unwrap().remove(0).retired
}

async fn revoke(server: &TestServer, kid: &str) {
    let (storage, registry, now) = (
        server.storage.clone(),
        server.node.foundation.registry.clone(),
        server.now(),
    );
    let kid = kid.to_owned();
    let revoking =
        tokio::task::spawn_blocking(move || keys::revoke(&storage, registry.safe(), &kid, now));
    revoking.await.unwrap().unwrap();
}

story! {
    async fn a_retired_and_a_revoked_key_still_prove_what_was_logged(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let lender = server.lender().await;
        let answer = lender.ask_uprns(&[1]).await;
        let before = lender.wait_for_evidence(&server, &answer.body).await;
        let kid = rotate(&server).await;
        assert_eq!(answer.json()["provenance"]["kid"], kid);
        let retired = lender.wait_for_evidence(&server, &answer.body).await;
        let steps = server.verify(&retired.body).await.join("\n");
        assert!(steps.contains(&format!("that key {kid} is retired")), "{steps}");
        server.clock.advance(60);
        revoke(&server, &kid).await;
        let revoked = lender.wait_for_evidence(&server, &answer.body).await;
        let steps = server.verify(&revoked.body).await.join("\n");
        assert!(steps.contains("the key was revoked: only the log proves the state"), "{steps}");
        for pack in [&before, &retired] {
            server.verify(&pack.body).await;
        }
        // Without the states, a revoked key proves nothing.
        let mut alone = read_pack(&revoked);
        alone.states.clear();
        let policy = log::policy::Policy::parse(&server.policy().await).unwrap();
        let refused = evidence::verify(&alone.to_bytes().unwrap(), &policy);
        assert_eq!(refused, Err(evidence::Refusal::Revoked));
    }
}

story! {
    async fn states_of_a_closed_log_stay_proved(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let listing = agent.list(7).await;
        let old = lender.ask_uprns(&[7]).await;
        let before = lender.wait_for_evidence(&server, &old.body).await;
        let old_policy = server.policy().await;
        std::fs::remove_file(server.directory.path().join("log-checkpoint")).unwrap();
        assert_eq!(agent.record(listing, "sstc", "2026-03-01").await.status, 200);
        server.wait_until("the log is closed", async || {
            server.read_public("/checkpoint").await.status == 410
        }).await;
        let new = lender.ask_uprns(&[7]).await;
        let after = lender.wait_for_evidence(&server, &new.body).await;
        let steps = server.verify(&after.body).await;
        assert!(steps.iter().any(|step| step.contains(" of localhost:8442/log/2 is version 2")), "{steps:?}");
        server.verify(&before.body).await;
        let again = lender.wait_for_evidence(&server, &old.body).await;
        let steps = server.verify(&again.body).await;
        assert!(steps.iter().any(|step| step.contains(" of localhost:8442 is version 1")), "{steps:?}");
        // A policy of before does not know the new log.
        let old_policy = log::policy::Policy::parse(&old_policy).unwrap();
        evidence::verify(&before.body, &old_policy).unwrap();
        assert!(evidence::verify(&after.body, &old_policy).is_err());
    }
}
