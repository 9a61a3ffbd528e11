//! `/share/{token}`: the chain that somebody shared.

use crate::story;

story! {
    async fn a_link_shows_one_chain_until_it_ends(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let shares = format!("/chains/{chain}/shares");
        let made = kim.post(&shares, &[("days", "7")]).await;
        assert_eq!(made.status, 200);
        assert!(made.headers.get("content-encoding").is_none());
        let token = made.html.split("/share/").nth(1).unwrap();
        let token = token.split(['"', '<', ' ']).next().unwrap().to_owned();
        let mut holder = server.browser();
        let page = holder.get(&format!("/share/{token}")).await;
        page.assert_shows("Chain of 2: 1 Row to 2 Row");
        page.assert_hides("Your branch");
        // A stream needs a session.
        assert!(!page.html.contains("data-stream"));
        page.assert_hides("History");
        let signed = holder.get(&format!("/share/{token}.json")).await;
        assert!(signed.html.starts_with("{\"data\""), "{}", signed.html);
        for (kind, part) in [("csv", "\"1 Row, Leeds, LS1 4AP\""), ("ics", "BEGIN:VCALENDAR")] {
            let file = holder.get(&format!("/share/{token}.{kind}")).await;
            assert!(file.html.contains(part), "{}", file.html);
        }
        assert_eq!(holder.get(&format!("/share/{token}.pdf")).await.status, 404);
        assert_eq!(holder.get(&format!("/chains/{chain}")).await.status, 303);
        let head = holder.request(reqwest::Method::HEAD, &format!("/share/{token}"));
        assert_eq!(holder.send(head).await.status, 200);
        // The page, three files and a head. There is no PDF file.
        kim.get(&format!("/chains/{chain}")).await.assert_shows("opened 5 times");

        // Somebody of another branch cannot end it.
        server.agent("south").await;
        let mut stranger = server.sign_in_as("progressor", &["south"]).await;
        let foreign = stranger.post("/shares/1/revoke", &[("chain", &chain)]).await;
        assert_eq!(foreign.status, 404);
        assert_eq!(holder.get(&format!("/share/{token}")).await.status, 200);
        kim.post("/shares/1/revoke", &[("chain", &chain)]).await;
        assert_eq!(holder.get(&format!("/share/{token}")).await.status, 404);

        let made = kim.post(&shares, &[("days", "7")]).await;
        let token = made.html.split("/share/").nth(1).unwrap();
        let token = token.split(['"', '<', ' ']).next().unwrap().to_owned();
        server.clock.advance(7 * 86_400);
        assert_eq!(holder.get(&format!("/share/{token}")).await.status, 404);
        assert_eq!(holder.get("/share/guess").await.status, 404);
    }
}

story! {
    async fn each_link_has_a_limit_of_its_own(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let shares = format!("/chains/{}/shares", agent.chain_of(ids[0]).await);
        let mut links = Vec::new();
        for _link in 0..2 {
            let made = kim.post(&shares, &[("days", "7")]).await;
            let token = made.html.split("/share/").nth(1).unwrap();
            links.push(format!("/share/{}", token.split(['"', '<', ' ']).next().unwrap()));
        }
        server = server.limited_to(3).await;
        let mut holder = server.browser();
        for status in [200, 200, 200, 429] {
            assert_eq!(holder.get(&links[0]).await.status, status);
        }
        assert_eq!(holder.get(&links[1]).await.status, 200);
    }
}

story! {
    async fn document_1_does_not_say_who_confirmed_an_end(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let seen = kim.get(&format!("/chains/{chain}")).await.end_seen("top");
        let check = [("end", "top"), ("action", "check"), ("from", "chain"), ("seen", seen.as_str())];
        kim.post(&format!("/listings/{}/ends", ids[0]), &check).await;
        let own = kim.get(&format!("/chains/{chain}")).await;
        own.assert_shows("Top closed : confirmed on 21 Nov by");
        let made = kim.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        let token = made.html.split("/share/").nth(1).unwrap();
        let token = token.split(['"', '<', ' ']).next().unwrap();
        let mut holder = server.browser();
        let mut lee = server.sign_in_as("lender", &[]).await;
        let mut sam = server.sign_in_as("conveyancer", &[]).await;
        let asked = format!("/chains/{chain}?uprn=1");
        for page in [
            holder.get(&format!("/share/{token}")).await,
            lee.get(&asked).await,
            sam.get(&asked).await,
        ] {
            page.assert_shows("Top closed");
            page.assert_hides("confirmed on");
            page.assert_hides("21 Nov by");
        }
    }
}
