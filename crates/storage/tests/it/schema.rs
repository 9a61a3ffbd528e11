//! Comparing the schema of a store with the one that the migrations make.

use storage::{OpenOptions, Opening, Storage};

use crate::database::TestDatabase;
use crate::on_both_engines;

fn differences(storage: &Storage) -> Option<Vec<String>> {
    storage.list_schema_differences().unwrap()
}

on_both_engines! {
    fn each_difference_is_named(database) {
        let storage = database.open();
        assert_eq!(differences(&storage), Some(Vec::new()));
        // A second comparison finds nothing of the first one.
        assert_eq!(differences(&storage), Some(Vec::new()));
        database.run("drop index api_key_client; \
            alter table note add column colour text; \
            create table of_others (id integer)");
        let mut expected = vec![
            "the store has no index api_key_client, which the migrations make".to_owned(),
        ];
        if database.is_postgres() {
            database.run("create or replace function operator_change_refuse_change() returns trigger \
                language plpgsql as $$ begin return new; end $$; \
                alter table operator_change disable trigger operator_change_kept");
            expected.insert(0, "the function operator_change_refuse_change differs from the one that the migrations make".to_owned());
            expected.extend([
                "the trigger operator_change.operator_change_kept differs from the one that the migrations make".to_owned(),
                "the store has a column note.colour, which no migration makes".to_owned(),
            ]);
        } else {
            database.run("drop trigger operator_change_update; create trigger operator_change_update \
                before update on operator_change begin select 1; end");
            expected.extend([
                "the table note differs from the one that the migrations make".to_owned(),
                "the trigger operator_change_update differs from the one that the migrations make".to_owned(),
            ]);
        }
        assert_eq!(differences(&storage), Some(expected));
    }

    fn the_newer_schema_of_a_later_program_does_not_differ(database) {
        let storage = database.open();
        database.run("drop index api_key_client; \
            insert into schema_version (version, applied_at, oldest_program) values (1000, 0, 1)");
        assert_eq!(differences(&storage), Some(Vec::new()));
    }
}

#[test]
fn a_role_without_the_right_to_make_a_schema_compares_nothing() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    drop(database.open());
    let name = format!("role_{}", uuid::Uuid::new_v4().simple());
    database.run(&format!(
        "create role {name} login; \
         grant select, insert, update, delete on all tables in schema public to {name}"
    ));
    let options = OpenOptions {
        opening: Opening::Unchanged,
        ..OpenOptions::new(crate::database::seal)
    };
    let storage = Storage::open(&database.url_as(&name), &options).unwrap();
    assert_eq!(differences(&storage), None);
    drop(storage);
    database.run(&format!("drop owned by {name}; drop role {name}"));
}
