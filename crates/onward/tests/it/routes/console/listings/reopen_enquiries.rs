//! `POST /listings/{listing}/reopen-enquiries`.

use crate::story;

story! {
    async fn closed_enquiries_are_opened_again(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}/reopen-enquiries", ids[0]);
        for key in ["enquiries_opened", "enquiries_closed"] {
            assert_eq!(agent.record(ids[0], key, "2026-11-20").await.status, 200);
        }
        let reopened = kim.post(&path, &[]).await;
        assert_eq!(reopened.location, format!("/listings/{}?done=reopened", ids[0]));
        kim.get(&reopened.location).await.assert_shows("Enquiries are open again.");
    }
}
