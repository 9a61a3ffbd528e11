//! `POST /sign-out`.

use crate::story;

story! {
    async fn the_session_of_this_browser_ends(server) {
        let person = server.add_person("lender", &[]).await;
        let (mut desk, mut phone) = (server.browser(), server.browser());
        desk.enter(person).await;
        phone.enter(person).await;
        let cookie = desk.cookie().unwrap().to_owned();
        let out = desk.post("/sign-out", &[]).await;
        assert_eq!(out.location, "/sign-in?done=signed-out");
        assert_eq!(desk.cookie(), None);
        let stolen = desk.request(reqwest::Method::GET, "/account").header("cookie", cookie);
        assert_eq!(desk.send(stolen).await.status, 303);
        assert_eq!(phone.get("/account").await.status, 200);
    }
}
