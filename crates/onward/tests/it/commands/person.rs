//! `person add`, `list`, `invite` and `disable`.

use serde_json::{Value, json};
use storage::people;
use web::secret::digest;

use super::folder::Folder;
use super::program::Finished;

const ADD: [&str; 7] = [
    "person",
    "add",
    "--name",
    "Kim",
    "--participant",
    "Acorn",
    "--role",
];

/// A folder with a console and branch 1.
fn prepare() -> Folder {
    let folder = Folder::new();
    let config = std::fs::read_to_string(folder.path("onward.toml")).unwrap();
    let config = config.replace(
        "console_url = \"\"",
        "console_url = \"https://console.example\"",
    );
    folder.write("onward.toml", config);
    let added = folder.run(&["branch", "add", "--participant", "Acorn", "--name", "Leeds"]);
    assert_eq!((added.status, added.err.as_str()), (Some(0), ""));
    folder
}

fn add(folder: &Folder, rest: &[&str]) -> Finished {
    folder.run(&[&ADD[..], rest].concat())
}

#[test]
fn a_person_is_added_and_invited_again() {
    let folder = prepare();
    let added = add(&folder, &["progressor", "--branch", "1", "--json"]);
    assert_eq!((added.status, added.err.as_str()), (Some(0), ""));
    let added: Value = serde_json::from_str(&added.out).unwrap();
    let secret_of = |answer: &Value| {
        let link = answer["invitation"].as_str().unwrap().to_owned();
        let secret = link.strip_prefix("https://console.example/invitation/");
        secret.unwrap().to_owned()
    };
    let first = secret_of(&added);
    let listed = folder.list("person");
    assert_eq!(listed[0]["branches"], json!([1]));
    assert_eq!(listed[0]["role"], "progressor");
    let again = folder.run(&["person", "invite", "1", "--json"]);
    let second = secret_of(&serde_json::from_str(&again.out).unwrap());
    let storage = folder.open();
    let find = |secret: &str| {
        let digest = digest(secret);
        let found = storage.read_blocking(move |read| people::find_invitation(read, &digest));
        found.unwrap()
    };
    assert!(find(&first).is_none(), "the older link still works");
    assert!(find(&second).is_some());
    let disabled = folder.run(&["person", "disable", "1", "--reason", "Left"]);
    assert_eq!(disabled.out, "Disabled person 1\n");
    assert!(!folder.list("person")[0]["disabled_at"].is_null());
    let refused = folder.run(&["person", "invite", "1"]);
    assert_eq!(
        refused.err,
        "onward: Kim is disabled; add the person again instead\n"
    );
    let twice = folder.run(&["person", "disable", "1"]);
    assert_eq!(twice.err, "onward: there is no active person 1\n");
    let noted = folder.list_of(&["audit-log"]);
    let noted = serde_json::to_string(&noted).unwrap();
    assert!(
        noted.contains("person disable") && noted.contains("Left"),
        "{noted}"
    );
    assert!(!noted.contains(&first) && !noted.contains(&second));
}

#[test]
fn the_list_names_role_branches_and_state() {
    let folder = prepare();
    let branch = ["branch", "add", "--participant", "Acorn", "--name", "York"];
    assert_eq!(folder.run(&branch).status, Some(0));
    for rest in [
        &["progressor", "--branch", "1"][..],
        &["progressor", "--branch", "1", "--branch", "2"],
        &["lender"],
    ] {
        let added = add(&folder, rest);
        assert_eq!((added.status, added.err.as_str()), (Some(0), ""));
    }
    assert_eq!(folder.run(&["person", "disable", "3"]).status, Some(0));
    let listed = folder.run(&["person", "list"]).out;
    let (active, disabled) = listed.split_once("3  ").unwrap();
    assert_eq!(
        active,
        "1  Kim, Acorn, progressor, branch 1\n2  Kim, Acorn, progressor, branches 1, 2\n"
    );
    assert!(
        disabled.starts_with("Kim, Acorn, lender, disabled 20") && disabled.ends_with("Z\n"),
        "{disabled}"
    );
}

#[test]
fn wrong_people_are_refused() {
    let folder = prepare();
    for (rest, status, reason) in [
        (&["progressor"][..], 2, "a progressor needs --branch"),
        (
            &["lender", "--branch", "1"],
            2,
            "only a progressor has branches",
        ),
        (&["progressor", "--branch", "9"], 1, "there is no branch 9"),
        (&["owner"], 2, "progressor"),
    ] {
        let refused = add(&folder, rest);
        assert_eq!(refused.status, Some(status), "{rest:?}");
        assert!(refused.err.contains(reason), "{rest:?}: {}", refused.err);
    }
    assert_eq!(folder.list("person"), [] as [Value; 0]);
    let unknown = folder.run(&["person", "invite", "7"]);
    assert!(
        unknown.err.contains("there is no person 7"),
        "{}",
        unknown.err
    );
    let silent = Folder::new();
    let refused = add(&silent, &["lender"]);
    assert!(
        refused.err.contains("`console_url` is empty"),
        "{}",
        refused.err
    );
}
