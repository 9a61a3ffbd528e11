//! Rotations by the real command while events flow, for receivers that fetch the key set when its
//! `max-age` has passed and at no other time.

use std::collections::BTreeSet;

use observe::clock::Clock;
use serde_json::Value;
use signing::jwk::JwkSet;
use signing::jws::Unverified;

use crate::commands::program::{self, Finished};
use crate::story;
use crate::test_server::{At, Client, Received, Receiver, TestServer, http_client, send};

/// How far the clock moves at once.
const STEP_SECONDS: i64 = 30;

/// A receiver's key set. It is asked for no unknown key.
struct Kept {
    keys: JwkSet,
    fresh_until: i64,
}

/// What was recorded and what came of it.
struct Watch<'a> {
    server: &'a TestServer,
    receiver: Receiver,
    agent: Client,
    listing: i64,
    recorded: usize,
    /// One that was fetched at each step, so that some set is of every age.
    kept: Vec<Kept>,
    /// Which keys signed.
    signed: BTreeSet<String>,
    /// What did not verify, and with how old a set.
    refused: Vec<String>,
    next_made_at: i64,
}

impl Kept {
    async fn fetch(server: &TestServer, now: i64) -> Self {
        let request = http_client(server, None).get(server.url(At::Directory, "/jwks"));
        let answer = send(request).await;
        let max_age = answer.header("cache-control").split_once("max-age=");
        let max_age: i64 = max_age.unwrap().1.parse().unwrap();
        Self {
            keys: JwkSet::parse(&answer.body).unwrap(),
            fresh_until: now + max_age,
        }
    }
}

