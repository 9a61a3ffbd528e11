//! `/listings/{listing}`: the page of a sale, and who may use its forms.

mod details;
mod ends;
mod links;
mod milestones;
mod new;
mod notes;
mod reopen_enquiries;
mod unlink;
mod withdraw;

use crate::story;

story! {
    async fn other_branches_sales_stay_closed(server) {
        server.agent("north").await;
        server.agent("south").await;
        let ids = server.import_sales("south", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        let path = format!("/listings/{}", ids[0]);
        assert_eq!(kim.get(&path).await.status, 403);
        assert_eq!(lee.get(&path).await.status, 403);
        let date = [("date", "2026-11-20"), ("action", "record")];
        for form in ["milestones/sstc", "details", "links", "unlink", "ends", "notes", "withdraw",
            "reopen-enquiries"]
        {
            let path = format!("{path}/{form}");
            let refused = kim.post(&path, &date).await;
            assert_eq!(refused.status, 403, "{form} {}", refused.location);
            assert_eq!(lee.post(&path, &date).await.status, 403, "{form}");
        }
        assert_eq!(kim.get("/listings/999").await.status, 404);
    }
}

story! {
    async fn the_page_shows_the_number_and_the_history_of_the_sale(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        assert_eq!(agent.record(ids[0], "contract_sent", "2026-11-20").await.status, 200);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&format!("/listings/{}", ids[0])).await;
        page.assert_shows(&format!("Sale {}, UPRN", ids[0]));
        page.assert_shows("History 1 Row : Contract Sent, 20 Nov north");
    }
}
