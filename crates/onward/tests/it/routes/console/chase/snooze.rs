//! `/chase/{listing}/snooze`: leaves a sale out of the list until a day.

use super::{import_late_sales, open_foreign_sale};
use crate::story;
use crate::test_server::Page;

const DAY_SECONDS: i64 = 86_400;

/// The fields that the page names as refused.
fn refused_fields(page: &Page) -> Vec<&str> {
    assert_eq!(page.status, 422, "{}", page.text());
    let fields = ["until", "reason"].into_iter();
    let is_refused = |field: &&str| page.html.contains(&format!("-{field}-error\">"));
    fields.filter(is_refused).collect()
}

story! {
    async fn a_snoozed_sale_is_back_on_its_day(server) {
        server.agent("north").await;
        let [one, _two] = import_late_sales(&server).await;
        let person = server.add_person("progressor", &["north"]).await;
        let mut kim = server.browser();
        kim.enter(person).await;
        let form = [("until", "2026-11-24"), ("reason", "The firm is <away>"), ("filter", "?group=conveyancer")];
        let snoozed = kim.post(&format!("/chase/{one}/snooze"), &form).await;
        assert_eq!(snoozed.location, "/chase?group=conveyancer&done=snoozed");
        let page = kim.get("/chase").await;
        page.assert_hides("1 Row");
        page.assert_shows("2 Row");
        page.assert_shows("Show snoozed (1)");
        let page = kim.get("/chase?snoozed=1").await;
        page.assert_shows("1 Row");
        page.assert_shows("Snoozed until 24 Nov by progressor: The firm is &#60;away&#62;");
        for (day, is_shown) in [("23", false), ("24", true)] {
            server.clock.advance(if is_shown { DAY_SECONDS } else { 2 * DAY_SECONDS });
            kim.enter(person).await;
            let page = kim.get("/chase").await;
            assert_eq!(page.text().contains("1 Row"), is_shown, "{day}");
        }
        kim.get("/chase").await.assert_hides("Snoozed until");
    }
}

story! {
    async fn a_bad_day_or_reason_is_shown_at_its_field(server) {
        server.agent("north").await;
        let [one, _two] = import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/chase/{one}/snooze");
        let long = "x".repeat(201);
        for (until, reason, fields) in [
            ("", "Away", vec!["until"]),
            ("soon", "Away", vec!["until"]),
            ("2026-02-30", "Away", vec!["until"]),
            ("2026-11-21", "Away", vec!["until"]),
            ("2027-02-20", "Away", vec!["until"]),
            ("-9999-01-01", "Away", vec!["until"]),
            ("2026-11-30", " ", vec!["reason"]),
            ("2026-11-30", "a\nb", vec!["reason"]),
            ("2026-11-30", "a\0b", vec!["reason"]),
            ("2026-11-30", &long, vec!["reason"]),
            ("never", "", vec!["until", "reason"]),
        ] {
            let form = [("until", until), ("reason", reason), ("filter", "?group=conveyancer")];
            let page = kim.post(&path, &form).await;
            assert_eq!(refused_fields(&page), fields, "{until:?} {reason:?}");
            page.assert_shows("1 Row");
            assert!(page.html.contains("<details open>"), "{until:?}");
            assert!(page.html.contains(&format!("value=\"{until}\"")), "{until:?}");
        }
        let page = kim.post(&path, &[("until", "2027-03-01"), ("reason", "Kept & safe")]).await;
        page.assert_shows("Choose a day from 2026-11-22 to 2027-02-19.");
        assert!(page.html.contains("value=\"Kept &#38; safe\""), "{}", page.html);
        kim.get("/chase").await.assert_shows("Show snoozed (0)");
        let last = [("until", "2027-02-19"), ("reason", "Long journey")];
        assert_eq!(kim.post(&path, &last).await.status, 303);
    }
}

story! {
    async fn other_branches_sales_stay_closed(server) {
        let (sale, mut kim, mut lee) = open_foreign_sale(&server).await;
        for form in [vec![("until", "2026-11-30"), ("reason", "Away")], vec![]] {
            let path = format!("/chase/{sale}/snooze");
            assert_eq!(kim.post(&path, &form).await.status, 403);
            assert_eq!(lee.post(&path, &form).await.status, 403);
            assert_eq!(kim.post("/chase/999999/snooze", &form).await.status, 404);
        }
    }
}

story! {
    async fn a_reason_is_clean(server) {
        server.agent("north").await;
        let [one, _two] = import_late_sales(&server).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/chase/{one}/snooze");
        let form = |reason| [("until", "2026-11-24"), ("reason", reason)];
        let refused = kim.post(&path, &form("Aw\u{200b}ay")).await;
        assert_eq!(refused_fields(&refused), ["reason"]);
        refused.assert_shows("Has the character U+200B, which texts must not have.");
        assert_eq!(kim.post(&path, &form("Cafe\u{301}\u{a0}shut")).await.status, 303);
        kim.get("/chase?snoozed=1").await.assert_shows("Café shut");
    }
}
