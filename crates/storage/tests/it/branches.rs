//! Listing branches, and giving them to clients.

use chain::ids::BranchId;
use storage::branch::{self, Branch, BranchWithParticipant};
use storage::{Storage, clients, registry};

use crate::database::{TestDatabase, read, write};
use crate::on_both_engines;
use crate::rows::{CLIENT, NOW, THEN, insert_branch, insert_client, participant};

on_both_engines! {
    fn both_engines_list_branches_in_the_same_order(database) {
        let names = &["zeta", "Beta", "Éire", "alpha", "Ändern", "beta"];
        let (storage, all) = open_with_branches(database, names);
        let order = ["alpha", "Beta", "beta", "zeta", "Ändern", "Éire"];
        assert!(all.iter().map(|branch| &branch.name).eq(&order));
        assert_eq!(find(&storage, "", 10, 0), (6, all.clone()));
        assert_eq!(find(&storage, "", 2, 3), (6, all[3..5].to_vec()));
        assert_eq!((all[0].participant.as_str(), all[0].reference.as_str()), ("Agents Ltd", "alpha"));
    }

    fn a_branch_is_found_by_any_part_of_its_name(database) {
        let (storage, _all) = open_with_branches(database, &[
            "Leeds North", "Tŷ Mawr", "North Leeds",
            "100% Homes", "100 Homes", "A_B", "AxB", r"C:\D", "E!F", "O'Hara",
        ]);
        for (text, expected) in [
            ("north", &["Leeds North", "North Leeds"][..]),
            ("S NO", &["Leeds North"]),
            ("TŶ", &["Tŷ Mawr"]),
            ("leedsnorth", &[]),
            ("0%", &["100% Homes"]),
            ("%", &["100% Homes"]),
            ("_", &["A_B"]),
            ("\\", &[r"C:\D"]),
            ("!", &["E!F"]),
            ("'", &["O'Hara"]),
        ] {
            let (total, found) = find(&storage, text, 10, 0);
            assert!(found.iter().map(|branch| &branch.name).eq(expected), "{text}: {found:?}");
            assert_eq!(total, i64::try_from(expected.len()).unwrap(), "{text}");
        }
    }

    fn a_renamed_branch_is_found_by_its_new_name_only(database) {
        let (storage, _all) = open_with_branches(database, &["Old Name"]);
        write(&storage, |write| {
            let participant_id = participant(write, "Other Ltd")?;
            let found = branch::find_branch_by_reference(write, "Old Name")?.unwrap();
            let name = "NEW".to_owned();
            branch::update_branch(write, &Branch { name, participant_id, ..found }, NOW)
        });
        assert_eq!(find(&storage, "old", 10, 0), (0, vec![]));
        let (total, found) = find(&storage, "new", 10, 0);
        assert_eq!((total, found[0].participant.as_str()), (1, "Other Ltd"));
    }

    fn a_client_gets_exactly_the_given_branches(database) {
        let (storage, all) = open_with_branches(database, &["a", "b", "c"]);
        let [a, b, c] = [all[0].id, all[1].id, all[2].id];
        write(&storage, move |write| insert_client(write, &[a, b]));
        let revision = read(&storage, registry::find_revision);
        let branches = || read(&storage, |read| clients::find_client(read, CLIENT)).unwrap().branches;
        let set = |client: &'static str, given: Vec<BranchId>| storage.write_blocking(move |write| {
            clients::set_client_branches(write, client, &given, THEN + 1)
        });
        for (changes, given, expected) in [
            (1, vec![b, c, b], vec![b, c]),
            (2, vec![], vec![]),
            (3, vec![a], vec![a]),
        ] {
            assert!(set(CLIENT, given).unwrap());
            assert_eq!(branches(), expected);
            assert_eq!(read(&storage, registry::find_revision), revision + changes);
        }
        assert!(!set("https://client.example/none", vec![a]).unwrap());
        let unknown = set(CLIENT, vec![b, BranchId(99)]);
        assert!(unknown.is_err(), "{unknown:?}");
        assert_eq!(branches(), [a]);
    }
}

fn open_with_branches(
    database: &TestDatabase,
    names: &[&str],
) -> (Storage, Vec<BranchWithParticipant>) {
    let storage = database.open();
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    let all = write(&storage, move |write| {
        for name in &names {
            insert_branch(write, name)?;
        }
        branch::list_branches(write)
    });
    (storage, all)
}

fn find(
    storage: &Storage,
    text: &'static str,
    limit: i64,
    offset: i64,
) -> (i64, Vec<BranchWithParticipant>) {
    read(storage, move |read| {
        branch::list_branches_by_name(read, text, limit, offset)
    })
}
