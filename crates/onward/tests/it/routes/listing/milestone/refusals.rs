//! Milestones that are not recorded (S-40).

use http::Method;
use serde_json::json;

use super::path;
use crate::{sqlite_story, story};

sqlite_story! {
    async fn wrong_values_are_named(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let refusals = agent.refusals(Method::PUT, &path(listing, "sstc"), [
            json!({}), json!({"date": null}),
            json!({"date": "2026-11-20", "completed_at": 1_795_132_800}),
            json!({"date": 20_261_120}), json!({"date": ""}), json!({"date": "20-11-2026"}),
            json!({"date": "2026-11-31"}), json!({"date": "2027-02-29"}),
            json!({"date": "2026-1-2"}), json!({"date": "20261120"}),
            json!({"date": "2026-11-20T00:00:00Z"}), json!({"date": "1899-12-31"}),
            json!({"date": "2201-01-01"}), json!({"date": "+002026-11-20"}),
            json!({"date": "２０２６-11-20"}), json!({"completed_at": "1795132800"}),
            json!({"completed_at": 1.5}), json!({"completed_at": true}),
            json!({"completed_at": 1_795_132_800_000_i64}),
            json!({"completed_at": -3_000_000_000_i64}), json!({"completed_at": 1e300}),
            json!({"date": "2026-11-20", "origin": 4}), json!({"date": "2026-11-20", "origin": 6}),
            json!({"date": "2026-11-20", "origin": -1}),
            json!({"date": "2026-11-20", "origin": "agent"}),
            json!({"date": "2026-11-20", "excluded": 1}),
            json!({"date": "2026-11-20", "excluded": "true"}),
            json!({"date": "x", "origin": 9, "excluded": "no"}),
        ]).await;
        assert_shown!(refusals, @r#"
        422 value_invalid (date): date: is missing: send date or completed_at
          {}  {"date":null}
        422 value_invalid (completed_at): completed_at: send either date or completed_at, not both
          {"completed_at":1795132800,"date":"2026-11-20"}
        422 value_invalid (date): date: must be a string
          {"date":20261120}
        422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
          {"date":""}  {"date":"20-11-2026"}  {"date":"2026-11-31"}  {"date":"2027-02-29"}  {"date":"2026-1-2"}  {"date":"20261120"}  {"date":"2026-11-20T00:00:00Z"}  {"date":"1899-12-31"}  {"date":"2201-01-01"}  {"date":"+002026-11-20"}  {"date":"２０２６-11-20"}
        422 value_invalid (completed_at): completed_at: must be an integer from -9007199254740991 to 9007199254740991
          {"completed_at":"1795132800"}  {"completed_at":1.5}  {"completed_at":true}  {"completed_at":1e+300}
        422 value_invalid (completed_at): completed_at: must be a Unix time in seconds, in the years 1900 to 2200
          {"completed_at":1795132800000}  {"completed_at":-3000000000}
        422 value_invalid (origin): origin: must be an integer from 0 to 3
          {"date":"2026-11-20","origin":4}  {"date":"2026-11-20","origin":6}  {"date":"2026-11-20","origin":-1}  {"date":"2026-11-20","origin":"agent"}
        422 value_invalid (excluded): excluded: must be true or false
          {"date":"2026-11-20","excluded":1}  {"date":"2026-11-20","excluded":"true"}
        422 value_invalid (date), value_invalid (origin), value_invalid (excluded): date: must be a date YYYY-MM-DD in the years 1900 to 2200; origin: must be an integer from 0 to 3; excluded: must be true or false
          {"date":"x","excluded":"no","origin":9}
        "#);
        assert_eq!(agent.get(&path(listing, "sstc")).await.status, 204);
        assert_eq!(server.event_lines().await, [] as [&str; 0]);
        assert_eq!(agent.history_lines(listing).await.len(), 1);
    }
}

sqlite_story! {
    async fn unknown_keys_do_not_exist(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for key in ["SSTC", "1", "ssct", "contracts_underway", "sstc%20", "%00", "sold", "'"] {
            let unread = agent.get(&path(listing, key)).await.failure();
            assert!(unread.starts_with("404 milestone_type_unknown: "), "{key}: {unread}");
            assert_eq!(agent.record(listing, key, "2026-11-20").await.failure(), unread, "{key}");
            assert_eq!(agent.delete(&path(listing, key)).await.failure(), unread, "{key}");
        }
        assert_eq!(
            agent.get(&path(listing, "ssct")).await.failure(),
            "404 milestone_type_unknown: milestone type `ssct` does not exist; \
             GET /api/v1/milestone_type lists all"
        );
    }
}

story! {
    async fn a_locked_listing_still_records(server) {
        // S-53 forbids links, breaks and end checks only.
        let (agent, listing) = server.agent_with_listing().await;
        agent.lock(listing, true).await;
        assert_eq!(agent.record(listing, "sstc", "2026-11-20").await.status, 200);
        agent.delete(&path(listing, "sstc")).await.assert_success();
    }
}
