//! `GET /api/v1/listing/{id}/is-complete`: both ends of its chain are checked (S-43, S-52).

use serde_json::json;

use crate::management::import_split_chain;
use crate::story;
use crate::world::Agent;

/// The answer's `result`.
async fn is_complete(agent: &Agent, listing: i64) -> bool {
    let answer = agent.get(&format!("/listing/{listing}/is-complete")).await;
    let body = answer.json();
    let result = body["data"]["result"].clone();
    let expected = json!({"message": "success", "success": true, "data": {"result": result},
        "errors": []});
    assert_eq!((answer.status, body), (200, expected));
    result.as_bool().unwrap()
}

async fn shortcut(agent: &Agent, listing: i64, action: &str) {
    let path = format!("/listing/chain/{listing}/{action}");
    agent.post_nothing(&path).await.assert_success();
}

story! {
    async fn both_ends_have_to_be_checked(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for (action, expected) in [
            ("uncheck/top", false),
            ("check/top", false),
            ("check/bottom", true),
            ("uncheck/top", false),
            ("check/top", true),
            ("uncheck/bottom", false),
        ] {
            shortcut(&agent, listing, action).await;
            assert_eq!(is_complete(&agent, listing).await, expected, "{action}");
        }
    }
}

story! {
    async fn it_is_the_chain_s_ends_that_count(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (bottom, middle, top) = (north.list(1).await, north.list(2).await, south.list(3).await);
        north.link(middle, bottom).await;
        north.link(top, middle).await;
        shortcut(&north, bottom, "check/top").await;
        shortcut(&south, top, "check/bottom").await;
        // Each of the three says the same.
        assert!(is_complete(&north, bottom).await);
        assert!(is_complete(&north, middle).await);
        assert!(is_complete(&south, top).await);
        // A further listing below clears the check that it covers (S-43).
        let further = north.list(4).await;
        north.link(bottom, further).await;
        assert!(!is_complete(&south, top).await);
        shortcut(&north, further, "check/bottom").await;
        assert!(is_complete(&south, top).await);
        // A break leaves the new ends unchecked, on both sides.
        let link = json!({"seller": bottom, "buyer": further});
        north.post("/chain/remove/link", link).await.assert_success();
        assert!(!is_complete(&north, further).await);
        assert!(!is_complete(&south, top).await);
    }
}

story! {
    async fn of_several_tops_each_has_to_be_checked(world) {
        let agent = world.agent("north").await;
        import_split_chain(&world).await;
        let check = |listing: u8, end: &str| format!(
            "{{\"type\":\"end_check\",\"branch\":\"north\",\"listing\":\"{listing}\",\
             \"end\":\"{end}\"}}\n"
        );
        world.import(&(check(1, "bottom") + &check(2, "top"))).await;
        let listing = agent.get("/listing?external_id=3").await.json()["data"][0]["id"].clone();
        let listing = listing.as_i64().unwrap();
        assert!(!is_complete(&agent, listing).await);
        world.import(&check(3, "top")).await;
        assert!(is_complete(&agent, listing).await);
    }
}

story! {
    async fn refused_like_the_listing_itself(world) {
        let north = world.agent("north").await;
        let theirs = world.agent("south").await.list(1).await;
        let ours = north.list(2).await;
        north.link(theirs, ours).await;
        assert_eq!(
            north.get(&format!("/listing/{theirs}/is-complete")).await.failure(),
            format!("403 not_your_branch: listing {theirs} does not belong to one of your branches")
        );
        assert_eq!(
            north.get("/listing/999/is-complete").await.failure(),
            "404 listing_unknown: listing 999 does not exist"
        );
        let gone = north.list(3).await;
        north.delete(&format!("/listing/{gone}")).await.assert_success();
        assert_eq!(
            north.get(&format!("/listing/{gone}/is-complete")).await.failure(),
            format!("404 listing_unknown: listing {gone} does not exist")
        );
    }
}
