//! `POST /chains/{chain}/shares`: makes share links.

use crate::story;

story! {
    async fn wrong_days_are_named(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        for days in ["0", "91", "-1", "x", ""] {
            let path = format!("/chains/{chain}/shares");
            let refused = kim.post(&path, &[("days", days)]).await;
            assert_eq!(refused.status, 422, "{days}");
            refused.assert_shows("Type a number of days from 1 to 90.");
        }
        let path = format!("/chains/{chain}/shares");
        let form = [("idempotency_key", "form-1"), ("days", "7")];
        let first = kim.post_as_it_is(&path, &form).await;
        // A browser that loads the page again sends the form again.
        let again = kim.post_as_it_is(&path, &form).await;
        assert_eq!((first.status, again.status), (200, 200));
        let link = |page: &str| page.split("/share/").nth(1).map(|rest| rest[..43].to_owned());
        assert!(link(&first.html).is_some());
        assert_eq!(link(&first.html), link(&again.html));
        // The same form with another number of days is not the same form.
        let longer = [("idempotency_key", "form-1"), ("days", "8")];
        let refused = kim.post_as_it_is(&path, &longer).await;
        assert_eq!(refused.status, 409);
        refused.assert_shows("This form made a link with another number of days.");
        let page = format!("/chains/{chain}");
        assert_eq!(kim.get(&page).await.html.matches("/revoke").count(), 1);
        kim.post("/shares/1/revoke", &[("chain", &chain)]).await;
        let ended = kim.post_as_it_is(&path, &form).await;
        assert_eq!(ended.status, 409);
        ended.assert_shows("Load the page again");
        let mut lee = server.sign_in_as("lender", &[]).await;
        let refused = lee.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        assert_eq!(refused.status, 404);
    }
}

story! {
    async fn a_form_whose_link_has_ended_is_refused(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/chains/{}/shares", agent.chain_of(ids[0]).await);
        let form = [("idempotency_key", "form-1"), ("days", "1")];
        for seconds in [0, 28_800, 28_800, 28_799] {
            server.clock.advance(seconds);
            assert_eq!(kim.post_as_it_is(&path, &form).await.status, 200);
        }
        server.clock.advance(1);
        let ended = kim.post_as_it_is(&path, &form).await;
        assert_eq!(ended.status, 409);
        ended.assert_shows("This form made a link that has ended.");
        assert!(!ended.html.contains("/share/"));
    }
}
