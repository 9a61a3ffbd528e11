//! `/invitation/{token}`.

use storage::people;

use crate::story;
use crate::test_server::BEGINNING;

story! {
    async fn an_invitation_is_shown_until_it_ends(server) {
        let person = server.add_person("lender", &[]).await;
        let digest = web::secret::digest("guest");
        let times = [BEGINNING, BEGINNING + 3600];
        let inviting = server.storage.write(move |write| {
            people::insert_invitation(write, &digest, person, times)
        });
        inviting.await.unwrap();
        let mut browser = server.browser();
        browser.get("/invitation/guest").await.assert_shows("lender Ltd");
        assert_eq!(browser.get("/invitation/guess").await.status, 404);
        server.clock.advance(3601);
        assert_eq!(browser.get("/invitation/guest").await.status, 404);
    }
}
