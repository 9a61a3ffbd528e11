//! The rights of the framework's clients (S-71, S-74).

use serde_json::json;
use storage::{clients, framework as members_store, participants};
use tokens::framework::new_client;

use super::{ACCEPTED, LENDER, members, status};
use crate::story;
use crate::test_server::{At, BEGINNING, FakeFramework, FrameworkReply, send};

story! {
    async fn a_row_of_one_issuer_never_serves_a_token_of_the_other(server) {
        let agent = server.agent("agent").await;
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let mut impostor = server.member(&framework.folder, "lender", LENDER);
        impostor.client_id.clone_from(&agent.registration.id);
        let mut answer = FakeFramework::active(&impostor, server.now());
        answer["scope"] = json!("listing transaction-status");
        framework.reply("mixed", FrameworkReply::json(&answer));
        let url = server.url(At::Listing, "/api/v1/listing/1");
        assert_eq!(send(impostor.http.get(url).bearer_auth("mixed")).await.status, 401);
        assert_eq!(status(&server, &impostor, "mixed").await, 401);
        // Moved, the client has its tokens from the framework alone.
        let id = agent.registration.id.clone();
        let moving = server.storage.write(move |write| {
            let client = clients::find_client(write, &id)?.unwrap();
            members_store::give_client(write, &client, LENDER, BEGINNING)?;
            clients::update_scopes(write, &id, &["transaction-status".to_owned()], BEGINNING)?;
            clients::move_client(write, &id, true, BEGINNING)
        });
        moving.await.unwrap();
        assert_eq!(status(&server, &impostor, "mixed").await, ACCEPTED);
        let assertion = agent.registration.assertion_at(server.now());
        let refused = server.request_token(&agent.registration, &assertion, None).await;
        assert_eq!(refused.status, 401, "{}", refused.json());
    }
}

story! {
    async fn scopes_that_do_not_count_give_nothing(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let mut answer = FakeFramework::active(&lender, server.now());
        answer["scope"] = json!("listing transaction-history");
        framework.reply("inflated", FrameworkReply::json(&answer));
        assert_eq!(status(&server, &lender, "inflated").await, 403);
        let url = server.url(At::Listing, "/api/v1/listing/1");
        assert_eq!(send(lender.http.get(url).bearer_auth("inflated")).await.status, 403);
    }
}

story! {
    async fn the_operator_blocks_a_client_with_and_without_a_row(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        framework.issue(&lender, "good", server.now());
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
        let id = lender.client_id.clone();
        let blocking = server.storage.write(move |write| members_store::block_client(write, &id, BEGINNING));
        blocking.await.unwrap();
        assert_eq!(status(&server, &lender, "good").await, 401);
        let id = lender.client_id.clone();
        let adding = server.storage.write(move |write| {
            assert!(members_store::unblock_client(write, &id)?);
            let row = new_client(&id, vec!["transaction-status".to_owned()], BEGINNING);
            let participant = members_store::ensure_member(write, LENDER, BEGINNING)?;
            clients::insert_client(write, &row, participant)
        });
        adding.await.unwrap();
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
        let id = lender.client_id.clone();
        let disabling = server.storage.write(move |write| clients::disable_client(write, &id, BEGINNING));
        assert!(disabling.await.unwrap());
        assert_eq!(status(&server, &lender, "good").await, 401);
    }
}

story! {
    async fn a_client_without_a_row_subscribes_for_its_own_organisation(server) {
        let naming = server.storage.write(|write| {
            participants::ensure_participant(write, "Framework Lender", "00000000-0000-4000-8000-00000000000a", BEGINNING)
        });
        let namesake = naming.await.unwrap();
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        framework.issue(&lender, "good", server.now());
        let url = server.url(At::Base, "/api/v1/webhook/subscribe");
        let wish = json!({"participantName": "Any", "callbackUrl": "https://receiver.example/x", "events": ["fallthrough"]});
        let answer = send(lender.http.post(url).bearer_auth("good").json(&wish)).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        let name = format!("Framework Lender ({LENDER})");
        let found = server.storage.read(move |read| participants::find_participant(read, &name));
        let found = found.await.unwrap().unwrap();
        assert_eq!(found.organisation_id, LENDER);
        assert_ne!(found.id, namesake);
        assert_eq!(status(&server, &lender, "good").await, ACCEPTED);
        // The framework's own directory lists its members.
        let shown = send(lender.http.get(server.url(At::Directory, "/participants"))).await;
        let shown = shown.json().to_string();
        assert!(!shown.contains(LENDER), "{shown}");
    }
}
