//! `POST /listings/{listing}/details`.

use crate::story;
use crate::test_server::Browser;

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

story! {
    async fn a_colleagues_details_are_not_overwritten_unseen(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let mut sam = server.sign_in_as("progressor", &["north"]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/details");
        let seen = kim.get(&page).await.seen(&path);
        let form = |price, conveyancer, seen: &str| {
            [("price", price), ("buyer_conveyancer", conveyancer), ("seen", seen)]
                .map(|(name, value): (&str, &str)| (name, value.to_owned()))
        };
        let post = async |browser: &mut Browser, form: [(&str, String); 3]| {
            let form = [0, 1, 2].map(|at| (form[at].0, form[at].1.as_str()));
            browser.post(&path, &form).await
        };
        assert_eq!(post(&mut sam, form("410000", "Rook", &seen)).await.status, 303);
        let refused = post(&mut kim, form("425000", "", &seen)).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        refused.assert_shows("The price is now “410000”, because somebody else saved");
        refused.assert_shows("You chose “425000”.");
        refused.assert_shows("The buyer’s conveyancer is now “Rook”");
        refused.assert_shows("Keep what is saved now");
        assert!(refused.html.contains("value=\"425000\""), "{}", refused.html);
        assert!(kim.get(&page).await.html.contains("value=\"410000\""));
        let again = post(&mut kim, form("425000", "Rook", &refused.seen(&path))).await;
        assert_eq!(again.status, 303, "{}", again.text());
        assert!(sam.get(&page).await.html.contains("value=\"425000\""));
    }
}
