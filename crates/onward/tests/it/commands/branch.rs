//! `branch add`, `list`, `rename`, `grant`, `withdraw` and `remove`, and `client remove`.

use chain::ids::ListingId;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::Write;
use storage::history::{self, NewEntry};
use storage::listings::find_stored_listing;

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

#[test]
fn a_branch_without_listings_is_removed() {
    let folder = prepare();
    folder.run(&["branch", "grant", "2", "--client", CLIENT]);
    let removed = folder.run(&["branch", "remove", "2"]);
    assert_eq!(removed.out, "Removed branch 2\n");
    assert_eq!(folder.list("branch").len(), 1);
    assert_eq!(folder.list("client")[0]["branches"], json!([]));
    let again = folder.run(&["branch", "remove", "2"]);
    assert!(again.err.contains("there is no branch 2"), "{}", again.err);
}

#[test]
fn a_branch_with_a_listing_and_an_author_stay() {
    let folder = prepare();
    let rows = [
        json!({"type": "branch", "branch": "b", "name": "Acorn Hull"}),
        json!({"type": "property", "uprn": 7, "line1": "7 High Street", "post_town": "Hull",
            "postcode": "HU1 4AP"}),
        json!({"type": "listing", "branch": "b", "listing": "L1", "uprn": 7}),
    ];
    let file = folder.write("rows.ndjson", rows.map(|row| format!("{row}\n")).concat());
    assert_eq!(folder.run(&["import", &file]).status, Some(0));
    let refused = folder.run(&["branch", "remove", "3"]);
    assert!(
        refused.err.contains("branch 3 has or had listings"),
        "{}",
        refused.err
    );
    assert_eq!(folder.list("branch").len(), 3);

    let write = |write: &mut Write<'_>| {
        let listing = ListingId(1);
        let chain = find_stored_listing(write, listing)?.unwrap().chain;
        let entry = NewEntry {
            listing,
            chain,
            action: "listing.updated",
            actor: CLIENT,
            detail: "{}",
        };
        history::append_history(write, &entry, 0)
    };
    folder.open().write_blocking(write).unwrap();
    folder.run(&["client", "disable", CLIENT]);
    let refused = folder.run(&["client", "remove", CLIENT]);
    assert!(refused.err.contains("the history names"), "{}", refused.err);
    assert_eq!(folder.list("client").len(), 1);
}

#[test]
fn a_client_that_changed_nothing_is_removed() {
    let folder = prepare();
    folder.run(&["branch", "grant", "1", "--client", CLIENT]);
    let active = folder.run(&["client", "remove", CLIENT]);
    assert!(
        active.err.contains("disable the client first"),
        "{}",
        active.err
    );
    folder.run(&["client", "disable", CLIENT]);
    let removed = folder.run(&["client", "remove", CLIENT]);
    assert_eq!(removed.out, format!("Removed {CLIENT}\n"));
    assert_eq!(folder.list("client"), [] as [serde_json::Value; 0]);
    let again = folder.run(&["client", "remove", CLIENT]);
    assert!(again.err.contains("there is no client"), "{}", again.err);
}
