//! `POST /listings/{listing}/ends`.

use crate::story;
use crate::test_server::{Browser, Page};

story! {
    async fn ends_are_confirmed_and_opened_again(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let path = format!("/listings/{}/ends", ids[1]);
        let seen = kim.get(&format!("/chains/{chain}")).await.end_seen("top");
        let seen = ("seen", seen.as_str());
        let check = [("end", "top"), ("action", "check"), ("from", "chain"), seen];
        let checked = kim.post(&path, &check).await;
        assert_eq!(checked.location, format!("/chains/{chain}?done=checked"));
        kim.get(&checked.location).await.assert_shows("Top closed");
        let unreasoned = [("end", "top"), ("action", "uncheck"), ("reason", "No"), seen];
        assert_eq!(kim.post(&path, &unreasoned).await.status, 422);
        let uncheck = [("end", "top"), ("action", "uncheck"), ("reason", "Not EOC"), seen];
        assert_eq!(kim.post(&path, &uncheck).await.status, 303);
        kim.get(&format!("/chains/{chain}")).await.assert_shows("Top not confirmed");
    }
}

story! {
    async fn a_form_of_an_old_page_does_what_it_says(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = format!("/chains/{}", agent.chain_of(ids[0]).await);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&chain).await;
        let (top, bottom) = (page.end_seen("top"), page.end_seen("bottom"));
        let (top, bottom) = (top.as_str(), bottom.as_str());
        // All forms of a page have one key.
        for (listing, end, seen, action, shown) in [
            (ids[1], "top", top, "check", "Top closed"),
            (ids[0], "bottom", bottom, "check", "Bottom closed"),
            (ids[1], "top", top, "uncheck", "Top not confirmed"),
            (ids[1], "top", top, "check", "Top closed"),
        ] {
            let form = [
                ("idempotency_key", "page-1"),
                ("end", end),
                ("seen", seen),
                ("action", action),
                ("reason", "Not EOC"),
            ];
            let done = kim.post_as_it_is(&format!("/listings/{listing}/ends"), &form).await;
            assert_eq!(done.status, 303, "{end} {action}");
            kim.get(&chain).await.assert_shows(shown);
        }
    }
}

story! {
    async fn a_form_of_another_home_is_refused(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2, 3], &[]).await;
        let sale = format!("/listings/{}", ids[0]);
        let chain = format!("/chains/{}", agent.chain_of(ids[0]).await);
        let of_sale = kim.get(&sale).await.end_seen("top");
        let of_chain = kim.get(&chain).await.end_seen("top");
        // The sale turns out to be of another home.
        server.import(r#"{"type":"listing","branch":"north","listing":"1","uprn":3}"#).await;
        let sent = [(of_sale.as_str(), "listing"), (of_chain.as_str(), "chain"), ("", "listing"), ("", "chain")];
        for (seen, from) in sent {
            let refused = confirm_top(&mut kim, ids[0], seen, from).await;
            assert_refused(&refused, from, "end-top");
            refused.assert_shows("Top not confirmed");
        }
        let unnamed = [("end", "top"), ("action", "check")];
        assert_eq!(kim.post(&format!("{sale}/ends"), &unnamed).await.status, 409);
        // The home is put right, and then the sale is no longer the top.
        server.import(r#"{"type":"listing","branch":"north","listing":"1","uprn":1}"#).await;
        let seen = kim.get(&sale).await.end_seen("top");
        agent.link(ids[1], ids[0]).await;
        assert_refused(&confirm_top(&mut kim, ids[0], &seen, "listing").await, "listing", "main");
        let refused = confirm_top(&mut kim, ids[0], &seen, "chain").await;
        assert_refused(&refused, "chain", "end-top");
        // The page as it is now has a form that confirms the end. The same form again does the same as once.
        let seen = refused.end_seen("top");
        for _ in 0..2 {
            let confirmed = confirm_top(&mut kim, ids[0], &seen, "chain").await;
            assert_eq!(confirmed.status, 303);
            kim.get(&confirmed.location).await.assert_shows("Top closed");
        }
    }
}

async fn confirm_top(kim: &mut Browser, listing: i64, seen: &str, from: &str) -> Page {
    let form = [
        ("end", "top"),
        ("action", "check"),
        ("seen", seen),
        ("from", from),
    ];
    kim.post(&format!("/listings/{listing}/ends"), &form).await
}

/// The page that sent the form shows the refusal, and leads to this place.
fn assert_refused(page: &Page, from: &str, place: &str) {
    assert_eq!(page.status, 409);
    page.assert_shows("Somebody else changed this since you opened the page");
    assert_eq!(page.html.contains("class=\"ladder\""), from == "chain");
    assert!(page.html.contains(&format!("<li><a href=\"#{place}\"")));
    assert!(page.html.contains(&format!("id=\"{place}\"")));
}
