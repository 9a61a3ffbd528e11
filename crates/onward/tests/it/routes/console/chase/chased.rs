//! `/chase/{listing}/chased`: somebody chased a sale.

use super::{import_late_sales, open_foreign_sale};
use crate::story;

story! {
    async fn a_call_is_noted_with_time_and_name(server) {
        server.agent("north").await;
        let [one, _two] = import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/chase/{one}/chased");
        for _twice in 0..2 {
            let noted = kim.post(&path, &[]).await;
            assert_eq!((noted.status, noted.location.as_str()), (303, "/chase?done=chased"));
        }
        let page = kim.get("/chase?done=chased").await;
        page.assert_shows("It is noted that you chased this sale.");
        page.assert_shows("Chased at 10:00 on 21 Nov 2026 by progressor.");
        page.assert_shows("2 Row");
        // The form leads back to the filter, and to no other place.
        let back = kim.post(&path, &[("filter", "?group=conveyancer&branch=7")]).await;
        assert_eq!(back.location, "/chase?branch=7&group=conveyancer&done=chased");
        for odd in ["//evil.example", "?branch=x\r\nset-cookie: a", "?%ff", "/../chains"] {
            let back = kim.post(&path, &[("filter", odd)]).await;
            assert_eq!(back.location, "/chase?done=chased", "{odd:?}");
        }
    }
}

story! {
    async fn a_call_ends_the_snoozing(server) {
        server.agent("north").await;
        let [one, _two] = import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let form = [("until", "2026-12-01"), ("reason", "On holiday")];
        kim.post(&format!("/chase/{one}/snooze"), &form).await;
        kim.get("/chase").await.assert_hides("1 Row");
        kim.post(&format!("/chase/{one}/chased"), &[]).await;
        let page = kim.get("/chase").await;
        page.assert_shows("1 Row");
        page.assert_hides("On holiday");
    }
}

story! {
    async fn other_branches_sales_stay_closed(server) {
        let (sale, mut kim, mut lee) = open_foreign_sale(&server).await;
        let path = format!("/chase/{sale}/chased");
        assert_eq!(kim.post(&path, &[]).await.status, 403);
        assert_eq!(lee.post(&path, &[]).await.status, 403);
        for unknown in ["999999", "x", "-1", "99999999999999999999"] {
            let path = format!("/chase/{unknown}/chased");
            assert_eq!(kim.post(&path, &[]).await.status, 404, "{unknown}");
        }
    }
}
