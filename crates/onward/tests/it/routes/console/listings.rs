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
