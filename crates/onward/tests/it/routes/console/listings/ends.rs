//! `POST /listings/{listing}/ends`.

use crate::story;

story! {
    async fn ends_are_confirmed_and_opened_again(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let path = format!("/listings/{}/ends", ids[1]);
        let check = [("end", "top"), ("action", "check"), ("from", "chain")];
        let checked = kim.post(&path, &check).await;
        assert_eq!(checked.location, format!("/chains/{chain}?done=checked"));
        kim.get(&checked.location).await.assert_shows("Top closed");
        let unreasoned = [("end", "top"), ("action", "uncheck"), ("reason", "No")];
        assert_eq!(kim.post(&path, &unreasoned).await.status, 422);
        let uncheck = [("end", "top"), ("action", "uncheck"), ("reason", "Not EOC")];
        assert_eq!(kim.post(&path, &uncheck).await.status, 303);
        kim.get(&format!("/chains/{chain}")).await.assert_shows("Top not confirmed");
    }
}

story! {
    async fn a_form_of_an_old_page_does_what_it_says(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = format!("/chains/{}", agent.chain_of(ids[0]).await);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        // All forms of a page have one key.
        for (listing, end, action, shown) in [
            (ids[1], "top", "check", "Top closed"),
            (ids[0], "bottom", "check", "Bottom closed"),
            (ids[1], "top", "uncheck", "Top not confirmed"),
            (ids[1], "top", "check", "Top closed"),
        ] {
            let form = [
                ("idempotency_key", "page-1"),
                ("end", end),
                ("action", action),
                ("reason", "Not EOC"),
            ];
            let done = kim.post_as_it_is(&format!("/listings/{listing}/ends"), &form).await;
            assert_eq!(done.status, 303, "{end} {action}");
            kim.get(&chain).await.assert_shows(shown);
        }
    }
}
