//! `POST /listings/{listing}/unlink`.

use crate::story;

story! {
    async fn a_link_is_broken(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}/unlink", ids[0]);
        let above = ids[1].to_string();
        let form = [("other", above.as_str()), ("side", "above")];
        let broken = kim.post(&path, &form).await;
        assert_eq!(broken.location, format!("/listings/{}?done=unlinked", ids[0]));
        assert_ne!(agent.chain_of(ids[0]).await, agent.chain_of(ids[1]).await);
        let page = kim.get(&format!("/listings/{}", ids[1])).await;
        page.assert_shows("it is not in a chain");
        let again = kim.post(&path, &form).await;
        assert_eq!(again.status, 409, "{}", again.text());
    }
}
