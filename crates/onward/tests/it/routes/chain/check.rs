//! `POST /api/v1/chain/{chain_link_id}/check`: S-43, S-44. Rules that it shares with `uncheck` are
//! tested in `routes/chain.rs`.

use super::{count_actions, mark_end};
use crate::story;

story! {
    async fn all_of_several_ends_are_checked(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        // Sale 1 pays for 2 and 3.
        let ids = server.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        mark_end(&agent, &chain, "check", "Checked", true).await.assert_success();
        assert_eq!(agent.checked_ends(ids[0]).await, "top");
        // A lock at one of several ends forbids all of them, even if nothing is to change.
        agent.lock(ids[2], true).await;
        let refused = mark_end(&agent, &chain, "check", "Checked", true).await;
        assert_eq!(refused.code(), "409 listing_locked");
        let shown = "SPLIT_CHAIN 3: 1 buys 2 buys 3, 2 top, 3 top";
        assert_eq!(lender.describe_chain(1).await.1, shown);
        // Sales 5 and 6 pay for 7, and 5 is checked already.
        server.import_sales("north", [5, 6, 7], &[]).await;
        let check = r#"{"type":"end_check","branch":"north","listing":"5","end":"bottom"}"#;
        server.import(check).await;
        let more = server.import_sales("north", [5, 6, 7], &[(7, 5), (7, 6)]).await;
        assert_eq!(agent.checked_ends(more[2]).await, "");
        assert_eq!(lender.describe_chain(7).await.1, "SPLIT_CHAIN 3: 5 bottom buys 7, 6 buys 7, 7");
        let chain = agent.chain_of(more[2]).await;
        mark_end(&agent, &chain, "check", "Checked", false).await.assert_success();
        assert_eq!(agent.checked_ends(more[2]).await, "bottom");
        let shown = "SPLIT_CHAIN 3: 5 bottom buys 7, 6 bottom buys 7, 7";
        assert_eq!(lender.describe_chain(7).await.1, shown);
        for (listing, checks) in ids.into_iter().chain(more).zip([0, 1, 1, 0, 1, 0]) {
            assert_eq!(count_actions(&agent, listing, "end.checked").await, checks, "{listing}");
        }
    }
}
