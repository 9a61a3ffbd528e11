//! Stores that are damaged or of another version.

use super::folder::Folder;

#[test]
fn check_reads_the_whole_store_if_asked() {
    let folder = Folder::new();
    let rows = r#"{"type":"branch","branch":"b","name":"B"}
{"type":"property","uprn":100023336956,"line1":"14 Example Road","post_town":"Leeds","postcode":"LS6 3AB"}
{"type":"listing","branch":"b","listing":"L1","uprn":100023336956}"#;
    folder.write("rows.ndjson", rows);
    let rows = folder.path("rows.ndjson");
    assert_eq!(
        folder.run(&["import", rows.to_str().unwrap()]).status,
        Some(0)
    );
    assert_eq!(folder.run(&["check", "--deep"]).status, Some(0));
    let audited = folder.run(&["audit"]);
    assert_eq!(audited.status, Some(0), "{audited:?}");
    assert!(
        audited.out.contains("1 present versions rendered again"),
        "{audited:?}"
    );
    let storage = folder.open();
    for sql in [
        "update property set current_listing_id = null",
        "drop index api_key_client",
    ] {
        let done = storage.write_blocking(move |write| write.execute(sql, &[]));
        done.unwrap();
    }
    drop(storage);
    let checked = folder.run(&["check", "--deep"]);
    let said = checked.failure();
    assert_eq!(
        said,
        "1 properties have listings and none is current; \
         the store has no index api_key_client, which the migrations make"
    );
    assert_eq!(folder.run(&["check"]).status, Some(0));
}

#[test]
fn an_audit_reports_what_is_missing() {
    let folder = Folder::new();
    let rows = r#"{"type":"branch","branch":"b","name":"B"}
{"type":"property","uprn":100023336956,"line1":"14 Example Road","post_town":"Leeds","postcode":"LS6 3AB"}
{"type":"listing","branch":"b","listing":"L1","uprn":100023336956}"#;
    folder.write("rows.ndjson", rows);
    let rows = folder.path("rows.ndjson");
    let imported = folder.run(&["import", rows.to_str().unwrap()]);
    assert_eq!(imported.status, Some(0));
    let storage = folder.open();
    let forget = |write: &mut storage::Write<'_>| write.execute("delete from unsealed", &[]);
    storage.write_blocking(forget).unwrap();
    drop(storage);
    let audited = folder.run(&["audit", "--json", "--since", "2026-01-01"]);
    assert_eq!(audited.status, Some(1), "{audited:?}");
    let report: serde_json::Value = serde_json::from_str(&audited.out).unwrap();
    assert_eq!(report["fault_count"], 1);
    assert_eq!(report["since"], "2026-01-01T00:00:00Z");
    let fault = report["faults"][0].as_str().unwrap();
    assert!(
        fault.ends_with("its present version is neither sealed nor waits for the sealer"),
        "{fault}"
    );
    assert!(
        audited.failure().contains("An audit finds a fault"),
        "{audited:?}"
    );
}

#[test]
fn a_damaged_store_is_not_copied() {
    let folder = Folder::new();
    let mut store = std::fs::read(folder.path("onward.db")).unwrap();
    let end = store.len();
    store[end - 4096..].fill(0xff);
    folder.write("onward.db", store);
    let copy = folder.path("copy.db");
    let copied = folder.run(&["backup", copy.to_str().unwrap()]);
    let said = copied.failure();
    assert!(
        said.starts_with("no copy was made, because the store"),
        "{said}"
    );
    assert!(!copy.exists());
    let checked = folder.run(&["check", "--deep"]);
    assert_eq!(checked.status, Some(78));
    assert!(
        checked.failure().contains("malformed") || checked.failure().contains("Tree"),
        "{checked:?}"
    );
}

