//! `POST /api/v1/chain/{chain_link_id}/uncheck`: S-43, S-44. Rules that it shares with `check` are
//! tested in `routes/chain.rs`.

use super::{count_actions, mark_end};
use crate::story;

story! {
    async fn all_of_several_ends_are_unchecked(server) {
        let agent = server.agent("north").await;
        // Sale 1 pays for 2 and 3; nobody checked 4, which lies above 3.
        let ids = server.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        let chain = agent.close_chain(ids[0]).await;
        let above = agent.list(4).await;
        agent.link(above, ids[2]).await;
        let lender = server.lender().await;
        let shown = async || lender.describe_chain(1).await.1;
        assert_eq!(shown().await, "SPLIT_CHAIN 4: 1 bottom buys 2 buys 3, 2 top, 3 buys 4, 4");
        // The chain's top is not checked, but one of its top listings is.
        assert_eq!(agent.checked_ends(ids[0]).await, "bottom");
        mark_end(&agent, &chain, "uncheck", "Not EOC", true).await.assert_success();
        assert_eq!(shown().await, "SPLIT_CHAIN 4: 1 bottom buys 2 buys 3, 2, 3 buys 4, 4");
        assert_eq!(count_actions(&agent, ids[1], "end.unchecked").await, 1);
        assert_eq!(count_actions(&agent, above, "end.unchecked").await, 0);
    }
}
