//! Tests of when the key set is fetched, against a small service in the same process.

use std::sync::{Arc, Mutex};

use signing::algorithm::Algorithm;
use signing::jws::sign_compact;
use signing::key::SigningKey;

use super::{ReceiveError, Receiver};
use crate::event::EventRefusal;
use crate::event::tests::milestone_claims;
use crate::stand_in::{Reply, Service};
use crate::verify::tests::publish;

const NOW: u64 = 1_800_000_000;

/// A service whose key set changes, and a receiver of its events.
struct Story {
    service: Service,
    receiver: Receiver,
    /// The published key set; none while the service is out of order.
    published: Arc<Mutex<Option<String>>>,
}

impl Story {
    async fn begin(cache_control: &'static str) -> Self {
        let published = Arc::new(Mutex::new(None));
        let shown = Arc::clone(&published);
        let service = Service::start(move |_, _| match &*shown.lock().unwrap() {
            Some(keys) => Reply {
                status: "200 OK",
                headers: cache_control,
                body: String::into_bytes(String::clone(keys)),
            },
            None => Reply {
                status: "503 Service Unavailable",
                headers: "",
                body: Vec::new(),
            },
        })
        .await;
        let jwks_url = format!("{}/jwks", service.address());
        let issuer = service.address().to_owned();
        let receiver = Receiver::new(issuer, jwks_url, &service.trust(), service.clock());
        Self {
            receiver: receiver.unwrap(),
            service,
            published,
        }
    }

    fn publish(&self, keys: &[&SigningKey]) {
        *self.published.lock().unwrap() = Some(publish(keys).to_string());
    }

    /// Receives an event that was just signed by this key, `passed` seconds after the beginning.
    async fn receive(&self, key: &SigningKey, passed: u64) -> Result<(), ReceiveError> {
        let claims = milestone_claims(self.service.address(), NOW + passed, "e-1");
        let token = sign_compact("JWT", key, &claims).unwrap();
        self.receiver.verify(token.as_bytes()).await.map(drop)
    }

    fn fetches(&self) -> usize {
        self.service.requests().len()
    }
}

fn key() -> SigningKey {
    SigningKey::generate(Algorithm::Rs256).unwrap()
}

#[tokio::test]
async fn the_key_set_is_kept_for_its_max_age() {
    let story = Story::begin("Cache-Control: public, max-age=60\r\n").await;
    let first = key();
    story.publish(&[&first]);
    for (passed, step, fetches) in [(0, 0, 1), (59, 59, 1), (60, 1, 2), (119, 59, 2)] {
        story.service.advance(step);
        story.receive(&first, passed).await.unwrap();
        assert_eq!(story.fetches(), fetches, "after {passed} s");
    }
}

#[tokio::test]
async fn an_unknown_key_makes_it_fetch_once_and_not_again_for_a_while() {
    let story = Story::begin("Cache-Control: max-age=3600\r\n").await;
    let (old, new, foreign) = (key(), key(), key());
    story.publish(&[&old]);
    story.receive(&old, 0).await.unwrap();
    story.publish(&[&old, &new]);

    // Within five seconds of the last fetch it does not ask again.
    let unknown = |key: &SigningKey| {
        let refusal = EventRefusal::UnknownKey(key.kid().to_owned());
        Err(ReceiveError::Refused(refusal))
    };
    assert_eq!(story.receive(&new, 0).await, unknown(&new));
    assert_eq!(story.fetches(), 1);
    story.service.advance(5);
    story.receive(&new, 5).await.unwrap();
    assert_eq!(story.fetches(), 2);

    story.service.advance(5);
    for _ in 0..3 {
        assert_eq!(story.receive(&foreign, 10).await, unknown(&foreign));
    }
    story.receive(&old, 10).await.unwrap();
    assert_eq!(story.fetches(), 3);

    // A fresh set serves on when its renewal fails.
    story.published.lock().unwrap().take();
    story.service.advance(5);
    assert_eq!(story.receive(&foreign, 15).await, unknown(&foreign));
    story.receive(&new, 15).await.unwrap();
    assert_eq!(story.fetches(), 4);
}

#[tokio::test]
async fn without_a_key_set_nothing_is_refused_for_good() {
    let story = Story::begin("Cache-Control: no-store\r\n").await;
    let first = key();
    for _ in 0..3 {
        let error = story.receive(&first, 0).await.unwrap_err();
        assert!(matches!(error, ReceiveError::NoKeySet(_)), "{error}");
    }
    assert_eq!(story.fetches(), 1);
    story.publish(&[&first]);
    story.service.advance(5);
    story.receive(&first, 5).await.unwrap();
    // Even a set that must not be stored is not asked for with every event.
    story.receive(&first, 5).await.unwrap();
    assert_eq!(story.fetches(), 2);
    story.service.advance(5);
    story.receive(&first, 10).await.unwrap();
    assert_eq!(story.fetches(), 3);
}

#[tokio::test]
async fn what_is_no_event_by_its_header_costs_no_fetch() {
    let story = Story::begin("").await;
    for body in [&b""[..], b"a.b.c", b"\xff"] {
        let error = story.receiver.verify(body).await.unwrap_err();
        assert!(matches!(error, ReceiveError::Refused(_)), "{error}");
    }
    let token = sign_compact("at+jwt", &key(), &milestone_claims("", 0, "e")).unwrap();
    let error = story.receiver.verify(token.as_bytes()).await;
    assert_eq!(
        error.unwrap_err(),
        ReceiveError::Refused(EventRefusal::WrongType)
    );
    assert_eq!(story.fetches(), 0);
}
