//! `POST /listings/{listing}/details`.

use crate::story;

story! {
    async fn details_are_changed(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/details");
        let mut form = vec![
            ("price", "£325,000"),
            ("tenure", "leasehold"),
            ("seller_conveyancer", "Hale & Partners"),
        ];
        let saved = kim.post(&path, &form).await;
        assert_eq!(saved.location, format!("{page}?done=saved"), "{}", saved.text());
        let shown = kim.get(&page).await;
        assert!(shown.html.contains("value=\"325000\""), "{}", shown.html);
        assert!(shown.html.contains("Hale &#38; Partners"));
        form[0] = ("price", "a lot");
        let refused = kim.post(&path, &form).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("value=\"a lot\""));
    }
}
