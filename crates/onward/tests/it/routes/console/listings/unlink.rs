//! `POST /listings/{listing}/unlink`.

use crate::story;

story! {
    async fn a_link_is_broken(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let path = format!("/listings/{}/unlink", ids[0]);
        let above = ids[1].to_string();
        let form = [("other", above.as_str()), ("side", "above")];
        let broken = kim.post(&path, &form).await;
        assert_eq!(broken.location, format!("/listings/{}?done=unlinked", ids[0]));
        assert_ne!(agent.chain_of(ids[0]).await, agent.chain_of(ids[1]).await);
        let page = kim.get(&format!("/listings/{}", ids[1])).await;
        page.assert_shows("it is not in a chain");
        let again = kim.post(&path, &form).await;
        assert_eq!(again.status, 409, "{}", again.text());
    }
}

story! {
    async fn a_link_of_a_split_chain_is_broken_at_the_second_word_only(server) {
        let agent = server.agent("north").await;
        // The buyer of the first sale sells two homes.
        let ids = server.import_sales("north", [1, 2, 3], &[(1, 2), (1, 3)]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&format!("/listings/{}", ids[0])).await;
        page.assert_shows("only the operator of Onward makes links of a split chain");
        page.assert_shows("I know that only the operator can make this link again");
        let path = format!("/listings/{}/unlink", ids[0]);
        let other = ids[2].to_string();
        let form = [("other", other.as_str()), ("side", "below"), ("sure", "1")];
        let refused = kim.post(&path, &form[..2]).await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        refused.assert_shows("only the operator can make this link of a split chain again.");
        assert!(refused.html.contains("<details open"), "{}", refused.html);
        assert_eq!(agent.chain_of(ids[0]).await, agent.chain_of(ids[2]).await);
        // The same link from its other side.
        let from_below = format!("/listings/{}/unlink", ids[2]);
        let upper = ids[0].to_string();
        let refused = kim.post(&from_below, &[("other", upper.as_str()), ("side", "above")]).await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert_eq!(kim.post(&path, &form).await.status, 303);
        assert_ne!(agent.chain_of(ids[0]).await, agent.chain_of(ids[2]).await);
        // The link that is left is one to one, and an agent can make it again.
        let page = kim.get(&format!("/listings/{}", ids[0])).await;
        page.assert_shows("The chain falls into two parts.");
        page.assert_hides("split chain");
        let other = ids[1].to_string();
        let form = [("other", other.as_str()), ("side", "below")];
        assert_eq!(kim.post(&path, &form).await.status, 303);
    }
}
