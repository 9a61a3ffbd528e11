//! `POST /account/end-all`.

use crate::story;

story! {
    async fn all_sessions_of_a_person_end(server) {
        let person = server.add_person("lender", &[]).await;
        let (mut desk, mut phone) = (server.browser(), server.browser());
        desk.enter(person).await;
        phone.enter(person).await;
        let mut other = server.sign_in_as("conveyancer", &[]).await;
        desk.post("/account/end-all", &[]).await;
        assert_eq!(desk.get("/account").await.status, 303);
        assert_eq!(phone.get("/account").await.status, 303);
        assert_eq!(other.get("/account").await.status, 200);
    }
}