impl<'a> Watch<'a> {
    async fn begin(server: &'a TestServer) -> Self {
        let (receiver, _key, _subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let config = format!(
            "store = {:?}\nkey_encryption_key_file = {:?}\n",
            server.config.store, server.config.key_encryption_key_file
        );
        std::fs::write(server.directory.path().join("operator.toml"), config).unwrap();
        Self {
            server,
            receiver,
            listing: agent.list(1).await,
            agent,
            recorded: 0,
            kept: Vec::new(),
            signed: BTreeSet::new(),
            refused: Vec::new(),
            next_made_at: server.now(),
        }
    }

    /// Lets time pass; events flow at each step.
    async fn pass(&mut self, steps: usize) {
        for _step in 0..steps {
            self.step(None).await;
        }
    }

    /// One step of the clock, with a command in the midst of its events. Whoever fetches now
    /// fetches before the command, which is the worst moment.
    async fn step(&mut self, command: Option<&[&str]>) -> Option<Finished> {
        self.server.clock.advance(STEP_SECONDS);
        let now = self.server.now();
        for kept in &mut self.kept {
            if now >= kept.fresh_until {
                *kept = Kept::fetch(self.server, now).await;
            }
        }
        if self.kept.len() < 10 {
            self.kept.push(Kept::fetch(self.server, now).await);
        }
        self.agent = self.agent.renewed(self.server).await;
        let before = self.recorded;
        let finished = match command {
            Some(args) => {
                let file = self.server.directory.path().join("operator.toml");
                let mut args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
                args.extend(["--config".to_owned(), file.display().to_string()]);
                let running = tokio::task::spawn_blocking(move || {
                    program::run(&args.iter().map(String::as_str).collect::<Vec<_>>())
                });
                while !running.is_finished() {
                    self.record().await;
                }
                Some(running.await.unwrap())
            }
            None => None,
        };
        self.record().await;
        // Whoever asks a node for its key set makes it look at the keys again.
        self.server.jwks().await;
        self.record().await;
        let arrived = self.receiver.wait_for(self.recorded).await;
        for event in &arrived[before..self.recorded] {
            self.verify(event, now);
        }
        finished
    }

    async fn record(&mut self) {
        self.recorded += 1;
        let date = format!("2026-10-{:02}", self.recorded % 2 + 1);
        let answer = self.agent.record(self.listing, "sstc", &date).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }

    fn verify(&mut self, event: &Received, now: i64) {
        for kept in &self.kept {
            match find_signer(event, &kept.keys) {
                Some(kid) => {
                    self.signed.insert(kid);
                }
                None => self
                    .refused
                    .push(format!("fresh for {} s", kept.fresh_until - now)),
            }
        }
    }

    /// `onward keys rotate`, which reads the machine's clock: the next key's age is made the same
    /// by that clock as it is by the test's.
    async fn rotate(&mut self, options: &[&str]) -> Result<Value, String> {
        let age = self.server.now() + STEP_SECONDS - self.next_made_at;
        let made_at = Clock::System.now_seconds() - age;
        let aged = self.server.storage.write(move |write| {
            write.execute(
                "update signing_key set created_at = $1 where purpose = 'event' \
                 and state = 'next'",
                &[made_at.into()],
            )
        });
        assert_eq!(aged.await.unwrap(), 1);
        let args = ["keys", "rotate", "--purpose", "event", "--json"];
        let finished = self.step(Some(&[&args, options].concat())).await.unwrap();
        if finished.status != Some(0) {
            return Err(finished.failure().to_owned());
        }
        self.next_made_at = self.server.now();
        let rotated: Value = serde_json::from_str(&finished.out).unwrap();
        Ok(rotated[0].clone())
    }
}

/// The id of the key under which an event verifies, if it does with one of these.
fn find_signer(event: &Received, keys: &JwkSet) -> Option<String> {
    let token = Unverified::parse(&event.body).unwrap();
    let kid = token.kid().unwrap().to_owned();
    let key = keys.keys().iter().find(|key| key.kid() == Some(&kid))?;
    token.verify(key).ok().map(|_claims| kid)
}

story! {
    async fn no_event_fails_for_whoever_keeps_the_key_set_for_just_its_time(server) {
        let mut watch = Watch::begin(&server).await;
        watch.pass(8).await;
        let mut current = Vec::new();
        let mut too_early = 0;
        while current.len() < 3 {
            match watch.rotate(&[]).await {
                Ok(rotated) => {
                    current.push(rotated["current"].as_str().unwrap().to_owned());
                    watch.pass(8).await;
                }
                Err(reason) => {
                    assert!(reason.contains("published for too short a time"), "{reason}");
                    too_early += 1;
                }
            }
        }
        assert_eq!(watch.refused, Vec::<String>::new());
        // At 270, 300 and 330 s each time; at 360 s every set that is older has been thrown away.
        assert_eq!(too_early, 9);
        // A retired key is revoked: what it signed long ago verifies no more, and all else does.
        let oldest = watch.receiver.received().remove(0);
        let fresh = server.key_set().await;
        let retired = find_signer(&oldest, &fresh).unwrap();
        let revoked = watch.step(Some(&["keys", "revoke", &retired])).await.unwrap();
        assert_eq!(revoked.status, Some(0), "{}", revoked.err);
        assert_eq!(find_signer(&oldest, &server.key_set().await), None);
        watch.pass(12).await;
        assert_eq!(watch.refused, Vec::<String>::new());
        assert_eq!(watch.kept.len(), 10);
        let expected: BTreeSet<String> = current.into_iter().chain([retired]).collect();
        assert_eq!(watch.signed, expected);
    }
}

story! {
    async fn a_rotation_that_does_not_wait_is_noticed(server) {
        let mut watch = Watch::begin(&server).await;
        watch.pass(3).await;
        // The first next key is as old as the store; the second is known to nobody.
        watch.rotate(&["--now"]).await.unwrap();
        assert_eq!(watch.refused, Vec::<String>::new());
        watch.rotate(&["--now"]).await.unwrap();
        assert!(watch.refused.iter().any(|one| one != "fresh for 300 s"), "{:?}", watch.refused);
    }
}
