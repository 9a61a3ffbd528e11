//! `onward client register --resource-server`.

use serde_json::json;

use super::{FIRST, REGISTER, find_first, jwks};
use crate::commands::folder::Folder;

#[test]
fn a_resource_server_is_registered_for_scopes() {
    let folder = Folder::new();
    let keys = folder.write("jwks.json", jwks());
    let register = [
        REGISTER,
        &["--any-certificate", "--resource-server", "--jwks", &keys],
        &["--client-id", FIRST],
    ]
    .concat();
    assert_eq!(folder.run(&register).status, Some(2), "no scope");
    let scope = ["--scope", "transaction-status"];
    let of_branch = [&register[..], &scope, &["--branch", "1"]].concat();
    assert_eq!(folder.run(&of_branch).status, Some(2), "no branch");
    let made = folder.run(&[&register[..], &scope].concat());
    assert_eq!(made.status, Some(0), "{}", made.err);
    let shown = find_first(&folder);
    let scopes = (&shown["scopes"], &shown["introspects"]);
    assert_eq!(scopes, (&json!([]), &json!(["transaction-status"])));
    let change = |verb, scope| folder.run(&["client", verb, FIRST, "--scope", scope]);
    let emptied = change("withdraw", "transaction-status");
    assert_eq!(emptied.status, Some(1));
    assert!(
        emptied.err.contains("disable the client instead"),
        "{}",
        emptied.err
    );
    assert_eq!(change("grant", "listing").status, Some(0));
    let human = folder.run(&["client", "list"]).out;
    assert!(
        human.contains(", introspects [listing transaction-status], "),
        "{human}"
    );
    assert_eq!(find_first(&folder)["scopes"], json!([]));
}
