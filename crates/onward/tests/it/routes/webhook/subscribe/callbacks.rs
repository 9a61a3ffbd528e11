//! Which callback URLs a subscription accepts (S-31). All rules for URLs and addresses are tested
//! beside their source, below `delivery/`.

use serde_json::json;

use super::wish;
use crate::{sqlite_story, story};

const FORBIDDEN: &str = "callbackUrl: the callback URL's host must have public addresses only: \
    none that is private, loopback, link-local or otherwise special";

sqlite_story! {
    async fn it_must_be_a_plain_https_url(server) {
        let key = server.api_key("Example Lender").await;
        let long = format!("https://localhost/{}", "x".repeat(1983));
        for (url, part) in [
            ("http://localhost/", "must begin with https://"),
            ("https://", "is not valid"),
            ("https://user:secret@localhost/", "user name or password"),
            ("https://localhost/#part", "must not contain a fragment"),
            ("https://localhost/a b", "percent-encode it"),
            (long.as_str(), "longer than 2000 characters"),
        ] {
            let answer = server.post_webhook(&key, "/subscribe", wish(url)).await;
            let errors = answer.wrong_values();
            assert_eq!(errors.len(), 1, "{url}: {errors:?}");
            assert!(errors[0].starts_with("callbackUrl: the callback URL "), "{url}: {errors:?}");
            assert!(errors[0].contains(part), "{url}: {errors:?}");
        }
        let listed = server.webhook(&key, ("GET", "/subscriptions"), None).await.json();
        assert_eq!(listed, json!({"data": []}));
    }
}

sqlite_story! {
    async fn special_addresses_are_refused_in_every_disguise(server) {
        let key = server.api_key("Example Lender").await;
        for host in ["10.0.0.1", "169.254.169.254", "0xa000001", "10.1", "[fe80::1]",
            "[::ffff:a9fe:a9fe]", "[64:ff9b::10.0.0.1]",
        ] {
            let url = format!("https://{host}/events");
            let answer = server.post_webhook(&key, "/subscribe", wish(&url)).await;
            assert_eq!(answer.wrong_values(), [FORBIDDEN], "{url}");
        }
    }
}

sqlite_story! {
    async fn loopback_is_refused_unless_the_settings_allow_it(server) {
        let key = server.api_key("Example Lender").await;
        let loopbacks =
            ["127.0.0.1", "127.1", "2130706433", "[::1]", "localhost", "LOCALHOST", "localhost."];
        for host in loopbacks {
            let url = format!("https://{host}:8450/events");
            let answer = server.post_webhook(&key, "/subscribe", wish(&url)).await;
            assert!([200, 201].contains(&answer.status), "{url}: {}", answer.json());
        }
        server = server.reconfigure(|config| config.callback_allowed_networks.clear()).await;
        for host in loopbacks.iter().chain(&["[::ffff:127.0.0.1]"]) {
            let url = format!("https://{host}:8451/events");
            let answer = server.post_webhook(&key, "/subscribe", wish(&url)).await;
            assert_eq!(answer.wrong_values(), [FORBIDDEN], "{url}");
        }
    }
}

story! {
    async fn an_accepted_url_is_checked_again_at_each_attempt(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        server = server.reconfigure(|config| config.callback_allowed_networks.clear()).await;
        let body = json!({"eventType": "fallthrough", "uprn": "1"});
        assert_eq!(server.post_webhook(&key, "/simulate", body).await.status, 202);
        let delivery = server.wait_for_attempts(&key, &subscription, 1).await;
        assert_eq!(delivery["status"], "waiting");
        assert_eq!(delivery["attempts"][0]["error"], "address_forbidden");
        assert_eq!(receiver.received().len(), 0);
    }
}

sqlite_story! {
    async fn it_is_kept_in_its_normal_form(server) {
        let longest = format!("https://localhost/{}", "x".repeat(1982));
        for (url, normal) in [
            ("HTTPS://LocalHost:443/a/../b", "https://localhost/b"),
            ("https://b\u{fc}cher.invalid/", "https://xn--bcher-kva.invalid/"),
            ("https://134744072/x", "https://8.8.8.8/x"),
            (longest.as_str(), longest.as_str()),
        ] {
            let key = server.api_key("Example Lender").await;
            let first = server.post_webhook(&key, "/subscribe", wish(url)).await;
            assert_eq!(first.status, 201, "{url}: {}", first.json());
            assert_eq!(first.json()["callbackUrl"], normal);
            let again = server.post_webhook(&key, "/subscribe", wish(normal)).await;
            assert_eq!(again.status, 200, "{url}");
            assert_eq!(first.json()["subscriptionId"], again.json()["subscriptionId"]);
        }
    }
}
