//! `backup` and `restore`, beside the real server.

use super::folder::Folder;
use crate::test_server::Database;

#[test]
fn a_store_is_copied_while_it_serves_and_put_back() {
    let folder = Folder::new();
    let copy = folder.path("copy.db").display().to_string();
    let register = |name: &str| {
        let added = folder.run(&["branch", "add", "--name", name, "--participant", "Firm"]);
        assert_eq!(added.status, Some(0), "{}", added.err);
    };
    let list = || folder.run(&["branch", "list"]).out;
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    register("First");
    let saved = folder.run(&["backup", &copy]);
    assert_eq!(saved.status, Some(0), "{}", saved.err);
    assert!(saved.out.contains("key-encryption.key"), "{}", saved.out);
    register("Second");
    assert!(list().contains("First") && list().contains("Second"));

    let again = folder.run(&["backup", &copy]);
    let said = "is there already, and nothing is overwritten";
    assert!(again.failure().ends_with(said));
    let held = folder.run(&["restore", &copy, "--replace"]);
    let said = held.failure();
    assert!(said.contains("is in use: stop every program"), "{said}");
    server.signal("TERM");
    assert_eq!(server.wait().status, Some(0));

    let there = folder.run(&["restore", &copy]);
    let said = there.failure();
    assert!(said.contains("with --replace it is set aside"), "{said}");
    let restored = folder.run(&["restore", &copy, "--replace"]);
    assert_eq!(restored.status, Some(0), "{}", restored.err);
    let listed = list();
    let is_back = listed.contains("First") && !listed.contains("Second");
    assert!(is_back, "{listed}");
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    server.signal("TERM");
    assert_eq!(server.wait().status, Some(0));
}

#[tokio::test]
async fn postgres_is_left_to_its_own_tools() {
    let Some(database) = Database::create().await else {
        return;
    };
    let url = database.url.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let folder = Folder::on(Some(url));
        for args in [&["backup", "copy.db"], &["restore", "copy.db"]] {
            let refused = folder.run(args);
            let said = refused.failure();
            assert!(said.contains("`pg_dump --format=custom`"), "{said}");
        }
    });
    checked.await.unwrap();
    database.remove().await;
}
