//! What is not recorded, and for whom (S-40, S-47).

use serde_json::json;

use super::path;
use crate::management::Witness;
use crate::story;

story! {
    async fn wrong_values_are_named(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        let mut shown = String::new();
        for body in [
            json!({}),
            json!({"date": null}),
            json!({"date": "2026-11-20", "completed_at": 1_795_132_800}),
            json!({"date": 20_261_120}),
            json!({"date": ""}),
            json!({"date": "20-11-2026"}),
            json!({"date": "2026-11-31"}),
            json!({"date": "2027-02-29"}),
            json!({"date": "2026-1-2"}),
            json!({"date": "20261120"}),
            json!({"date": "2026-11-20T00:00:00Z"}),
            json!({"date": "1899-12-31"}),
            json!({"date": "2201-01-01"}),
            json!({"date": "+002026-11-20"}),
            json!({"date": "２０２６-11-20"}),
            json!({"completed_at": "1795132800"}),
            json!({"completed_at": 1.5}),
            json!({"completed_at": true}),
            json!({"completed_at": 1_795_132_800_000_i64}),
            json!({"completed_at": -3_000_000_000_i64}),
            json!({"completed_at": 1e300}),
            json!({"date": "2026-11-20", "origin": 7}),
            json!({"date": "2026-11-20", "origin": -1}),
            json!({"date": "2026-11-20", "origin": "agent"}),
            json!({"date": "2026-11-20", "excluded": 1}),
            json!({"date": "2026-11-20", "excluded": "true"}),
            json!({"date": "x", "origin": 9, "excluded": "no"}),
        ] {
            let answer = agent.put(&path(listing, "sstc"), body.clone()).await;
            shown += &[&body.to_string(), "\n  ", &answer.failure(), "\n"].concat();
        }
        assert_eq!(agent.get(&path(listing, "sstc")).await.status, 204);
        assert_eq!(witness.events().await, [] as [&str; 0]);
        assert_eq!(agent.history_lines(listing).await.len(), 1);
        assert_shown!(shown, @r#"
        {}
          422 value_invalid (date): date: is missing: send date or completed_at
        {"date":null}
          422 value_invalid (date): date: is missing: send date or completed_at
        {"completed_at":1795132800,"date":"2026-11-20"}
          422 value_invalid (completed_at): completed_at: send either date or completed_at, not both
        {"date":20261120}
          422 value_invalid (date): date: must be a string
        {"date":""}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"20-11-2026"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"2026-11-31"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"2027-02-29"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"2026-1-2"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"20261120"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"2026-11-20T00:00:00Z"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"1899-12-31"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"2201-01-01"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"+002026-11-20"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"date":"２０２６-11-20"}
          422 value_invalid (date): date: must be a date YYYY-MM-DD in the years 1900 to 2200
        {"completed_at":"1795132800"}
          422 value_invalid (completed_at): completed_at: must be an integer from -9007199254740991 to 9007199254740991
        {"completed_at":1.5}
          422 value_invalid (completed_at): completed_at: must be an integer from -9007199254740991 to 9007199254740991
        {"completed_at":true}
          422 value_invalid (completed_at): completed_at: must be an integer from -9007199254740991 to 9007199254740991
        {"completed_at":1795132800000}
          422 value_invalid (completed_at): completed_at: must be a Unix time in seconds, in the years 1900 to 2200
        {"completed_at":-3000000000}
          422 value_invalid (completed_at): completed_at: must be a Unix time in seconds, in the years 1900 to 2200
        {"completed_at":1e+300}
          422 value_invalid (completed_at): completed_at: must be an integer from -9007199254740991 to 9007199254740991
        {"date":"2026-11-20","origin":7}
          422 value_invalid (origin): origin: must be an integer from 0 to 6
        {"date":"2026-11-20","origin":-1}
          422 value_invalid (origin): origin: must be an integer from 0 to 6
        {"date":"2026-11-20","origin":"agent"}
          422 value_invalid (origin): origin: must be an integer from 0 to 6
        {"date":"2026-11-20","excluded":1}
          422 value_invalid (excluded): excluded: must be true or false
        {"date":"2026-11-20","excluded":"true"}
          422 value_invalid (excluded): excluded: must be true or false
        {"date":"x","excluded":"no","origin":9}
          422 value_invalid (date), value_invalid (origin), value_invalid (excluded): date: must be a date YYYY-MM-DD in the years 1900 to 2200; origin: must be an integer from 0 to 6; excluded: must be true or false
        "#);
    }
}

story! {
    async fn the_first_and_the_last_day_are_fine(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for date in ["1900-01-01", "2200-12-31", "2028-02-29"] {
            assert_eq!(agent.record(listing, "sstc", date).await.status, 200, "{date}");
        }
        let body = json!({"date": "2026-11-20", "origin": null, "excluded": null});
        let answer = agent.put(&path(listing, "exchange"), body).await;
        assert!([200, 422].contains(&answer.status), "{}", answer.json());
    }
}

story! {
    async fn unknown_keys_do_not_exist(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
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
    async fn only_the_listing_s_branch_records(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let theirs = south.list(1).await;
        let ours = north.list(2).await;
        north.link(theirs, ours).await;
        south.record(theirs, "sstc", "2026-11-20").await;
        let refused = format!(
            "403 not_your_branch: listing {theirs} does not belong to one of your branches"
        );
        // A chain in common changes nothing.
        assert_eq!(north.get(&path(theirs, "sstc")).await.failure(), refused);
        assert_eq!(north.get(&path(theirs, "exchange")).await.failure(), refused);
        assert_eq!(north.record(theirs, "sstc", "2026-11-19").await.failure(), refused);
        assert_eq!(north.delete(&path(theirs, "sstc")).await.failure(), refused);
        let unknown = "404 listing_unknown: listing 999 does not exist";
        assert_eq!(north.get(&path(999, "sstc")).await.failure(), unknown);
        assert_eq!(north.record(999, "sstc", "2026-11-19").await.failure(), unknown);
        assert_eq!(north.delete(&path(999, "sstc")).await.failure(), unknown);
        assert_eq!(south.history_lines(theirs).await.len(), 3);
    }
}

story! {
    async fn a_withdrawn_listing_has_no_milestones(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        agent.delete(&format!("/listing/{listing}")).await.assert_success();
        let unknown = format!("404 listing_unknown: listing {listing} does not exist");
        assert_eq!(agent.get(&path(listing, "sstc")).await.failure(), unknown);
        assert_eq!(agent.record(listing, "sstc", "2026-11-19").await.failure(), unknown);
        assert_eq!(agent.delete(&path(listing, "sstc")).await.failure(), unknown);
    }
}

story! {
    async fn a_locked_listing_still_records(world) {
        // S-53 forbids links, breaks and end checks only.
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.patch(&format!("/listing/{listing}"), json!({"is_locked": true})).await;
        assert_eq!(agent.record(listing, "sstc", "2026-11-20").await.status, 200);
        agent.delete(&path(listing, "sstc")).await.assert_success();
    }
}
