//! Every kind of key is rotated and revoked while everybody calls (S-28).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use observe::clock::Clock;
use serde_json::Value;
use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;

use super::Cluster;
use super::load::{Load, Past, Tolerance, find_signer};
use crate::commands::program;
use crate::test_server::At;

const ROTATIONS: usize = 3;
/// More than a key must have been published before it signs.
const AGE_SECONDS: i64 = 3600;

/// `onward keys …` on the nodes' store; what it prints.
async fn operate(cluster: &Cluster, args: &[&str]) -> Value {
    let config = cluster.nodes[0].file.clone();
    let mut args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    args.extend(["--json".to_owned(), "--config".to_owned(), config]);
    let running = tokio::task::spawn_blocking(move || {
        program::run_well(&args.iter().map(String::as_str).collect::<Vec<_>>())
    });
    serde_json::from_str(&running.await.unwrap()).unwrap()
}

/// Lets the next keys become as old as they must be. All that is remembered of keys is renewed.
async fn age(cluster: &Cluster) {
    let created_at = Clock::System.now_seconds() - AGE_SECONDS;
    let store = cluster.closed.open_store().await;
    let aged = store.write(move |write| {
        let sql = "update signing_key set created_at = $1 where state = 'next'";
        write.execute(sql, &[created_at.into()])
    });
    let aged: Result<u64, storage::StorageError> = aged.await;
    assert_eq!(aged.unwrap(), 3);
}

async fn fetch_key_set(cluster: &Cluster, node: usize) -> JwkSet {
    let url = cluster.nodes[node].url(At::Directory, "/jwks");
    let answer = cluster.cast.lender.http.get(url).send().await.unwrap();
    JwkSet::parse(&answer.bytes().await.unwrap()).unwrap()
}

fn answers_by_key(past: &Past) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for body in &past.signed {
        let body: Value = serde_json::from_slice(body).unwrap();
        let kid = body["provenance"]["kid"].as_str().unwrap().to_owned();
        *counts.entry(kid).or_default() += 1;
    }
    counts
}

/// Verifies the events that the subscriber received since the last look, with the key sets of that
/// time.
fn verify_events(cluster: &Cluster, load: &Load, verified: &mut usize) {
    let received = cluster.cast.receiver.received();
    for event in &received[*verified..] {
        load.calls.verify_event(event);
    }
    *verified = received.len();
}

/// Revokes the key that signs for a purpose; no node publishes it any more.
async fn revoke_current(cluster: &Cluster, purpose: &str) {
    let keys = operate(cluster, &["keys", "list"]).await;
    let is_signing = |key: &&Value| key["purpose"] == purpose && key["state"] == "current";
    let signing = keys.as_array().unwrap().iter().find(is_signing).unwrap();
    let revoked = signing["kid"].as_str().unwrap();
    operate(cluster, &["keys", "revoke", revoked]).await;
    for node in 0..2 {
        assert!(fetch_key_set(cluster, node).await.find(revoked).is_none());
    }
}

/// Each key that was current signed answers and events, and all of them are verified.
async fn check_signers(cluster: &Cluster, load: &Load, current: &BTreeSet<String>) {
    // Before and after: the key set of now verifies all that was ever signed.
    let past = load.calls.past();
    let signers = answers_by_key(&past);
    let received = cluster.cast.receiver.received();
    let mut event_signers = BTreeSet::new();
    for node in 0..2 {
        let keys = fetch_key_set(cluster, node).await;
        for body in &past.signed {
            verify_envelope(body, &keys).unwrap();
        }
        event_signers.extend(
            received
                .iter()
                .map(|event| find_signer(event, &keys).unwrap()),
        );
    }
    for (kind, used) in [
        ("answers", signers.keys().cloned().collect()),
        ("events", event_signers),
    ] {
        let used: BTreeSet<String> = used;
        println!("{kind}: {} keys signed", used.len());
        assert_eq!(used.len(), ROTATIONS + 1, "{kind}");
        assert_eq!(used.intersection(current).count(), ROTATIONS, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_key_changes_and_no_request_fails() {
    let Some(cluster) = Cluster::start_on_postgres().await else {
        return;
    };
    let load = Load::begin(&cluster, Tolerance::Nothing).await;
    let mut verified = 0;
    let mut current = BTreeSet::new();
    for _rotation in 0..ROTATIONS {
        load.go_on(Duration::from_millis(700)).await;
        verify_events(&cluster, &load, &mut verified);
        load.calls.renew_key_sets().await;
        age(&cluster).await;
        let rotated = operate(&cluster, &["keys", "rotate"]).await;
        let kinds: BTreeSet<_> = rotated
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                current.insert(one["current"].as_str().unwrap().to_owned());
                one["purpose"].as_str().unwrap()
            })
            .collect();
        assert_eq!(kinds, BTreeSet::from(["event", "provenance", "token"]));
        load.calls.keep_key_set().await;
        load.go_on(Duration::from_millis(700)).await;
    }
    verify_events(&cluster, &load, &mut verified);

    check_signers(&cluster, &load, &current).await;

    // One that signs is withdrawn: the next one, which is known, follows at once.
    load.calls.renew_key_sets().await;
    for purpose in ["provenance", "event"] {
        revoke_current(&cluster, purpose).await;
    }
    load.go_on(Duration::from_secs(1)).await;
    verify_events(&cluster, &load, &mut verified);
    let past = load.end().await;
    past.assert_well("rotation");
    cluster.end(&past).await;
}
