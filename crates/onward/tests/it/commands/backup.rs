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
    assert!(
        again
            .failure()
            .ends_with("is there already, and nothing is overwritten")
    );
    let held = folder.run(&["restore", &copy, "--replace"]);
    assert!(
        held.failure().contains("is in use: stop every program"),
        "{held:?}"
    );
    server.signal("TERM");
    assert_eq!(server.wait().status, Some(0));

    let there = folder.run(&["restore", &copy]);
    assert!(
        there.failure().contains("with --replace it is set aside"),
        "{there:?}"
    );
    let restored = folder.run(&["restore", &copy, "--replace"]);
    assert_eq!(restored.status, Some(0), "{}", restored.err);
    assert!(
        list().contains("First") && !list().contains("Second"),
        "{}",
        list()
    );
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
            assert!(
                refused.failure().contains("`pg_dump --format=custom`"),
                "{refused:?}"
            );
        }
    });
    checked.await.unwrap();
    database.remove().await;
}
