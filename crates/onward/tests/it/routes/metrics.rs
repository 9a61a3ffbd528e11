//! `/metrics`.

use crate::story;
use crate::world::{Answer, At, Reply, http_client};

/// The metrics that the documentation lists, each as `name type`.
fn listed_metrics() -> Vec<String> {
    let page = include_str!("../../../../../docs/operations.md");
    let (_, section) = page.split_once("\n## Metrics\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut listed: Vec<_> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 4, "{row}");
            format!("{} {}", cells[0].trim_matches('`'), cells[1])
        })
        .collect();
    listed.sort();
    listed
}

story! {
    async fn every_metric_of_the_documentation_is_shown(world) {
        let key = world.api_key("Example Lender").await;
        let receiver = world.receiver().await;
        receiver.answer_always(Reply::status(500));
        let subscription = world.subscribe(&key, &receiver).await;
        let agent = world.agent("north").await;
        let listing = agent.list(7).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        world.clock.advance(4);
        let http = http_client(&world, None);
        let response = http.get(world.url(At::Ops, "/metrics")).send().await.unwrap();
        let text = String::from_utf8(Answer::read(response).await.body).unwrap();
        for (name, value) in [
            ("waiting_deliveries", 1),
            ("oldest_waiting_seconds", 4),
            ("subscription_paused", 0),
            ("subscription_disabled", 0),
        ] {
            let line = format!("onward_{name}{{subscription=\"{subscription}\"}} {value}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        let requests = "onward_requests_total{door=\"listing\",status=\"200\"} ";
        assert!(text.contains(requests), "{text}");
        assert!(text.contains("onward_delivery_attempts_total{result=\"refused\"} 1"), "{text}");
        // Now each metric has a value, so that all of them are shown.
        let shown = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let mut shown: Vec<_> = shown.map(str::to_owned).collect();
        shown.sort();
        assert_eq!(listed_metrics(), shown);
    }
}
