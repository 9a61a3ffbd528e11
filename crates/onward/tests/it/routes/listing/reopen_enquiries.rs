//! `POST /api/v1/listing/{id}/reopen-enquiries`: S-11, S-38, S-52.

use serde_json::{Value, json};

use crate::management::{NOVEMBER_20, Witness};
use crate::story;
use crate::world::{Agent, BEGINNING};

fn path(listing: i64) -> String {
    format!("/listing/{listing}/reopen-enquiries")
}

async fn milestone(agent: &Agent, listing: i64, key: &str) -> Value {
    let answer = agent
        .get(&format!("/listing/{listing}/milestone/{key}"))
        .await;
    assert_eq!(answer.status, 200, "{key}");
    answer.json()["data"]["attributes"].clone()
}

story! {
    async fn closed_is_withdrawn_and_opened_loses_its_date(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        for key in ["sstc", "enquiries_opened", "enquiries_closed"] {
            agent.record(listing, key, "2026-11-20").await;
        }
        let events = witness.events().await;
        assert_eq!(events.len(), 3);
        world.clock.advance(60);
        agent.post_nothing(&path(listing)).await.assert_success();
        let closed = agent.get(&format!("/listing/{listing}/milestone/enquiries_closed")).await;
        assert_eq!(closed.status, 204);
        let opened = milestone(&agent, listing, "enquiries_opened").await;
        assert_eq!(opened["completed_at"], Value::Null);
        assert_eq!(opened["deleted_at"], Value::Null);
        assert_eq!(opened["updated_at"], BEGINNING + 60);
        // Nothing else is touched, and nothing is told (S-38).
        assert_eq!(milestone(&agent, listing, "sstc").await["completed_at"], NOVEMBER_20);
        assert_eq!(witness.events().await, events);
        let shown = witness.property(1).await["milestones"].clone();
        assert_eq!(shown["enquiries"], json!({"started": null, "completed": null}));
        assert_eq!(shown["soldSubjectToContract"], json!({"completed": "2026-11-20"}));
        let history = agent.history_lines(listing).await;
        assert!(history.last().unwrap().starts_with("enquiries.reopened "), "{history:?}");
        assert_eq!(history.len(), 5, "{history:?}");
        // Opened again, on the same day as before: told again.
        let again = agent.record(listing, "enquiries_opened", "2026-11-20").await;
        assert_eq!(again.json()["data"]["attributes"]["completed_at"], NOVEMBER_20);
        assert_eq!(witness.events().await.len(), 4);
        assert_eq!(
            witness.property(1).await["milestones"]["enquiries"],
            json!({"started": "2026-11-20", "completed": null})
        );
    }
}

story! {
    async fn with_nothing_to_reopen_nothing_changes(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        let before = agent.history_lines(listing).await;
        world.clock.advance(60);
        agent.post_nothing(&path(listing)).await.assert_success();
        let opened = agent.get(&format!("/listing/{listing}/milestone/enquiries_opened")).await;
        assert_eq!(opened.status, 204);
        assert_eq!(agent.history_lines(listing).await, before);
        assert_eq!(agent.attributes(listing).await["updated_at"], BEGINNING);
        // Twice is once.
        agent.record(listing, "enquiries_opened", "2026-11-20").await;
        agent.post_nothing(&path(listing)).await.assert_success();
        let once = agent.history_lines(listing).await;
        agent.post_nothing(&path(listing)).await.assert_success();
        assert_eq!(agent.history_lines(listing).await, once);
    }
}

story! {
    async fn a_body_is_passed_over(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "enquiries_opened", "2026-11-20").await;
        agent.post(&path(listing), json!({"date": "x"})).await.assert_success();
        let opened = milestone(&agent, listing, "enquiries_opened").await;
        assert_eq!(opened["completed_at"], Value::Null);
    }
}

story! {
    async fn only_the_listing_s_branch_reopens(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (theirs, ours) = (south.list(1).await, north.list(2).await);
        north.link(theirs, ours).await;
        south.record(theirs, "enquiries_opened", "2026-11-20").await;
        assert_eq!(
            north.post_nothing(&path(theirs)).await.failure(),
            format!("403 not_your_branch: listing {theirs} does not belong to one of your branches")
        );
        let opened = milestone(&south, theirs, "enquiries_opened").await;
        assert_eq!(opened["completed_at"], NOVEMBER_20);
        assert_eq!(
            north.post_nothing(&path(999)).await.failure(),
            "404 listing_unknown: listing 999 does not exist"
        );
        let gone = north.list(3).await;
        north.delete(&format!("/listing/{gone}")).await.assert_success();
        assert_eq!(
            north.post_nothing(&path(gone)).await.failure(),
            format!("404 listing_unknown: listing {gone} does not exist")
        );
    }
}
