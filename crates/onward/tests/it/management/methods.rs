//! Which methods and addresses there are (S-40, S-45).

use http::Method;

use super::place::Place;
use crate::story;
use crate::world::send;

/// Each path with the methods that it has, in the order of the `Allow` field.
#[rustfmt::skip]
const PATHS: [(&str, &str); 28] = [
    ("/listing", "GET,POST"),
    ("/listing/{listing}", "GET,PATCH,DELETE"),
    ("/listing/{listing}/milestone/sstc", "GET,PUT,DELETE"),
    ("/listing/{listing}/relationships/milestones", "GET"),
    ("/listing/{listing}/is-complete", "GET"),
    ("/listing/{listing}/lagging", "GET"),
    ("/listing/{listing}/history", "GET"),
    ("/listing/{listing}/reopen-enquiries", "POST"),
    ("/chain/{chain}/listings", "GET"),
    ("/chain/{chain}/check", "POST"),
    ("/chain/{chain}/uncheck", "POST"),
    ("/chain/add/link", "POST"),
    ("/chain/remove/link", "POST"),
    ("/listing/chain/{listing}/check/top", "POST"),
    ("/listing/chain/{listing}/check/bottom", "POST"),
    ("/listing/chain/{listing}/uncheck/top", "POST"),
    ("/listing/chain/{listing}/uncheck/bottom", "POST"),
    ("/listing/chain/{listing}/add/top/{other}", "POST"),
    ("/listing/chain/{listing}/add/bottom/{other}", "POST"),
    ("/milestone_type", "GET"),
    ("/milestone_type/1/relationships/milestones", "GET"),
    ("/milestone_group", "GET"),
    ("/milestone_group/1/branch/{branch}/listing/{listing}/workflow", "GET"),
    ("/address/filter", "POST"),
    ("/branch/filter", "POST"),
    // An unknown id takes no method away.
    ("/listing/999", "GET,PATCH,DELETE"),
    ("/listing/999/history", "GET"),
    ("/chain/999/check", "POST"),
];

story! {
    async fn another_method_is_refused_and_told_which_there_are(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        for (path, allowed) in PATHS {
            let path = place.fill(path);
            // Whoever answers GET answers HEAD (RFC 9110 section 9.1).
            let allowed = allowed.replace("GET", "GET,HEAD");
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PURGE"] {
                if allowed.split(',').any(|name| name == method) {
                    continue;
                }
                let case = format!("{method} {path}");
                let request = agent.request(method.parse().unwrap(), &path);
                let answer = send(request.json(&serde_json::json!({"price": 5}))).await;
                assert_eq!(answer.status, 405, "{case}");
                let mut shown: Vec<&str> = answer.header("allow").split(',').map(str::trim).collect();
                shown.sort_unstable();
                let mut expected: Vec<&str> = allowed.split(',').collect();
                expected.sort_unstable();
                assert_eq!(shown, expected, "{case}");
                if method == "HEAD" {
                    assert!(answer.body.is_empty(), "{case}");
                    continue;
                }
                let failure = answer.failure();
                assert!(failure.starts_with("405 method_not_allowed: "), "{case}: {failure}");
            }
        }
        // Nothing was done.
        assert_eq!(agent.history_lines(place.listing).await.len(), 1);
        assert_eq!(agent.attributes(place.listing).await["price"], 250_000);
    }
}

story! {
    async fn other_addresses_do_not_exist(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for path in [
            "",
            "/",
            "/listings",
            "/Listing",
            "/listing/",
            &format!("/listing/{listing}/"),
            &format!("/listing/{listing}/milestone"),
            &format!("/listing/{listing}/milestones"),
            &format!("/listing/{listing}/is_complete"),
            &format!("/listing/{listing}/reopen_enquiries"),
            &format!("/listing/{listing}/history/1"),
            &format!("/listing//{listing}"),
            "/listing/chain/1/check/middle",
            "/listing/chain/1/add/top",
            "/chain",
            "/chain/add",
            "/milestone_type/1",
            "/milestone_group/1",
            "/milestone-type",
            "/standard/chains",
            "/address",
            "/branch",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                let answer = send(agent.request(method.clone(), path)).await;
                let failure = answer.failure();
                assert!(failure.starts_with("404 no_such_path: "), "{method} {path}: {failure}");
            }
        }
    }
}
