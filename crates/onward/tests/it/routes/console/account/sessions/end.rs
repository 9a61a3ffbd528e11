//! `POST /account/sessions/{session}/end`.

use crate::story;

story! {
    async fn one_session_ends(server) {
        let person = server.add_person("lender", &[]).await;
        let (mut desk, mut phone) = (server.browser(), server.browser());
        desk.enter(person).await;
        phone.enter(person).await;
        let page = desk.get("/account").await;
        let other = page.html.split("/account/sessions/").nth(1).unwrap();
        let other = other.split('/').next().unwrap();
        let path = format!("/account/sessions/{other}/end");
        // Somebody else cannot end it.
        let mut stranger = server.sign_in_as("conveyancer", &[]).await;
        assert_eq!(stranger.post(&path, &[]).await.status, 404);
        assert_eq!(stranger.post("/account/sessions/x/end", &[]).await.status, 404);
        assert_eq!(phone.get("/account").await.status, 200);
        let ended = desk.post(&path, &[]).await;
        assert_eq!(ended.location, "/account?done=session-ended");
        assert_eq!(phone.get("/account").await.status, 303);
        assert_eq!(desk.get("/account").await.status, 200);
    }
}
