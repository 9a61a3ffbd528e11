//! `POST /listings/{listing}/milestones/{key}`.

use super::super::chase::open_foreign_sale;
use crate::story;
use crate::test_server::Browser;

story! {
    async fn a_progressor_records_a_milestone(server) {
        server.agent("north").await;
        let lender = server.lender().await;
        let ids = server.import_sales("north", [1], &[]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let path = format!("/listings/{}", ids[0]);
        kim.get(&path).await.assert_shows("SSTC");
        let date = [("date", "2026-11-20"), ("action", "record")];
        let saved = kim.post_seen(&format!("{path}/milestones/sstc"), &date).await;
        assert_eq!(saved.location, format!("{path}?done=recorded"));
        let page = kim.get(&saved.location).await;
        page.assert_shows("The milestone is recorded.");
        page.assert_shows("20 Nov 2026");
        let answer = lender.ask_uprns(&[1]).await.json();
        let shown = &answer["data"]["data"][0]["properties"][0]["milestones"];
        assert_eq!(shown["soldSubjectToContract"]["completed"], "2026-11-20");
        let withdrawn = [("action", "withdraw")];
        kim.post_seen(&format!("{path}/milestones/sstc"), &withdrawn).await;
        let answer = lender.ask_uprns(&[1]).await.json();
        let shown = &answer["data"]["data"][0]["properties"][0]["milestones"];
        assert!(shown["soldSubjectToContract"]["completed"].is_null());
    }
}

story! {
    async fn a_milestone_that_nobody_needs_is_left_out(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}/milestones/management_pack", ids[0]);
        let saved = kim.post_seen(&path, &[("date", ""), ("action", "exclude")]).await;
        assert_eq!(saved.location, format!("/listings/{}?done=recorded", ids[0]));
        let history = format!("/chains/{}/history", agent.chain_of(ids[0]).await);
        kim.get(&history).await.assert_shows(": not needed");
    }
}

story! {
    async fn a_form_sent_twice_changes_once(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}/milestones/sstc", ids[0]);
        for _twice in 0..2 {
            let form = [("idempotency_key", "once"), ("date", "2026-11-20"), ("action", "record"),
                ("seen", "nothing")];
            let request = kim.request(reqwest::Method::POST, &path).form(&form);
            let request = request.header("origin", crate::test_server::CONSOLE_URL);
            assert_eq!(kim.send(request).await.status, 303);
        }
    }
}

story! {
    async fn a_wrong_date_stands_at_its_field(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let path = format!("/listings/{}/milestones/exchange", ids[0]);
        let future = [("date", "2027-11-20"), ("action", "record")];
        let refused = kim.post(&path, &future).await;
        assert_eq!(refused.status, 422);
        assert!(refused.html.contains("aria-invalid=\"true\""), "{}", refused.html);
        assert!(refused.html.contains("value=\"2027-11-20\""));
        refused.assert_shows("Must be from 1990-01-01 to 2026-11-21.");
        for action in ["", "EXCLUDE", "zzz"] {
            let odd = [("date", "2026-11-20"), ("action", action)];
            assert_eq!(kim.post(&path, &odd).await.status, 422, "{action}");
        }
        let unknown = format!("/listings/{}/milestones/never", ids[0]);
        assert_eq!(kim.post(&unknown, &future).await.status, 404);
    }
}

story! {
    async fn a_colleagues_date_is_not_overwritten_unseen(server) {
        let (agent, ids, mut kim) = server.progressor_with_sales([1], &[]).await;
        let page = format!("/listings/{}", ids[0]);
        let path = format!("{page}/milestones/sstc");
        let send = async |kim: &mut Browser, seen: &str, date: &str, action: &str| {
            let form = [("date", date), ("action", action), ("seen", seen)];
            kim.post(&path, &form).await
        };
        assert_eq!(kim.get(&page).await.seen(&path), "nothing");
        agent.record(ids[0], "sstc", "2026-11-18").await;
        for action in ["record", "exclude"] {
            let refused = send(&mut kim, "nothing", "2026-11-20", action).await;
            assert_eq!(refused.status, 409, "{action}: {}", refused.text());
            refused.assert_shows("now 18 Nov 2026 is recorded, by north Ltd at");
            assert_eq!(refused.seen(&path), "2026-11-18");
            refused.assert_shows("Keep what is recorded");
        }
        // A form that names no state is of no present one.
        let stateless = kim.post(&path, &[("date", "2026-11-20"), ("action", "record")]).await;
        assert_eq!(stateless.status, 409, "{}", stateless.text());
        let refused = send(&mut kim, "nothing", "2026-11-20", "record").await;
        refused.assert_shows("You chose 20 Nov 2026.");
        assert!(refused.html.contains("value=\"2026-11-20\""), "{}", refused.html);
        kim.get(&page).await.assert_shows("18 Nov 2026");
        // The same date is no conflict, and neither is a form that has seen the other.
        assert_eq!(send(&mut kim, "nothing", "2026-11-18", "record").await.status, 303);
        assert_eq!(send(&mut kim, "2026-11-18", "2026-11-20", "record").await.status, 303);
        kim.get(&page).await.assert_shows("20 Nov 2026");
        let stale = send(&mut kim, "2026-11-18", "", "withdraw").await;
        assert_eq!(stale.status, 409);
        stale.assert_shows("You chose to withdraw it.");
        assert_eq!(send(&mut kim, "2026-11-20", "", "withdraw").await.status, 303);
    }
}

story! {
    async fn an_older_page_does_not_tell_of_foreign_sales(server) {
        let (foreign, mut kim, _lee) = open_foreign_sale(&server).await;
        let path = format!("/listings/{foreign}/milestones/sstc");
        let form = [("date", "2026-11-20"), ("action", "record"), ("seen", "2026-11-01")];
        assert!([403, 404].contains(&kim.post(&path, &form).await.status));
    }
}
