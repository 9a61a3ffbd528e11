//! The framework's issuer is away (S-70).

use super::{ACCEPTED, LENDER, ask, members, status};
use crate::story;
use crate::test_server::FrameworkReply;

story! {
    async fn known_tokens_outlast_the_issuer_by_five_minutes(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let own = server.register("own", &["transaction-status"]).await;
        framework.issue(&lender, "known", server.now());
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        framework.go_away(true);
        for (seconds, expected) in [(59, ACCEPTED), (1, ACCEPTED), (239, ACCEPTED), (1, 503)] {
            server.clock.advance(seconds);
            let answer = ask(&server, &lender.http, "known").await;
            assert_eq!(answer.status, expected, "after {seconds} more seconds");
            if expected == 503 {
                assert_eq!(answer.header("retry-after"), "5");
            }
            assert_eq!(status(&server, &lender, &format!("unknown-{seconds}")).await, 503);
            assert_eq!(server.query(&own, &[("inputType", "uprn"), ("value[]", "1")]).await.status, ACCEPTED);
        }
        framework.go_away(false);
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
    }
}

story! {
    async fn the_issuer_ends_a_token_when_it_answers(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        framework.issue(&lender, "known", server.now());
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        // A 400 about a known token is no answer about it.
        let inactive = FrameworkReply::json(&serde_json::json!({"active": false}));
        framework.reply("known", FrameworkReply { status: 400, ..inactive.clone() });
        server.clock.advance(60);
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        framework.reply("known", inactive);
        server.clock.advance(5);
        assert_eq!(status(&server, &lender, "known").await, 401);
        // It stays so for ten seconds without another call.
        let asked = framework.asked("known");
        framework.issue(&lender, "known", server.now());
        server.clock.advance(9);
        assert_eq!(status(&server, &lender, "known").await, 401);
        assert_eq!(framework.asked("known"), asked);
        server.clock.advance(1);
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
    }
}
