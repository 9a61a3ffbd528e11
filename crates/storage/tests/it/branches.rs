//! Listing branches, and giving them to clients.

use chain::ids::BranchId;
use storage::branch::{self, Branch, BranchWithParticipant};
use storage::{Storage, StorageError, Write, clients, registry};

use crate::on_both_engines;
use crate::rows::{CLIENT, THEN, insert_branch, insert_client, participant};

on_both_engines! {
    fn branches_are_listed_by_name_whatever_the_engine(place) {
        let storage = open_with_branches(place, &["zeta", "Beta", "Éire", "alpha", "Ändern", "beta"]);
        let all = storage.read_blocking(branch::list_branches).unwrap();
        let order = ["alpha", "Beta", "beta", "zeta", "Ändern", "Éire"];
        assert_eq!(names(&all), order);
        let found = find(&storage, "", (10, 0));
        assert_eq!(found, (6, all.clone()));
        assert_eq!(find(&storage, "", (2, 3)), (6, all[3..5].to_vec()));
        assert_eq!(all[0].participant, "Agents Ltd");
        assert_eq!(all[0].reference, "alpha");
    }

    fn a_name_is_found_by_any_part_in_capitals_or_not(place) {
        let storage = open_with_branches(place, &["Leeds North", "Tŷ Mawr", "North Leeds"]);
        let check = |text: &'static str, expected: &[&str]| {
            let (total, found) = find(&storage, text, (10, 0));
            assert_eq!(names(&found), expected, "{text}");
            assert_eq!(total, i64::try_from(expected.len()).unwrap(), "{text}");
        };
        check("north", &["Leeds North", "North Leeds"]);
        check("S NO", &["Leeds North"]);
        check("TŶ", &["Tŷ Mawr"]);
        check("leedsnorth", &[]);
    }

    fn marks_in_a_text_mean_themselves(place) {
        let names_with_marks = ["100% Homes", "100 Homes", "A_B", "AxB", r"C:\D", "E!F", "O'Hara"];
        let storage = open_with_branches(place, &names_with_marks);
        let check = |text: &'static str, expected: &[&str]| {
            assert_eq!(names(&find(&storage, text, (10, 0)).1), expected, "{text}");
        };
        check("0%", &["100% Homes"]);
        check("%", &["100% Homes"]);
        check("_", &["A_B"]);
        check("\\", &[r"C:\D"]);
        check("!", &["E!F"]);
        check("'", &["O'Hara"]);
    }

    fn a_renamed_branch_is_found_by_its_new_name_alone(place) {
        let storage = open_with_branches(place, &["Old Name"]);
        storage
            .write_blocking(|write| {
                let participant_id = participant(write, "Other Ltd")?;
                let found = branch::find_branch_by_reference(write, "Old Name")?.unwrap();
                let name = "NEW".to_owned();
                branch::update_branch(write, &Branch { name, participant_id, ..found })
            })
            .unwrap();
        assert_eq!(find(&storage, "old", (10, 0)), (0, vec![]));
        let (total, found) = find(&storage, "new", (10, 0));
        assert_eq!((total, found[0].participant.as_str()), (1, "Other Ltd"));
    }

    fn a_client_gets_exactly_the_branches_it_is_given(place) {
        let storage = open_with_branches(place, &["a", "b", "c"]);
        let all = storage.read_blocking(branch::list_branches).unwrap();
        let [a, b, c] = [all[0].id, all[1].id, all[2].id];
        storage.write_blocking(move |write| insert_client(write, &[a, b])).unwrap();
        let revision = storage.read_blocking(registry::find_revision).unwrap();
        let mut given = 0;
        for branches in [vec![b, c, b], vec![], vec![a]] {
            assert!(set(&storage, CLIENT, branches.clone()).unwrap());
            given += 1;
            let client = storage.read_blocking(|read| clients::find_client(read, CLIENT));
            let mut expected = branches;
            expected.sort();
            expected.dedup();
            assert_eq!(client.unwrap().unwrap().branches, expected);
            let now = storage.read_blocking(registry::find_revision).unwrap();
            assert_eq!(now, revision + given);
        }
        assert!(!set(&storage, "https://client.example/none", vec![a]).unwrap());
        let unknown = set(&storage, CLIENT, vec![b, BranchId(99)]);
        assert!(unknown.is_err(), "{unknown:?}");
        let client = storage.read_blocking(|read| clients::find_client(read, CLIENT));
        assert_eq!(client.unwrap().unwrap().branches, [a]);
    }
}

fn open_with_branches(place: &crate::place::Place, names: &[&str]) -> Storage {
    let storage = place.open();
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    storage
        .write_blocking(move |write: &mut Write<'_>| {
            for name in &names {
                insert_branch(write, name)?;
            }
            Ok::<_, StorageError>(())
        })
        .unwrap();
    storage
}

fn find(
    storage: &Storage,
    text: &'static str,
    (limit, offset): (i64, i64),
) -> (i64, Vec<BranchWithParticipant>) {
    let found =
        storage.read_blocking(move |read| branch::list_branches_by_name(read, text, limit, offset));
    found.unwrap()
}

fn names(branches: &[BranchWithParticipant]) -> Vec<&str> {
    branches.iter().map(|branch| branch.name.as_str()).collect()
}

fn set(storage: &Storage, client: &'static str, branches: Vec<BranchId>) -> storage::Result<bool> {
    storage.write_blocking(move |write| {
        clients::set_client_branches(write, client, &branches, THEN + 1)
    })
}
