//! `GET /api/v1/chain/{chain_link_id}/history`: S-47.

use serde_json::{Value, json};

use crate::story;
use crate::test_server::Client;

async fn lines(agent: &Client, chain: &str, query: &str) -> Vec<String> {
    let answer = agent.get(&format!("/chain/{chain}/history{query}")).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    let line = |entry: &Value| {
        assert_eq!(entry["type"], "history_entry");
        let attributes = &entry["attributes"];
        assert_eq!(attributes.as_object().unwrap().len(), 6, "{entry}");
        let [action, by] = ["action", "by"].map(|name| attributes[name].as_str().unwrap());
        format!(
            "{} {action} {by} {}",
            attributes["listing_id"], attributes["detail"]
        )
    };
    body["data"].as_array().unwrap().iter().map(line).collect()
}

story! {
    async fn everybody_in_the_chain_reads_links_ends_and_milestones(server) {
        let [north, south] = server.two_agents().await;
        let (top, bottom) = (north.list(1001).await, south.list(1002).await);
        north.link(top, bottom).await;
        south.record(bottom, "sstc", "2026-11-20").await;
        // Of these nothing is shown: a price, a listing, a milestone that document 1 does not have.
        south.patch(&format!("/listing/{bottom}"), json!({"price": 5})).await;
        south.record(bottom, "contract_sent", "2026-11-20").await;
        north.mark(top, "check/top").await;
        let chain = north.chain_of(top).await;
        let both = format!(r#"{{"buyer":{bottom},"seller":{top}}}"#);
        let recorded = r#"{"date":"2026-11-20","excluded":false,"key":"sstc","origin":1}"#;
        let checked = r#"{"end":"top","reason":"Checked"}"#;
        let expected = [
            format!("{top} link.added north Ltd {both}"),
            format!("{bottom} link.added north Ltd {both}"),
            format!("{bottom} milestone.recorded south Ltd {recorded}"),
            format!("{top} end.checked north Ltd {checked}"),
        ];
        for agent in [&north, &south] {
            assert_eq!(lines(agent, &chain, "").await, expected);
        }
        assert_eq!(lines(&north, &chain, "?per_page=1&page=3").await, expected[2..3]);
        let stranger = server.agent("west").await;
        stranger.list(1003).await;
        let path = format!("/chain/{chain}/history");
        assert_eq!(stranger.get(&path).await.refusal(), (403, "not_your_branch".to_owned()));
        // A listing that has left takes its lines along.
        south.unlink(top, bottom).await.assert_success();
        let rest = lines(&north, &north.chain_of(top).await, "").await;
        assert!(rest.iter().all(|line| line.starts_with(&format!("{top} "))), "{rest:?}");
        assert_eq!(rest.len(), 3);
    }
}
