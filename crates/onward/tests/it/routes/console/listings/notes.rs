//! `POST /listings/{listing}/notes`.

use crate::story;

story! {
    async fn notes_are_the_branchs_own(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}", ids[0]);
        let text = "Rang the <b>buyer</b> & left word";
        kim.post(&format!("{path}/notes"), &[("text", text)]).await;
        let page = kim.get(&path).await;
        assert!(page.html.contains("Rang the &#60;b&#62;buyer"), "{}", page.html);
    }
}

story! {
    async fn a_note_sent_twice_is_there_once(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}", ids[0]);
        for _twice in 0..2 {
            let form = [("idempotency_key", "once"), ("text", "Left word")];
            let request = kim.request(reqwest::Method::POST, &format!("{path}/notes"));
            let request = request.form(&form).header("origin", crate::test_server::CONSOLE_URL);
            assert_eq!(kim.send(request).await.status, 303);
        }
        let page = kim.get(&path).await.text();
        assert_eq!(page.matches("Left word").count(), 1, "{page}");
    }
}

story! {
    async fn a_long_note_is_refused_and_kept_in_its_field(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let note = "x".repeat(4001);
        let refused = kim.post(&format!("/listings/{}/notes", ids[0]), &[("text", &note)]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains(&note));
    }
}
