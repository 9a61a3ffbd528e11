//! Old rows go in parts, the oldest first.

use storage::retention::OldRows;

use crate::database::{count, read, write};
use crate::on_both_engines;
use crate::rows::{THEN, open_with_listings, subscribe};

on_both_engines! {
    fn each_kind_of_row_goes_in_parts_when_it_is_old(database) {
        let (storage, _branch, _listings) = open_with_listings(database, 1);
        write(&storage, subscribe);
        for (rows, table, insert) in kinds() {
            database.run("delete from attempt; delete from delivery; delete from event; delete from access");
            for age in 0..5 {
                database.run(&insert.replace("TIME", &(THEN - age).to_string()));
            }
            // Two rows are not old enough.
            let before = THEN - 1;
            let oldest = read(&storage, move |read| rows.find_oldest(read, before));
            assert_eq!(oldest, Some(THEN - 4), "{rows:?}");
            let delete = || write(&storage, move |write| rows.delete(write, before, 2));
            assert_eq!([delete(), delete(), delete()], [2, 1, 0], "{rows:?}");
            let oldest = read(&storage, move |read| rows.find_oldest(read, before));
            assert_eq!(oldest, None, "{rows:?}");
            assert_eq!(count(&storage, table), 2, "{rows:?}");
        }
    }
}

on_both_engines! {
    // A version that a part leaves out still goes after the part deleted its successor.
    fn versions_of_one_second_go_in_any_order(database) {
        let storage = database.open();
        for version in [4, 3, 2, 1] {
            let values = format!("('chain', {version}, {}, 1, '', '')", THEN - 10);
            let columns = "chain_id, version, recorded_at, form, digest, document";
            database.run(&format!("insert into sealed ({columns}) values {values}"));
        }
        let delete = || write(&storage, |write| OldRows::Sealed.delete(write, THEN, 1));
        assert_eq!([delete(), delete(), delete(), delete()], [1, 1, 1, 0]);
        assert_eq!(count(&storage, "select count(*) from sealed where version = 4"), 1);
    }
}

/// Each kind with a count of its rows, and an insert of one row of that time.
fn kinds() -> Vec<(OldRows, &'static str, &'static str)> {
    vec![
        (
            OldRows::Assertions,
            "select count(*) from used_assertion",
            "insert into used_assertion (client_id, jti_digest, expires_at) \
             values ('client', 'jti TIME', TIME)",
        ),
        (
            OldRows::RevokedTokens,
            "select count(*) from revoked_token",
            "insert into revoked_token (token_id, expires_at, revision) values ('jti TIME', TIME, 0)",
        ),
        (
            OldRows::KeptAnswers,
            "select count(*) from idempotency",
            "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
             expires_at) values ('client', '/', 'TIME', '', 200, '{}', TIME)",
        ),
        (
            OldRows::Totals,
            "select count(*) from used",
            "insert into used (holder, kind, slot, amount) values ('client', 3, TIME, 1)",
        ),
        (
            OldRows::Deliveries,
            "select count(*) from delivery",
            "insert into event (event_id, event_type, property_id, uprn, date, recorded_at) \
             values ('evt_TIME', 'fallthrough', 1, 1, '2026-01-01', TIME); \
             insert into delivery (subscription_id, event_row, property_id, state, attempts, \
             not_before, created_at, ended_at) select 1, max(id), 1, 'delivered', 1, 0, 0, \
             TIME * cast(1000 as bigint) from event; \
             insert into attempt (delivery_id, number, begun_at, duration) \
             select max(id), 1, 1, 1 from delivery",
        ),
        (
            OldRows::Events,
            "select count(*) from event",
            "delete from attempt; delete from delivery; \
             insert into event (event_id, event_type, property_id, uprn, date, recorded_at) \
             values ('evt_TIME', 'fallthrough', 1, 1, '2026-01-01', TIME)",
        ),
        (
            OldRows::Accesses,
            "select count(*) from access",
            "insert into access (property_id, accessed_at, client_id) \
             values (1, TIME, 'client')",
        ),
        (
            OldRows::PeopleAccesses,
            "select count(*) from access",
            "insert into access (property_id, accessed_at, client_id) \
             values (1, TIME, 'person:1')",
        ),
    ]
}
