//! A link clears the two end checks that it covers, and no other (S-43).

use crate::story;
use crate::world::Agent;

/// Checks both ends of a listing's chain.
async fn close(agent: &Agent, listing: i64) {
    for end in ["top", "bottom"] {
        let path = format!("/listing/chain/{listing}/check/{end}");
        agent.post_nothing(&path).await.assert_success();
    }
}

story! {
    async fn covered_checks_go_and_outer_checks_stay(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        close(&agent, seller).await;
        close(&agent, buyer).await;
        assert_eq!(agent.link(seller, buyer).await.status, 200);
        assert_eq!(agent.checked_ends(seller).await, "top bottom");
        let lender = world.lender().await;
        assert_eq!(
            world.told(&lender, 1001).await.1,
            "IN_CHAIN 2: 1002 bottom buys 1001, 1001 top"
        );
        // What the link covered does not come back when it breaks.
        let body = serde_json::json!({"seller": seller, "buyer": buyer});
        agent.post("/chain/remove/link", body).await.assert_success();
        assert_eq!(agent.checked_ends(seller).await, "top");
        assert_eq!(agent.checked_ends(buyer).await, "bottom");
    }
}

story! {
    async fn an_unchecked_outer_end_stays_unchecked(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1).await, agent.list(2).await);
        for path in [format!("/listing/chain/{seller}/check/bottom"),
            format!("/listing/chain/{buyer}/check/top")] {
            agent.post_nothing(&path).await.assert_success();
        }
        assert_eq!(agent.link(seller, buyer).await.status, 200);
        assert_eq!(agent.checked_ends(seller).await, "");
    }
}

story! {
    async fn with_several_tops_the_other_tops_stay_checked(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        close(&agent, ids[0]).await;
        assert_eq!(agent.checked_ends(ids[0]).await, "top bottom");
        let above = agent.list(4).await;
        assert_eq!(agent.link(above, ids[1]).await.status, 200);
        // One top of two is checked: the chain's top is not.
        assert_eq!(agent.checked_ends(ids[0]).await, "bottom");
        let lender = world.lender().await;
        assert_eq!(
            world.told(&lender, 4).await.1,
            "SPLIT_CHAIN 4: 1 bottom buys 2 buys 3, 2 buys 4, 3 top, 4"
        );
    }
}