/// Only `onward migrate` shuts out the older programs that serve a store.
/// Undoes all migrations since schema version 17.
const SINCE_17: &[&str] = &[
    "alter table client drop column of_framework",
    "alter table lane drop column held",
    "drop table framework_block",
    "drop table framework_organisation",
    "drop table framework_directory",
    "alter table signing_key drop column thumbprint",
    "alter table signing_key drop column shown_by",
    "alter table signing_key drop column shown_at",
    "drop index api_key_client",
    "alter table api_key drop column client_id",
    "alter table client drop column introspects",
    "delete from schema_version where version in (30, 31, 32, 33, 34, 35, 36)",
    "drop table service_statement",
    "drop table erasure",
    "drop table key_change",
    "drop table listing_secret",
    "drop table sequencer",
    "drop table log_tile",
    "drop table state_log",
    "drop table chain_holds",
    "drop table sealer",
    "drop table unsealed",
    "drop table sealed",
    "alter table chain drop column changed_at",
    "delete from schema_version where version = 28",
    "drop index access_client",
    "drop table note",
    "drop table chase",
    "drop table seen",
    "drop table share",
    "drop table console_session",
    "drop table invitation",
    "drop table person_identity",
    "drop table person_branch",
    "drop table person",
    "delete from schema_version where version = 18",
    "drop index delivery_unsuccessful",
    "alter table attempt drop column answer",
    "delete from schema_version where version = 19",
    "drop table new_change",
    "drop table branch_change",
    "drop table branch_change_count",
    "delete from schema_version where version = 29",
    "alter table subscription drop column enabled_by",
    "alter table subscription drop column moved_by",
    "alter table subscription drop column made_by",
    "alter table api_key drop column ends_at",
    "alter table api_key drop column account_id",
    "delete from schema_version where version = 27",
    "drop table subscribed_type",
    "drop trigger subscription_to_types_at_insert",
    "drop trigger subscription_to_types_at_update",
    "delete from schema_version where version = 26",
    "drop index subscription_of_all",
    "drop index subscription_of_chains",
    "alter table subscription drop column hears_chain_changes",
    "alter table subscription drop column watch_reach",
    "alter table subscription drop column watched_uprns",
    "drop table watched",
    "alter table event drop column detail",
    "delete from schema_version where version = 20",
    "alter table subscription drop column watch_change",
    "delete from schema_version where version = 25",
    "drop table node_key",
    "delete from schema_version where version = 24",
    "drop index client_participant",
    "drop table used",
    "create index idempotency_bytes on idempotency (client_id, bytes)",
    "alter table idempotency drop column branches_digest",
    "delete from schema_version where version = 21",
    "delete from schema_version where version = 23",
    "drop index listing_under_offer",
    "delete from schema_version where version = 22",
];

#[test]
fn an_older_store_is_upgraded_on_purpose_only() {
    let folder = Folder::new();
    // Opened before, it does not look again.
    let storage = folder.open();
    for sql in SINCE_17 {
        let undone = storage.write_blocking(move |write| write.execute(sql, &[]));
        undone.unwrap();
    }
    let said = "onward.db has schema version 17, and this program needs ";
    for args in [
        &["check"][..],
        &["client", "list"],
        &["keys", "rotate", "--now"],
        &["import", "none.ndjson"],
    ] {
        let refused = folder.run(args);
        assert!(refused.failure().contains(said), "{args:?} {refused:?}");
    }
    let served = folder.serve(&[]).wait();
    assert_eq!(served.status, Some(78), "{served:?}");
    assert!(
        served.failure().contains("run `onward migrate`"),
        "{served:?}"
    );
    drop(storage);
    let migrated = folder.run(&["migrate", "--reason", "Version 2"]);
    let expected = "Upgraded the store from schema version 17. Start the nodes of this version.\n";
    assert_eq!(migrated.out, expected, "{migrated:?}");
    assert_eq!(
        folder.run(&["migrate"]).out,
        "The store needs no upgrade.\n"
    );
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let noted = folder.list_of(&["audit-log"]);
    assert_eq!((noted.len(), &noted[0]["reason"]), (1, &"Version 2".into()));
}

/// SQLite keeps the log open, and moves it into the file when the node stops in order.
#[test]
fn a_node_that_lost_its_log_keeps_all_changes_when_it_stops_in_order() {
    let folder = Folder::new();
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    let added = folder.run(&["branch", "add", "--name", "First", "--participant", "Firm"]);
    assert_eq!(added.status, Some(0), "{added:?}");
    std::fs::remove_file(folder.path("onward.db-wal")).unwrap();
    let said = server.wait_for_line("this node is not ready");
    assert!(said.contains("reason=\"store_files\""), "{said}");
    assert!(said.contains("onward.db-wal"), "{said}");
    server.stop("TERM");
    let listed = folder.run(&["branch", "list"]).out;
    assert!(listed.contains("First"), "{listed}");
}

/// Only a restart of all programs moves the log again.
#[test]
fn check_names_a_failed_sync_while_a_node_runs() {
    let folder = Folder::new();
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    assert_eq!(folder.run(&["check"]).status, Some(0));
    std::fs::write(
        folder.path("onward.db.lock"),
        "a sync of the store failed\n",
    )
    .unwrap();
    let checked = folder.run(&["check"]);
    let said = checked.failure();
    assert!(said.contains("a sync of its file failed"), "{said}");
    server.stop("TERM");
    assert_eq!(folder.run(&["check"]).status, Some(0));
}
