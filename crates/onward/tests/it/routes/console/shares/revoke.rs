//! `POST /shares/{share}/revoke`.

use crate::story;

story! {
    async fn only_the_own_branch_revokes_a_link(server) {
        let agent = server.agent("north").await;
        server.agent("south").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let made = kim.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        let link = made.html.split("/share/").nth(1).unwrap();
        let link = format!("/share/{}", link.split(['"', '<', ' ', '&']).next().unwrap());
        let id = made.html.split("/shares/").nth(1).unwrap().split('/').next().unwrap();
        let path = format!("/shares/{id}/revoke");
        let mut anybody = server.browser();
        assert_eq!(anybody.get(&link).await.status, 200);
        let mut sam = server.sign_in_as("progressor", &["south"]).await;
        assert_eq!(sam.post(&path, &[]).await.status, 404);
        assert_eq!(kim.post("/shares/999/revoke", &[]).await.status, 404);
        assert_eq!(anybody.get(&link).await.status, 200);
        let revoked = kim.post(&path, &[("chain", &chain)]).await;
        assert_eq!(revoked.location, format!("/chains/{chain}?done=revoked"));
        assert_eq!(anybody.get(&link).await.status, 404);
    }
}
