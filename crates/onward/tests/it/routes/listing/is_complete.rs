//! `GET /api/v1/listing/{id}/is-complete`: both ends of its chain are checked (S-43, S-52).

use serde_json::json;

use crate::story;
use crate::test_server::Client;

/// The answer's `result`.
async fn is_complete(agent: &Client, listing: i64) -> bool {
    let answer = agent.get(&format!("/listing/{listing}/is-complete")).await;
    let body = answer.json();
    let result = body["data"]["result"].clone();
    let expected = json!({"message": "success", "success": true, "data": {"result": result},
        "errors": []});
    assert_eq!((answer.status, body), (200, expected));
    result.as_bool().unwrap()
}

story! {
    async fn both_ends_have_to_be_checked(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for (action, expected) in [
            ("uncheck/top", false),
            ("check/top", false),
            ("check/bottom", true),
            ("uncheck/top", false),
            ("check/top", true),
            ("uncheck/bottom", false),
        ] {
            agent.mark(listing, action).await;
            assert_eq!(is_complete(&agent, listing).await, expected, "{action}");
        }
    }
}
