//! `POST /api/v1/branch/filter`: S-52.

use http::Method;
use serde_json::json;

use crate::test_server::{Answer, Client};
use crate::{sqlite_story, story};

async fn filter(agent: &Client, name: &str) -> Answer {
    agent.post("/branch/filter", json!({"name": name})).await
}

/// The names found, in their order.
async fn names(agent: &Client, name: &str) -> Vec<String> {
    let found = filter(agent, name).await.page().1;
    let names = found
        .iter()
        .map(|branch| branch["attributes"]["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

story! {
    async fn a_branch_shows_every_attribute(server) {
        let agent = server.agent("north").await;
        let answer = filter(&agent, "branch north").await;
        assert_eq!((answer.status, answer.json()), (200, json!({
            "data": [{
                "id": agent.branch(),
                "type": "branch",
                "attributes": {
                    "branch_id": agent.branch(),
                    "name": "branch north",
                    "participant": "north Ltd",
                },
            }],
            "meta": {"pagination":
                {"total": 1, "per_page": 15, "current_page": 1, "last_page": 1}},
        })));
    }
}

story! {
    async fn a_part_of_the_name_in_any_case_finds_it(server) {
        let agent = server.agent("north").await;
        let row = |branch: &str, name: &str| {
            json!({"type": "branch", "branch": branch, "name": name}).to_string() + "\n"
        };
        server.import(&(row("a", "Hartsmere & Foxholt, Leeds") + &row("b", "Hartsmere, York")
            + &row("c", "100% Homes_Leeds") + &row("d", "Élan Ltd"))).await;
        for (text, expected) in [
            ("Hartsmere", &["Hartsmere & Foxholt, Leeds", "Hartsmere, York"][..]),
            ("hartsmere", &["Hartsmere & Foxholt, Leeds", "Hartsmere, York"]),
            ("FOXHOLT", &["Hartsmere & Foxholt, Leeds"]),
            (" York ", &["Hartsmere, York"]),
            ("Bath", &[]),
            // Signs that a database could take for its own.
            ("%", &["100% Homes_Leeds"]),
            ("0% H", &["100% Homes_Leeds"]),
            ("_", &["100% Homes_Leeds"]),
            ("s_L", &["100% Homes_Leeds"]),
            ("H%e", &[]),
            ("Hartsmer_", &[]),
            ("\\", &[]),
            ("'", &[]),
        ] {
            assert_eq!(names(&agent, text).await, expected, "{text}");
        }
        assert_eq!(filter(&agent, "Bath").await.page().0, "0 15 1 1");
    }
}

story! {
    async fn the_list_is_paged(server) {
        let agent = server.agent("north").await;
        let rows: Vec<String> = (10..27)
            .map(|number| json!({"type": "branch", "branch": format!("b{number}"),
                "name": format!("Acorn {number}")}).to_string())
            .collect();
        server.import(&rows.join("\n")).await;
        let mut found = Vec::new();
        for page in 1..=3 {
            let path = format!("/branch/filter?per_page=8&page={page}");
            let (figures, entries) = agent.post(&path, json!({"name": "acorn"})).await.page();
            assert_eq!(figures, format!("17 8 {page} 3"));
            found.extend(entries.iter().map(|branch| branch["attributes"]["name"].clone()));
        }
        let all: Vec<String> = (10..27).map(|number| format!("Acorn {number}")).collect();
        assert_eq!(found, all);
        assert_eq!(names(&agent, "acorn").await, all[..15]);
    }
}

sqlite_story! {
    async fn wrong_names_are_named(server) {
        let agent = server.agent("north").await;
        let refusals = agent.refusals(Method::POST, "/branch/filter", [
            json!({}), json!({"name": null}), json!({"name": ""}), json!({"name": "  "}),
            json!({"name": "a\u{7f}b"}), json!({"name": "x".repeat(201)}), json!({"name": 5}),
            json!({"name": {}}),
        ]).await;
        let shown = refusals.replace(&"x".repeat(201), "x…");
        assert_shown!(shown, @r#"
        422 value_invalid (name): name: is missing
          {}  {"name":null}
        422 value_invalid (name): name: must have 1 to 200 characters, none of them a control character
          {"name":""}  {"name":"  "}  {"name":"ab"}  {"name":"x…"}
        422 value_invalid (name): name: must be a string
          {"name":5}  {"name":{}}
        "#);
        assert_eq!(filter(&agent, &"é".repeat(200)).await.status, 200);
    }
}
