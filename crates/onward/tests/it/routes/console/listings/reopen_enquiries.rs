//! `POST /listings/{listing}/reopen-enquiries`.

use crate::story;

story! {
    async fn closed_enquiries_are_opened_again(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}/reopen-enquiries", ids[0]);
        for key in ["enquiries_opened", "enquiries_closed"] {
            assert_eq!(agent.record(ids[0], key, "2026-11-20").await.status, 200);
        }
        let reopened = kim.post_seen(&path, &[]).await;
        assert_eq!(reopened.location, format!("/listings/{}?done=reopened", ids[0]));
        kim.get(&reopened.location).await.assert_shows("Enquiries are open again.");
    }
}

story! {
    async fn enquiries_that_a_colleague_closed_are_not_opened_unseen(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/reopen-enquiries");
        agent.record(ids[0], "enquiries_opened", "2026-11-18").await;
        let seen = kim.get(&page).await.seen(&path);
        agent.record(ids[0], "enquiries_closed", "2026-11-20").await;
        // Neither does a form that names no state.
        let refused = kim.post(&path, &[]).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        let refused = kim.post(&path, &[("seen", &seen)]).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        refused.assert_shows("Somebody else changed this since you opened the page; nothing was changed.");
        refused.assert_shows("20 Nov 2026");
        assert_eq!(kim.post(&path, &[("seen", &refused.seen(&path))]).await.status, 303);
    }
}
