//! The tests of everything below `/api/v1/webhook`: rules that several of its routes share.

mod simulate;
mod subscribe;
mod subscriptions;

use serde_json::json;

use crate::world::{Receiver, World};
use crate::{sqlite_story, story};

/// A receiver, an API key, and a subscription of this receiver to all events.
async fn subscriber(world: &World) -> (Receiver, String, String) {
    let receiver = world.receiver().await;
    let key = world.api_key("Example Lender").await;
    let subscription = world.subscribe(&key, &receiver).await;
    (receiver, key, subscription)
}

/// Waits until a subscription is disabled because its receiver answered 410.
async fn wait_until_disabled(world: &World, key: &str, subscription: &str) {
    let is_disabled = async || world.status_of(key, subscription).await == "disabled gone";
    world.wait_until("it is disabled", is_disabled).await;
}

sqlite_story! {
    async fn each_call_needs_a_key_that_counts_and_names_its_methods(world) {
        let (receiver, key, subscription) = subscriber(&world).await;
        let one = format!("/subscriptions/{subscription}");
        for (path, methods) in [
            ("/subscribe", "POST"),
            ("/simulate", "POST"),
            ("/subscriptions", "GET"),
            (&one, "GET,DELETE"),
            (&format!("{one}/enable"), "POST"),
            (&format!("{one}/replay"), "POST"),
            (&format!("{one}/deliveries"), "GET"),
            (&format!("{one}/deliveries/1/redeliver"), "POST"),
        ] {
            world.assert_key_is_needed(path, methods).await;
        }
        assert_eq!(world.status_of(&key, &subscription).await, "active");
        for path in ["/subscribe", "/simulate", &format!("{one}/replay")] {
            world.assert_json_is_needed(&key, path).await;
        }
        assert_eq!(receiver.received().len(), 0);
    }
}

story! {
    async fn a_subscription_is_its_owner_s_alone(world) {
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        for (method, after, body) in [
            ("GET", "", None),
            ("DELETE", "", None),
            ("GET", "/deliveries", None),
            ("POST", "/enable", None),
            ("POST", "/replay", Some(&since)),
            ("POST", "/deliveries/1/redeliver", None),
        ] {
            world.assert_only_own(method, after, body).await;
        }
    }
}
