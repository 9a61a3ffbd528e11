//! `POST /listings/{listing}/notes`.

use crate::story;

story! {
    async fn notes_are_the_branchs_own(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}", ids[0]);
        let text = "Rang the <b>buyer</b> & left word";
        kim.post(&format!("{path}/notes"), &[("text", text)]).await;
        let page = kim.get(&path).await;
        assert!(page.html.contains("Rang the &#60;b&#62;buyer"), "{}", page.html);
    }
}

story! {
    async fn a_note_sent_twice_is_there_once(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
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
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let note = "x".repeat(4001);
        let refused = kim.post(&format!("/listings/{}/notes", ids[0]), &[("text", &note)]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains(&note));
    }
}

story! {
    async fn the_end_of_a_session_loses_no_note(server) {
        server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        let person = server.add_person("progressor", &["north"]).await;
        let mut kim = server.browser();
        kim.enter(person).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/notes");
        server.clock.advance(12 * 3600 + 60);
        let note = "Rang the <b>buyer</b> & left word";
        let kept = kim.post(&path, &[("text", note), ("idempotency_key", "typed")]).await;
        assert_eq!(kept.status, 403);
        kept.assert_shows("Your session has ended");
        kept.assert_shows("Nothing was saved.");
        assert!(kept.html.contains("Rang the &#60;b&#62;buyer&#60;/b&#62; &#38; left word</textarea>"));
        for field in [
            &format!("action=\"{path}\"")[..],
            "name=\"idempotency_key\" value=\"typed\"",
            "href=\"/sign-in\" target=\"_blank\"",
        ] {
            assert!(kept.html.contains(field), "{field}: {}", kept.html);
        }
        assert!(kept.headers["content-security-policy"].to_str().unwrap().contains("form-action 'self'"));
        // Signed in elsewhere in the same browser, the person sends the kept form.
        kim.enter(person).await;
        assert_eq!(kim.post(&path, &[("text", note)]).await.status, 303);
        kim.get(&page).await.assert_shows("left word");
    }
}

story! {
    async fn a_kept_form_is_the_consoles_own_and_bounded(server) {
        server.agent("north").await;
        let mut nobody = server.browser();
        let form = [("text", "Buy here!"), ("until", "2026-12-01")];
        let request = nobody.request(reqwest::Method::POST, "/listings/1/notes").form(&form);
        let foreign = nobody.send(request.header("origin", "https://elsewhere.example")).await;
        assert_eq!(foreign.status, 403);
        foreign.assert_hides("Buy here!");
        let long = nobody.post("/listings/1/notes", &[("text", &"x".repeat(33 * 1024))]).await;
        assert_eq!(long.status, 413);
        // A form in which nobody types is not kept.
        assert_eq!(nobody.post("/changes/read", &[]).await.status, 303);
    }
}

story! {
    async fn a_note_is_clean_and_keeps_its_lines(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}", ids[0]);
        let refused = kim.post(&format!("{path}/notes"), &[("text", "Left\u{202e} word")]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("id=\"note-text-error\""), "{}", refused.html);
        refused.assert_shows("Has the character U+202E, which texts must not have.");
        assert!(refused.html.contains(">LeftU+202E word</textarea>"));
        let noted = kim.post(&format!("{path}/notes"), &[("text", "Cafe\u{301}\r\nTwo")]).await;
        assert_eq!(noted.status, 303);
        let page = kim.get(&path).await;
        assert!(page.html.contains("Café\nTwo"), "{}", page.html);
    }
}
