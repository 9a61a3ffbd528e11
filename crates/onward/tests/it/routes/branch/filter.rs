//! `POST /api/v1/branch/filter`: S-52.

use serde_json::{Value, json};

use crate::story;
use crate::world::{Agent, Answer};

async fn filter(agent: &Agent, name: &str) -> Answer {
    agent.post("/branch/filter", json!({"name": name})).await
}

/// The names found, in their order.
async fn names(agent: &Agent, name: &str) -> Vec<String> {
    let answer = filter(agent, name).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{name}: {body}");
    let found = body["data"].as_array().unwrap().iter();
    let shown = found.map(|branch| branch["attributes"]["name"].as_str().unwrap().to_owned());
    shown.collect()
}

story! {
    async fn a_branch_shows_every_attribute(world) {
        let agent = world.agent("north").await;
        let answer = filter(&agent, "branch north").await;
        assert_eq!((answer.status, answer.json()), (200, json!({
            "data": [{
                "id": agent.branch,
                "type": "branch",
                "attributes": {
                    "branch_id": agent.branch,
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
    async fn a_part_of_the_name_in_any_case_finds_it(world) {
        let agent = world.agent("north").await;
        let row = |branch: &str, name: &str| {
            json!({"type": "branch", "branch": branch, "name": name}).to_string() + "\n"
        };
        world.import(&(row("a", "Hartsmere & Foxholt, Leeds") + &row("b", "Hartsmere, York")
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
        let none = filter(&agent, "Bath").await.json();
        assert_eq!(none, json!({"data": [], "meta": {"pagination":
            {"total": 0, "per_page": 15, "current_page": 1, "last_page": 1}}}));
    }
}

story! {
    async fn the_list_is_paged(world) {
        let agent = world.agent("north").await;
        let rows: Vec<String> = (10..27)
            .map(|number| json!({"type": "branch", "branch": format!("b{number}"),
                "name": format!("Acorn {number}")}).to_string())
            .collect();
        world.import(&rows.join("\n")).await;
        let mut found = Vec::new();
        for page in 1..=3 {
            let path = format!("/branch/filter?per_page=8&page={page}");
            let body = agent.post(&path, json!({"name": "acorn"})).await.json();
            assert_eq!(body["meta"], json!({"pagination":
                {"total": 17, "per_page": 8, "current_page": page, "last_page": 3}}));
            for branch in body["data"].as_array().unwrap() {
                found.push(branch["attributes"]["name"].as_str().unwrap().to_owned());
            }
        }
        let all: Vec<String> = (10..27).map(|number| format!("Acorn {number}")).collect();
        assert_eq!(found, all);
        assert_eq!(names(&agent, "acorn").await, all[..15]);
        for query in ["page=0", "page=x", "per_page=0", "per_page=101"] {
            let path = format!("/branch/filter?{query}");
            let failure = agent.post(&path, json!({"name": "x"})).await.failure();
            let field = query.split('=').next().unwrap();
            let expected = format!("422 value_invalid ({field}): ");
            assert!(failure.starts_with(&expected), "{failure}");
        }
    }
}

story! {
    async fn wrong_names_are_named(world) {
        let agent = world.agent("north").await;
        let mut shown = String::new();
        let long: Value = "x".repeat(201).into();
        for body in [json!({}), json!({"name": null}), json!({"name": ""}), json!({"name": "  "}),
            json!({"name": 5}), json!({"name": {}}), json!({"name": "a\u{7f}b"}),
            json!({"name": long})]
        {
            let answer = agent.post("/branch/filter", body.clone()).await;
            let body = body.to_string();
            shown += &[&body[..body.len().min(40)], "\n  ", &answer.failure(), "\n"].concat();
        }
        assert_shown!(shown, @r#"
        {}
          422 value_invalid (name): name: is missing
        {"name":null}
          422 value_invalid (name): name: is missing
        {"name":""}
          422 value_invalid (name): name: must have 1 to 200 characters, none of them a control character
        {"name":"  "}
          422 value_invalid (name): name: must have 1 to 200 characters, none of them a control character
        {"name":5}
          422 value_invalid (name): name: must be a string
        {"name":{}}
          422 value_invalid (name): name: must be a string
        {"name":"ab"}
          422 value_invalid (name): name: must have 1 to 200 characters, none of them a control character
        {"name":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
          422 value_invalid (name): name: must have 1 to 200 characters, none of them a control character
        "#);
        assert_eq!(filter(&agent, &"é".repeat(200)).await.status, 200);
    }
}
