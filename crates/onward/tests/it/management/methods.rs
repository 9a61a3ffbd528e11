//! Which addresses there are (S-40, S-45). `routes/openapi_json/operations.rs` compares the methods
//! of each address with its document.

use http::Method;

use crate::sqlite_story;
use crate::test_server::send;

sqlite_story! {
    async fn other_addresses_do_not_exist(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for path in [
            "", "/", "/listings", "/Listing", "/listing/", &format!("/listing/{listing}/"),
            &format!("/listing/{listing}/milestone"), &format!("/listing/{listing}/milestones"),
            &format!("/listing/{listing}/is_complete"),
            &format!("/listing/{listing}/reopen_enquiries"),
            &format!("/listing/{listing}/history/1"), &format!("/listing//{listing}"),
            "/listing/chain/1/check/middle", "/listing/chain/1/add/top", "/chain", "/chain/add",
            "/milestone_type/1", "/milestone_group/1", "/milestone-type", "/standard/chains",
            "/address", "/branch",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                let answer = send(agent.request(method.clone(), path)).await;
                let failure = answer.failure();
                assert!(failure.starts_with("404 no_such_path: "), "{method} {path}: {failure}");
            }
        }
    }
}
