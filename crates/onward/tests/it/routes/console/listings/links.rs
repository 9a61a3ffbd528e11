//! `POST /listings/{listing}/links`.

use serde_json::json;

use crate::story;

story! {
    async fn sales_are_linked(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let ids = server.import_sales("north", [1, 2], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}/links", ids[0]);
        let above = ids[1].to_string();
        let linked = kim.post(&path, &[("other", &above), ("side", "above")]).await;
        assert_eq!(linked.location, format!("/listings/{}?done=linked", ids[0]));
        assert_eq!(agent.chain_of(ids[0]).await, agent.chain_of(ids[1]).await);
        let ids = server.import_sales("north", [3, 4], &[]).await;
        let (path, below) = (format!("/listings/{}/links", ids[0]), ids[1].to_string());
        kim.post(&path, &[("other", &below), ("side", "below")]).await;
        for (uprn, bought) in [(1, 2), (4, 3)] {
            let chains = lender.ask_uprns(&[uprn]).await.chains();
            let mut homes = chains[0]["properties"].as_array().unwrap().iter();
            let home = homes.find(|home| home["uprn"] == uprn).unwrap();
            assert_eq!(home["connections"]["onwardPurchase"], json!([bought]));
        }
        let nobody = kim.post(&path, &[("other", "999"), ("side", "above")]).await;
        assert_eq!(nobody.status, 404);
        let text = kim.post(&path, &[("other", "mine"), ("side", "above")]).await;
        assert_eq!(text.status, 422);
        assert!(text.html.contains("value=\"mine\""));
    }
}

story! {
    async fn a_form_sent_again_says_what_is_so(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1, 2], &[]).await;
        let path = format!("/listings/{}", ids[0]);
        let above = ids[1].to_string();
        let form = [("idempotency_key", "once"), ("other", above.as_str()), ("side", "above")];
        let send = async |kim: &mut crate::test_server::Browser| {
            let request = kim.request(reqwest::Method::POST, &format!("{path}/links")).form(&form);
            kim.send(request.header("origin", crate::test_server::CONSOLE_URL)).await
        };
        for _twice in 0..2 {
            assert_eq!(send(&mut kim).await.location, format!("{path}?done=linked"));
        }
        let gone = kim.post(&format!("{path}/unlink"), &[("other", &above), ("side", "above")]).await;
        assert_eq!(gone.status, 303, "{}", gone.html);
        kim.get(&path).await.assert_hides("2 Row");
        // The old form makes the link again, and does not only say so.
        assert_eq!(send(&mut kim).await.location, format!("{path}?done=linked"));
        kim.get(&path).await.assert_shows("2 Row");
    }
}

story! {
    async fn proposals_of_others_hide_no_change(server) {
        let confirm = |config: &mut server::config::Config| {
            config.foreign_links = chain::consent::ForeignLinks::Confirmed;
        };
        server = server.reconfigure(confirm).await;
        let [north, south] = server.two_agents().await;
        let ours = north.list(1).await;
        assert_eq!(north.record(ours, "sstc", "2026-11-19").await.status, 200);
        let mut newest = 0;
        // A branch has at most 100 open proposals.
        let west = server.agent("west").await;
        for uprn in 1_000..1_102 {
            let agent = if uprn < 1_100 { &south } else { &west };
            newest = agent.list(uprn).await;
            let answer = agent.link(newest, ours).await;
            assert_eq!(answer.status, 202, "{}", answer.json());
        }
        let chain = north.chain_of(ours).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        // Whoever opens the page of the chain has seen its changes.
        let sale = format!("/listings/{ours}");
        for path in ["/changes", &sale, &format!("/chains/{chain}")] {
            kim.get(path).await.assert_shows("SSTC");
        }
        let page = kim.get(&sale).await;
        page.assert_shows("Not shown: 2 older proposed links");
        page.assert_shows(&format!("Confirm the link with sale {newest}"));
    }
}

story! {
    async fn a_refused_form_sent_again_is_tried_again(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2, 3], &[]).await;
        agent.link(ids[1], ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let (path, other) = (format!("/listings/{}/links", ids[0]), ids[2].to_string());
        let form = [("idempotency_key", "once"), ("other", &*other), ("side", "above")];
        let refused = kim.post_as_it_is(&path, &form).await;
        assert_eq!(refused.status, 409);
        agent.unlink(ids[1], ids[0]).await.assert_success();
        let again = kim.post_as_it_is(&path, &form).await;
        assert_eq!(again.location, format!("/listings/{}?done=linked", ids[0]));
    }
}
