//! `/`: where the day begins.

use crate::story;

story! {
    async fn each_role_begins_at_its_own_page(server) {
        server.agent("north").await;
        for (role, branches, home) in [
            ("progressor", &["north"][..], "/chase"),
            ("lender", &[], "/search"),
            ("conveyancer", &[], "/search"),
            ("integrator", &[], "/account"),
            ("operator", &[], "/account"),
        ] {
            let mut browser = server.sign_in_as(role, branches).await;
            assert_eq!(browser.get("/").await.location, home, "{role}");
            assert_eq!(browser.get(home).await.status, 200, "{role}");
        }
    }
}
