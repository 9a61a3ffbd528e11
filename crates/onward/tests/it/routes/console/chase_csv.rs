//! `/chase.csv`: the sales to chase as a call sheet.

use super::chase::import_late_sales;
use crate::story;

story! {
    async fn the_call_sheet_has_the_rows_of_the_page(server) {
        server.agent("north").await;
        let [one, two] = import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let form = [("until", "2026-11-30"), ("reason", "=Away, for now")];
        kim.post(&format!("/chase/{two}/snooze"), &form).await;
        kim.post(&format!("/chase/{one}/chased"), &[]).await;
        let file = kim.get("/chase.csv?snoozed=1").await;
        assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
        let sheet = file.html.replace('\r', "");
        let sheet = sheet.replace(&format!("\n{one},"), "\nONE,").replace(&format!("\n{two},"), "\nTWO,");
        assert_shown!(sheet, @r#"
        listing,home,place,chain_length,holds_chain,late,why,ring,part,then_ring,other_late,chased,snoozed_until,snooze_reason
        ONE,1 Row,Leeds LS1 4AP,1,no,nothing new is recorded,"The latest milestone is of 19 Oct, 24 working days ago.",Quill & Co,seller’s conveyancer,"'=Rook 1",1,2026-11-21,,
        TWO,2 Row,Leeds LS1 4AP,1,no,nothing new is recorded,"The latest milestone is of 2 Nov, 14 working days ago.",Quill & Co,seller’s conveyancer,"'=Rook 2",1,,2026-11-30,"'=Away, for now"
        "#);
        let short = kim.get("/chase.csv").await.html;
        assert_eq!(short.lines().count(), 2, "{short}");
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get("/chase.csv").await.status, 403);
    }
}
