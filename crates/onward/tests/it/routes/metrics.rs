//! `/metrics`.

use log::note::WitnessKey;

use crate::story;
use crate::test_server::{At, Reply, http_client, send};

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
    async fn every_metric_of_the_documentation_is_shown(server) {
        // A metric of each witness is shown once there is one.
        let witness = WitnessKey::from_seed("w", &[1; 32]).unwrap();
        let line = format!("witness w {} http://127.0.0.1:9", witness.verifier());
        server = server.reconfigure(|config| config.state_log_witnesses = vec![line]).await;
        let key = server.api_key("Example Lender").await;
        let receiver = server.receiver().await;
        receiver.answer_always(Reply::status(500));
        let subscription = server.subscribe(&key, &receiver).await;
        let agent = server.agent("north").await;
        let listing = agent.list(7).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        server.clock.advance(4);
        let http = http_client(&server, None);
        let ask = |accept: &str| http.get(server.url(At::Ops, "/metrics")).header("accept", accept);
        let plain = send(ask("text/plain")).await;
        assert_eq!(plain.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        let plain = String::from_utf8(plain.body).unwrap();
        assert!(plain.contains("\n# TYPE onward_requests_total counter\n"), "{plain}");
        assert!(!plain.contains("# EOF"), "{plain}");
        let answer = send(ask("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.ends_with("\n# EOF\n"), "{text}");
        let route = "onward_request_seconds_count{door=\"listing\",\
            route=\"/api/v1/listing/{listing}/milestone/{key}\"} 1\n";
        assert!(text.contains(route), "{text}");
        for name in ["process_open_fds ", "process_cpu_seconds_total ", "process_max_fds "] {
            assert!(text.contains(&format!("\n{name}")), "{name}: {text}");
        }
        let labels = format!("subscription=\"{subscription}\",participant=\"Example Lender\"");
        for (name, value) in [
            ("waiting_deliveries", 1),
            ("oldest_waiting_seconds", 4),
            ("subscription_paused", 0),
            ("subscription_disabled", 0),
        ] {
            let line = format!("onward_{name}{{{labels}}} {value}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        let requests = "onward_requests_total{door=\"listing\",status=\"200\"} ";
        assert!(text.contains(requests), "{text}");
        assert!(text.contains("onward_delivery_attempts_total{result=\"refused\"} 1"), "{text}");
        // Now each metric has a value, so that all of them are shown.
        let shown = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let shown = shown.filter(|line| !line.starts_with("process_"));
        let mut shown: Vec<_> = shown.map(str::to_owned).collect();
        shown.sort();
        assert_eq!(listed_metrics(), shown);
    }
}
