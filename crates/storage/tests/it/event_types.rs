//! Event types of subscriptions beside programs before schema version 26, which know the columns only.

use chain::event::EventType;
use storage::subscriptions::{NewSubscription, list_subscriptions, store_subscription};
use storage::{Storage, Write};

use crate::database::{TestDatabase, count, read, write};
use crate::on_both_engines;
use crate::rows::subscribe;

/// The columns of the event types, in the order of `EventType::ALL`.
const COLUMNS: [&str; 3] = [
    "hears_milestones",
    "hears_fall_throughs",
    "hears_chain_changes",
];
const URL: &str = "https://older.example/";

on_both_engines! {
    fn an_older_program_and_this_one_agree(database) {
        let storage = database.open();
        let api_key = write(&storage, subscribe);
        database.run(&insert_as_older_program([true, false, true]));
        assert_eq!(types_of(&storage, api_key), types([true, false, true]));
        for before in choices() {
            for after in choices() {
                let told = format!("{before:?} {after:?}");
                database.run(&update_as_older_program(before));
                assert_eq!(types_of(&storage, api_key), types(before), "{told}");
                let wanted = types(after);
                let store = move |write: &mut Write<'_>| {
                    let new = NewSubscription {
                        reference: "unused",
                        account: api_key,
                        key: api_key,
                        participant_name: "Lender",
                        callback_url: URL,
                        events: &wanted,
                    };
                    store_subscription(write, &new, 9)
                };
                assert!(!write(&storage, store), "it is not new");
                assert_eq!(columns_of(&storage), after, "{told}");
                assert_eq!(types_of(&storage, api_key), types(after), "{told}");
            }
        }
    }

    fn an_older_program_deletes_a_subscription(database) {
        let storage = database.open();
        write(&storage, subscribe);
        database.run(&insert_as_older_program([true, true, true]));
        database.run(&format!("delete from subscription where callback_url = '{URL}'"));
        assert_eq!(count(&storage, "select count(*) from subscribed_type"), 1);
    }

    fn a_type_of_a_newer_program_is_left_alone(database) {
        let storage = database.open();
        let api_key = write(&storage, subscribe);
        database.run(&insert_as_older_program([true, true, true]));
        database.run(&format!(
            "insert into subscribed_type select id, 'newer.type' from subscription \
             where callback_url = '{URL}'"
        ));
        assert_eq!(types_of(&storage, api_key), EventType::ALL);
        database.run(&update_as_older_program([false, false, false]));
        assert_eq!(types_of(&storage, api_key), []);
        let newer = "select count(*) from subscribed_type where event_type = 'newer.type'";
        assert_eq!(count(&storage, newer), 1);
    }

    fn the_upgrade_makes_rows_of_columns(database) {
        let storage = database.open();
        let api_key = write(&storage, subscribe);
        database.run(&insert_as_older_program([false, false, false]));
        drop(storage);
        for choice in choices() {
            go_back_to_version_25(database);
            database.run(&update_as_older_program(choice));
            let storage = database.open();
            assert_eq!(types_of(&storage, api_key), types(choice));
            assert_eq!(columns_of(&storage), choice);
        }
    }
}

/// A running node of version 25 began a transaction, and reads subscriptions only after the upgrade.
#[test]
fn a_transaction_from_before_the_upgrade_reads_columns_and_changes_none() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    let storage = database.open();
    write(&storage, subscribe);
    database.run(&insert_as_older_program([true, true, true]));
    drop(storage);
    go_back_to_version_25(&database);
    let mut older = database.connect_to_postgres();
    let begin = "begin isolation level repeatable read; select count(*) from participant";
    older.batch_execute(begin).unwrap();
    drop(database.open());
    let all = format!(
        "select {} from subscription where callback_url = '{URL}'",
        COLUMNS.join(" + ")
    );
    let sum: i16 = older.query_one(&all, &[]).unwrap().get(0);
    assert_eq!(sum, 3);
    let changed = older.batch_execute(&update_as_older_program([true, false, true]));
    let code = changed.unwrap_err().code().cloned();
    assert_eq!(
        code,
        Some(postgres::error::SqlState::T_R_SERIALIZATION_FAILURE)
    );
}

/// All sets of event types. An element says whether the type at its place in `EventType::ALL` is in the set.
fn choices() -> impl Iterator<Item = [bool; 3]> {
    (0..8).map(|number| [1, 2, 4].map(|bit| number & bit != 0))
}

fn types(choice: [bool; 3]) -> Vec<EventType> {
    let all = EventType::ALL.into_iter().zip(choice);
    all.filter_map(|(one, is_chosen)| is_chosen.then_some(one))
        .collect()
}

fn insert_as_older_program(choice: [bool; 3]) -> String {
    let [first, second, third] = choice.map(i32::from);
    format!(
        "insert into subscription (reference, api_key_id, participant_name, callback_url, {}, status, \
         created_at, updated_at) select 'older', id, 'Lender', '{URL}', {first}, {second}, {third}, \
         'active', 5, 5 from api_key",
        COLUMNS.join(", ")
    )
}

fn update_as_older_program(choice: [bool; 3]) -> String {
    let values = COLUMNS.iter().zip(choice);
    let values = values.map(|(column, is_chosen)| format!("{column} = {}", i32::from(is_chosen)));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("update subscription set {values} where callback_url = '{URL}'")
}

fn types_of(storage: &Storage, api_key: i64) -> Vec<EventType> {
    let listed = read(storage, move |read| list_subscriptions(read, api_key));
    let found = listed.into_iter().find(|one| one.callback_url == URL);
    found.unwrap().events
}

fn columns_of(storage: &Storage) -> [bool; 3] {
    let sql = "select cast(hears_milestones + 2 * hears_fall_throughs + 4 * hears_chain_changes as bigint) \
         from subscription where callback_url = 'https://older.example/'";
    let number = count(storage, sql);
    [1, 2, 4].map(|bit| number & bit != 0)
}

/// Undoes the migration to version 26. Nobody may have the database open.
fn go_back_to_version_25(database: &TestDatabase) {
    database.run(if database.is_postgres() {
        "drop function subscription_to_types() cascade; drop function types_to_subscription() cascade"
    } else {
        "drop trigger subscription_to_types_at_insert; drop trigger subscription_to_types_at_update"
    });
    database.run("drop table subscribed_type; delete from schema_version where version > 25");
    for column in ["made_by", "moved_by", "enabled_by"] {
        database.run(&format!("alter table subscription drop column {column}"));
    }
    for column in ["thumbprint", "shown_by", "shown_at"] {
        database.run(&format!("alter table signing_key drop column {column}"));
    }
    database.run("drop table new_change; drop table branch_change; drop table branch_change_count");
    database.run(
        "drop table service_statement; drop table erasure; drop index api_key_client; alter table api_key drop column client_id; \
         alter table client drop column introspects; \
         alter table client drop column of_framework; alter table lane drop column held; \
         drop table framework_block; drop table framework_organisation; drop table framework_directory; \
         drop table state_log; drop table log_tile; drop table sequencer; drop table listing_secret; \
         drop table key_change",
    );
    database
        .run("drop table sealed; drop table unsealed; drop table sealer; drop table chain_holds");
    database.run("alter table chain drop column changed_at");
    for column in ["account_id", "ends_at"] {
        database.run(&format!("alter table api_key drop column {column}"));
    }
}
