//! `POST /listings/{listing}/details`.

use crate::story;
use crate::test_server::Browser;

story! {
    async fn details_are_changed(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/details");
        let mut form = vec![
            ("price", "£325,000"),
            ("tenure", "leasehold"),
            ("seller_conveyancer", "Hale & Partners"),
        ];
        let saved = kim.post_seen(&path, &form).await;
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
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
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
        // A form that names no state is of no present one.
        let stateless = kim.post(&path, &[("price", "425000")]).await;
        assert_eq!(stateless.status, 409, "{}", stateless.text());
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

story! {
    async fn texts_are_clean_and_older_ones_stay(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/details");
        let refused = kim.post(&path, &[("price", "1"), ("seller_conveyancer", "La\u{202e}w")]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("id=\"details-seller_conveyancer-error\""), "{}", refused.html);
        refused.assert_shows("Has the character U+202E, which texts must not have.");
        // An older program stored such a text.
        let old = "update listing set seller_conveyancer = $1, external_id = $2 where id = $3";
        let id = ids[0];
        let storing = server.storage.write(move |write| {
            write.execute(old, &["La\u{202e}w".into(), "N\u{200b}1".into(), id.into()])
        });
        storing.await.unwrap();
        let shown = kim.get(&page).await;
        assert!(shown.html.contains("value=\"LaU+202Ew\"") && shown.html.contains("value=\"NU+200B1\""));
        let form = [("price", "7"), ("seller_conveyancer", "LaU+202Ew"), ("external_id", "NU+200B1")];
        let saved = kim.post_seen(&path, &form).await;
        assert_eq!(saved.status, 303, "{}", saved.text());
        let texts = "select seller_conveyancer || '/' || external_id || '/' || price from listing where id = $1";
        let stored = server.storage.read(move |read| {
            read.query_one(texts, &[id.into()], |row| row.text(0))
        });
        assert_eq!(stored.await.unwrap().as_deref(), Some("La\u{202e}w/N\u{200b}1/7"));
    }
}
