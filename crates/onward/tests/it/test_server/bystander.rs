//! A healthy subscriber beside those of a test, to show that nothing else is sent.

use serde_json::json;

use super::{Receiver, TestServer};

/// A subscriber with an API key of its own, which receives what it simulates and nothing recorded.
pub(crate) struct Bystander {
    key: String,
    receiver: Receiver,
}

impl TestServer {
    /// Subscribes one.
    pub(crate) async fn bystander(&self) -> Bystander {
        let bystander = Bystander {
            key: self.api_key("Bystander Ltd").await,
            receiver: self.receiver().await,
        };
        let events = ["fallthrough"];
        let answer = bystander
            .receiver
            .subscribe_to(self, &bystander.key, &events)
            .await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        bystander
    }
}

impl Bystander {
    /// Waits until the nodes have looked for due deliveries, twice, and sent some: what was due
    /// before this call and has not been sent is held back.
    pub(crate) async fn outlast(&self, server: &TestServer) {
        for _look in 0..2 {
            let body = json!({"eventType": "fallthrough", "uprn": "9"});
            let answer = server.post_webhook(&self.key, "/simulate", body).await;
            assert_eq!(answer.status, 202, "{}", answer.json());
            let event = answer.json()["eventId"].clone();
            let is_it = || {
                let mut received = self.receiver.received().into_iter();
                received.any(|one| one.claims()["eventId"] == event)
            };
            server
                .wait_until("the bystander has it", async || is_it())
                .await;
        }
    }
}
