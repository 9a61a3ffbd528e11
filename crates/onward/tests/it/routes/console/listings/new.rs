//! `/listings/new` and `POST /listings`.

use crate::story;

story! {
    async fn a_sale_is_added(server) {
        server.agent("north").await;
        server.agent("south").await;
        let branch = server.branch_id("north").await.to_string();
        let foreign = server.branch_id("south").await.to_string();
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        kim.get("/listings/new").await.assert_shows("Add a sale");
        let mut form = vec![
            ("branch_id", branch.as_str()),
            ("line1", "9 New Street"),
            ("post_town", "Leeds"),
            ("postcode", "LS1 4AP"),
            ("price", "250,000"),
        ];
        let added = kim.post("/listings", &form).await;
        assert_eq!(added.status, 303, "{}", added.text());
        kim.get(&added.location).await.assert_shows("9 New Street");
        form[3] = ("postcode", "");
        let refused = kim.post("/listings", &form).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("id=\"new-postcode\""));
        assert!(refused.html.contains("value=\"9 New Street\""));
        form[3] = ("postcode", "LS1 4AP");
        form[0] = ("branch_id", &foreign);
        assert_eq!(kim.post("/listings", &form).await.status, 403);
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.post("/listings", &form).await.status, 403);
        assert_eq!(lee.get("/listings/new").await.status, 403);
    }
}
