//! `POST /shares/{share}/revoke`.

use storage::StorageError;
use storage::participants::{restore_participant, withdraw_participant};

use crate::story;
use crate::test_server::BEGINNING;

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

story! {
    async fn links_and_sessions_end_with_their_participant(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let chain = agent.chain_of(ids[0]).await;
        let made = kim.post(&format!("/chains/{chain}/shares"), &[("days", "7")]).await;
        let link = made.html.split("/share/").nth(1).unwrap();
        let link = format!("/share/{}", link.split(['"', '<', ' ', '&']).next().unwrap());
        let mut anybody = server.browser();
        assert_eq!(anybody.get(&link).await.status, 200);
        let disabling = server.storage.write(|write| {
            let participant = "select participant_id from person order by id desc limit 1";
            let participant = write.query_exactly_one(participant, &[], |row| row.integer(0))?;
            withdraw_participant(write, participant, BEGINNING)?;
            Ok::<_, StorageError>(participant)
        });
        let participant = disabling.await.unwrap();
        assert_eq!(anybody.get(&link).await.status, 404);
        assert_eq!(kim.get("/chains").await.status, 303);
        let enabling = server.storage.write(move |write| restore_participant(write, participant));
        enabling.await.unwrap();
        assert_eq!(anybody.get(&link).await.status, 404);
        assert_eq!(kim.get("/chains").await.status, 303);
    }
}
