//! `/account`: sessions, and their ends.

mod end_all;
mod look_ups;
mod sessions;

use crate::story;

story! {
    async fn sessions_end_by_themselves(server) {
        let mut browser = server.sign_in_as("lender", &[]).await;
        for _hour in 0..11 {
            server.clock.advance(3600);
            assert_eq!(browser.get("/account").await.status, 200);
        }
        server.clock.advance(12 * 3600 + 60);
        assert_eq!(browser.get("/account").await.status, 303);
        let mut operator = server.sign_in_as("operator", &[]).await;
        server.clock.advance(3600 + 60);
        assert_eq!(operator.get("/account").await.status, 303);
    }
}

story! {
    async fn a_disabled_person_is_out_at_once(server) {
        let person = server.add_person("lender", &[]).await;
        let mut browser = server.browser();
        browser.enter(person).await;
        let disabling = server.storage.write(move |write| {
            storage::people::disable_person(write, person, 0)
        });
        assert!(disabling.await.unwrap());
        assert_eq!(browser.get("/account").await.status, 303);
        let path = format!("/enter/{}", crate::test_server::ENTRY);
        let again = browser.post(&path, &[("person", &person.to_string())]).await;
        assert_eq!(again.status, 404);
    }
}
