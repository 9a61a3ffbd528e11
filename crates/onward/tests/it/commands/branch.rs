//! `branch add`, `list`, `rename`, `grant` and `withdraw`.

use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;

use super::folder::Folder;

const CLIENT: &str = "https://rp.example/crm";

/// A folder with two branches, 1 and 2, and a client without any.
fn prepare() -> Folder {
    let folder = Folder::new();
    let add = "branch add --participant Acorn --json --name";
    for name in ["Acorn Leeds", "Acorn York"] {
        let mut args: Vec<_> = add.split(' ').collect();
        args.push(name);
        let added = folder.run(&args);
        assert_eq!((added.status, added.err.as_str()), (Some(0), ""));
    }
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let jwks = json!({"keys": [key.public_key().to_jwk()]}).to_string();
    let file = folder.write("jwks.json", &jwks);
    let register = "client register --name CRM --participant Acorn --scope listing --any-certificate --client-id";
    let mut args: Vec<_> = register.split(' ').collect();
    args.extend([CLIENT, "--jwks", &file]);
    assert_eq!(folder.run(&args).status, Some(0));
    folder
}

#[test]
fn branches_are_added_renamed_and_listed() {
    let folder = prepare();
    let renamed = folder.run(&["branch", "rename", "2", "--name", "Zebra"]);
    assert_eq!(renamed.out, "Branch 2 is now called Zebra\n");
    let mut listed = folder.list("branch");
    for branch in &mut listed {
        assert_eq!(branch["reference"].take().as_str().unwrap().len(), 36);
    }
    let branch = |id: i64, name: &str| {
        json!({"branch_id": id, "reference": null, "name": name,
            "participant": "Acorn"})
    };
    assert_eq!(listed, [branch(1, "Acorn Leeds"), branch(2, "Zebra")]);
}

#[test]
fn a_client_acts_for_the_branches_that_it_was_granted() {
    let folder = prepare();
    let branches = |folder: &Folder| folder.list("client")[0]["branches"].clone();
    let assign = |verb: &str, id: &str| folder.run(&["branch", verb, id, "--client", CLIENT]);
    let granted = assign("grant", "2");
    assert_eq!(granted.out, format!("{CLIENT} acts for branch 2\n"));
    assign("grant", "2");
    assign("grant", "1");
    assert_eq!(branches(&folder), json!([1, 2]));
    let withdrawn = assign("withdraw", "2");
    let said = format!("{CLIENT} no longer acts for branch 2\n");
    assert_eq!(withdrawn.out, said);
    assert_eq!(branches(&folder), json!([1]));
}

#[test]
fn what_does_not_exist_is_named() {
    let folder = prepare();
    let nobody = "https://nobody.example";
    let no_client = "there is no client https://nobody.example";
    let no_name = "it must have 1 to 200 characters";
    let cases: [(&[&str], &str); 4] = [
        (&["rename", "9", "--name", "X"], "there is no branch 9"),
        (&["grant", "9", "--client", CLIENT], "there is no branch 9"),
        (&["grant", "1", "--client", nobody], no_client),
        (&["add", "--name", " ", "--participant", "P"], no_name),
    ];
    for (args, reason) in cases {
        let refused = folder.run(&[&["branch"], args].concat());
        assert_ne!(refused.status, Some(0), "{args:?}");
        assert!(refused.err.contains(reason), "{args:?}: {}", refused.err);
    }
}

#[test]
fn a_reference_is_taken_once() {
    let folder = prepare();
    let add = "branch add --name Third --participant Acorn --reference third";
    let args: Vec<_> = add.split(' ').collect();
    assert_eq!(folder.run(&args).out, "Added branch 3 (reference third)\n");
    let again = folder.run(&args);
    let seen = (again.status, again.err.as_str());
    assert_eq!(seen, (Some(1), "onward: the reference third is taken\n"));
}
