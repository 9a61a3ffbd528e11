//! `POST /listings/{listing}/ends`.

use crate::story;

story! {
    async fn ends_are_confirmed_and_opened_again(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}/ends", ids[1]);
        let check = [("end", "top"), ("action", "check"), ("from", "chain")];
        let checked = kim.post(&path, &check).await;
        assert_eq!(checked.location, format!("/chains/{chain}?done=checked"));
        kim.get(&checked.location).await.assert_shows("Top closed");
        let unreasoned = [("end", "top"), ("action", "uncheck"), ("reason", "No")];
        assert_eq!(kim.post(&path, &unreasoned).await.status, 422);
        let uncheck = [("end", "top"), ("action", "uncheck"), ("reason", "Not EOC")];
        assert_eq!(kim.post(&path, &uncheck).await.status, 303);
        kim.get(&format!("/chains/{chain}")).await.assert_shows("Top not confirmed");
    }
}
