//! The framework's directory, and the organisations of certificates (S-72, S-73).

use super::{ACCEPTED, LENDER, OTHER, ask, members, status};
use crate::story;
use crate::test_server::organisation;

story! {
    async fn only_active_members_with_certificates_of_the_framework_call(server) {
        let mut listed = members().to_vec();
        listed[1] = organisation(OTHER, "Framework Conveyancer", "Pending");
        let (changed, framework) = server.with_framework(&listed).await;
        server = changed;
        let own_folder = server.directory.path().to_owned();
        for (folder, name, unit) in [
            (&framework.folder, "pending", OTHER),
            (&framework.folder, "absent", "00000000-0000-4000-8000-000000000009"),
            (&framework.folder, "sales", "Sales"),
            (&own_folder, "forged", LENDER),
        ] {
            let member = server.member(folder, name, unit);
            framework.issue(&member, name, server.now());
            let answer = ask(&server, &member.http, name).await;
            assert_eq!(answer.status, 403, "{name}");
            assert!(answer.problem().starts_with("403 organisation-refused: "), "{name}");
            assert!(answer.header("www-authenticate").contains("insufficient_scope"), "{name}");
        }
        assert_eq!(framework.asked(""), 0);
        let lender = server.member(&framework.folder, "lender", LENDER);
        framework.issue(&lender, "good", server.now());
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
    }
}

story! {
    async fn a_withdrawn_member_is_refused_at_the_next_reading(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let other = server.start_node().await;
        let lender = server.member(&framework.folder, "lender", LENDER);
        framework.issue(&lender, "good", server.now());
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
        framework.list(&[organisation(LENDER, "Framework Lender", "Withdrawn")]);
        server.clock.advance(300);
        server.wait_for_directory(server.now()).await;
        assert_eq!(status(&server, &lender, "good").await, 403);
        let url = server.url_of_node(other, crate::test_server::At::Base, "/api/v1/standard/chains");
        let request = lender.http.post(url).bearer_auth("good");
        assert_eq!(request.form(&[("inputType", "uprn"), ("value[]", "1")]).send().await.unwrap().status(), 403);
    }
}

story! {
    async fn bad_answers_are_not_adopted_and_a_day_without_any_ends_all_tokens(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let without_us = serde_json::json!([organisation(LENDER, "Lender", "Active")]).to_string();
        let reads = framework.directory_reads();
        for (number, bad) in (1..).zip(["[]", "{}", "[{", &without_us, ""]) {
            framework.show_directory(bad);
            server.clock.advance(300);
            server.wait_for_try(&framework, reads + number).await;
            framework.issue(&lender, "good", server.now());
            assert_eq!(status(&server, &lender, "good").await, ACCEPTED, "{bad}");
        }
        server.clock.advance(24 * 3600 - 5 * 300 - 1);
        framework.issue(&lender, "good", server.now());
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
        server.clock.advance(1);
        let answer = ask(&server, &lender.http, "good").await;
        assert_eq!(answer.status, 503);
        framework.list(&members());
        server.clock.advance(300);
        server.wait_for_directory(server.now()).await;
        framework.issue(&lender, "good", server.now());
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
    }
}
