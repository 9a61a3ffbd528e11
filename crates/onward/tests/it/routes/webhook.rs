//! The tests of everything below `/api/v1/webhook`: rules that several of its routes share.

mod simulate;
mod subscribe;
mod subscriptions;

use serde_json::json;

use crate::{sqlite_story, story};

sqlite_story! {
    async fn each_call_needs_a_key_that_counts_and_names_its_methods(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let one = format!("/subscriptions/{subscription}");
        for (path, methods) in [
            ("/subscribe", "POST"),
            ("/simulate", "POST"),
            ("/subscriptions", "GET"),
            (&one, "GET,DELETE,PATCH"),
            (&format!("{one}/enable"), "POST"),
            (&format!("{one}/replay"), "POST"),
            (&format!("{one}/watch"), "GET,PUT,PATCH"),
            (&format!("{one}/deliveries"), "GET"),
            (&format!("{one}/deliveries/1/redeliver"), "POST"),
            (&format!("{one}/deliveries/1/cancel"), "POST"),
        ] {
            server.assert_key_is_needed(path, methods).await;
        }
        assert_eq!(server.status_of(&key, &subscription).await, "active");
        for path in ["/subscribe", "/simulate", &format!("{one}/replay")] {
            server.assert_json_is_needed(&key, path).await;
        }
        assert_eq!(receiver.received().len(), 0);
    }
}

story! {
    async fn a_subscription_is_its_owner_s_alone(server) {
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        let moved = json!({"callbackUrl": "https://hooks.example/"});
        for (method, after, body) in [
            ("GET", "", None),
            ("DELETE", "", None),
            ("PATCH", "", Some(&moved)),
            ("GET", "/watch", None),
            ("GET", "/deliveries", None),
            ("POST", "/enable", None),
            ("POST", "/replay", Some(&since)),
            ("POST", "/deliveries/1/redeliver", None),
            ("POST", "/deliveries/1/cancel", None),
        ] {
            server.assert_only_own(method, after, body).await;
        }
    }
}
