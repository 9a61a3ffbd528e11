//! `/chains/{chain}.pack.json`: the evidence of the state that a page shows (S-62).

use crate::story;

story! {
    async fn a_page_offers_the_evidence_of_its_state(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        for (reader, query) in [(&mut kim, ""), (&mut lee, "?uprn=2")] {
            let page = reader.get(&format!("/chains/{chain}{query}")).await;
            let path = format!("/chains/{chain}.pack.json{query}");
            assert!(page.html.contains(&format!("href=\"{path}\"")), "{}", page.html);
            // Nothing waited for the log: the page does.
            let pack = reader.get(&path).await;
            assert_eq!(pack.status, 200, "{}", pack.html);
            assert_eq!(pack.headers["content-type"], evidence::MEDIA_TYPE);
            let disposition = pack.headers["content-disposition"].to_str().unwrap();
            assert!(disposition.starts_with("attachment;"), "{disposition}");
            let steps = server.verify(pack.html.as_bytes()).await;
            let is_state = |step: &String| step.contains(&format!("of chain {chain}"));
            assert!(steps.iter().any(is_state), "{steps:?}");
        }
    }
}

story! {
    async fn only_those_who_see_the_chain_get_its_evidence(server) {
        let agent = server.agent("north").await;
        server.agent("south").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut foreign = server.sign_in_as("progressor", &["south"]).await;
        assert_eq!(foreign.get(&format!("/chains/{chain}.pack.json")).await.status, 404);
        let mut lee = server.sign_in_as("lender", &[]).await;
        for query in ["", "?uprn=7"] {
            let refused = lee.get(&format!("/chains/{chain}.pack.json{query}")).await;
            assert_eq!(refused.status, 404, "{query}");
        }
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let made = kim.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        let token = made.html.split("/share/").nth(1).unwrap();
        let token = token.split(['"', '<', ' ']).next().unwrap();
        let mut holder = server.browser();
        holder.get(&format!("/share/{token}")).await.assert_hides("evidence pack");
        assert_eq!(holder.get(&format!("/share/{token}.pack.json")).await.status, 404);
    }
}
