//! Tests of the times at which a receiver downloads the key set.

use std::sync::{Arc, Mutex};

use signing::jws::sign_compact;
use signing::key::SigningKey;

use super::{ReceiveError, Receiver};
use crate::event::EventRefusal;
use crate::event::tests::milestone_claims;
use crate::fake_server::{FakeServer, KEYS, NOW, Reply, publish};

/// A server with a key set that changes, and a receiver of its events.
struct Fixture {
    server: FakeServer,
    receiver: Receiver,
    reply: Arc<Mutex<Reply>>,
    cache_control: &'static str,
    passed_seconds: u64,
}

impl Fixture {
    async fn start(cache_control: &'static str) -> Self {
        let reply = Arc::new(Mutex::new(Reply::empty(503, "")));
        let current = Arc::clone(&reply);
        let server = FakeServer::start(move |_, _| current.lock().unwrap().clone()).await;
        let jwks_url = format!("{}/jwks", server.address());
        let issuer = server.address().to_owned();
        let receiver = Receiver::new(issuer, jwks_url, &server.trust(), server.clock()).unwrap();
        Self {
            server,
            receiver,
            reply,
            cache_control,
            passed_seconds: 0,
        }
    }

    fn publish(&self, keys: &[&SigningKey]) {
        *self.reply.lock().unwrap() = Reply {
            header: self.cache_control,
            ..Reply::json(200, &publish(keys))
        };
    }

    fn advance(&mut self, seconds: u64) {
        self.server.advance(seconds);
        self.passed_seconds += seconds;
    }

    /// Receives an event that `key` signs at this moment.
    async fn receive(&self, key: &SigningKey) -> Result<(), ReceiveError> {
        let claims = milestone_claims(self.server.address(), NOW + self.passed_seconds);
        let token = sign_compact("JWT", key, &claims).unwrap();
        self.receiver.verify(token.as_bytes()).await.map(drop)
    }

    /// Receives an event of a key that the receiver cannot find.
    async fn receive_unknown(&self, key: &SigningKey) {
        let refusal = EventRefusal::UnknownKey(key.kid().to_owned());
        let expected = Err(ReceiveError::Refused(refusal));
        assert_eq!(self.receive(key).await, expected);
    }

    fn downloads(&self) -> usize {
        self.server.requests().len()
    }
}

#[tokio::test]
async fn the_key_set_is_cached_for_its_max_age() {
    let mut fixture = Fixture::start("Cache-Control: public, max-age=60").await;
    fixture.publish(&[&KEYS[0]]);
    for (step_seconds, downloads) in [(0, 1), (59, 1), (1, 2), (59, 2)] {
        fixture.advance(step_seconds);
        fixture.receive(&KEYS[0]).await.unwrap();
        let passed = fixture.passed_seconds;
        assert_eq!(fixture.downloads(), downloads, "after {passed} s");
    }
}

#[tokio::test]
async fn an_unknown_key_causes_one_download_in_five_seconds() {
    let mut fixture = Fixture::start("Cache-Control: max-age=3600").await;
    let [old, new, foreign] = &*KEYS;
    fixture.publish(&[old]);
    fixture.receive(old).await.unwrap();
    fixture.publish(&[old, new]);
    fixture.receive_unknown(new).await;
    assert_eq!(fixture.downloads(), 1);
    fixture.advance(5);
    fixture.receive(new).await.unwrap();
    assert_eq!(fixture.downloads(), 2);

    fixture.advance(5);
    for _ in 0..3 {
        fixture.receive_unknown(foreign).await;
    }
    fixture.receive(old).await.unwrap();
    assert_eq!(fixture.downloads(), 3);

    // A fresh set stays in use when its renewal fails.
    *fixture.reply.lock().unwrap() = Reply::empty(503, "");
    fixture.advance(5);
    fixture.receive_unknown(foreign).await;
    fixture.receive(new).await.unwrap();
    assert_eq!(fixture.downloads(), 4);
}

#[tokio::test]
async fn without_a_key_set_no_event_is_refused_for_good() {
    let mut fixture = Fixture::start("Cache-Control: no-store").await;
    for _ in 0..3 {
        let error = fixture.receive(&KEYS[0]).await.unwrap_err();
        assert!(matches!(error, ReceiveError::NoKeySet(_)), "{error}");
    }
    assert_eq!(fixture.downloads(), 1);
    fixture.publish(&[&KEYS[0]]);
    // Even a set that must not be cached is not downloaded for every event.
    for downloads in [2, 3] {
        fixture.advance(5);
        fixture.receive(&KEYS[0]).await.unwrap();
        fixture.receive(&KEYS[0]).await.unwrap();
        assert_eq!(fixture.downloads(), downloads);
    }
}

#[tokio::test]
async fn a_body_without_the_header_of_an_event_causes_no_download() {
    let fixture = Fixture::start("").await;
    let access_token = sign_compact("at+jwt", &KEYS[0], &milestone_claims("", 0)).unwrap();
    for body in [&b""[..], b"a.b.c", b"\xff", access_token.as_bytes()] {
        let error = fixture.receiver.verify(body).await.unwrap_err();
        assert!(matches!(error, ReceiveError::Refused(_)), "{error}");
    }
    assert_eq!(fixture.downloads(), 0);
}

#[tokio::test]
async fn a_simulated_event_is_refused_unless_it_is_asked_for() {
    let mut fixture = Fixture::start("Cache-Control: public, max-age=60").await;
    fixture.publish(&[&KEYS[0]]);
    let real = milestone_claims(fixture.server.address(), NOW);
    let (mut marked, mut named) = (real.clone(), real.clone());
    marked["simulated"] = true.into();
    // A service before the claim existed.
    named["eventId"] = "sim_1".into();
    let tokens = [real, marked, named].map(|claims| sign_compact("JWT", &KEYS[0], &claims));
    let [real, marked, named] = tokens.map(Result::unwrap);
    fixture.receiver.verify(real.as_bytes()).await.unwrap();
    for token in [&marked, &named] {
        let refused = fixture.receiver.verify(token.as_bytes()).await.unwrap_err();
        assert_eq!(refused, ReceiveError::Refused(EventRefusal::Simulated));
    }
    fixture.receiver = fixture.receiver.accept_simulated();
    for token in [real, marked, named] {
        fixture.receiver.verify(token.as_bytes()).await.unwrap();
    }
}
