//! Tests of both engines: transactions, opening, upgrades, and the statements of each module.
#![cfg(test)]

mod address_search;
mod branch_changes;
mod branches;
mod changes;
mod checkpoints;
mod commits;
mod copies;
mod database;
mod deliveries;
mod event_types;
mod failing_syncs;
mod history;
mod idempotency;
mod listings;
mod logs;
mod milestones;
mod opening;
mod overlap;
mod parts;
mod probe;
mod properties;
mod retention;
mod rows;
mod schema;
mod sealing;
mod transactions;
mod upgrade;
mod waiting;

/// Runs each test on a new SQLite file and on a new PostgreSQL database.
macro_rules! on_both_engines {
    ($(fn $name:ident($database:ident) $body:block)+) => {$(
        mod $name {
            use super::*;

            fn test($database: &crate::database::TestDatabase) $body

            #[test]
            fn on_sqlite() {
                test(&crate::database::TestDatabase::on_sqlite());
            }

            #[test]
            fn on_postgres() {
                if let Some(database) = crate::database::TestDatabase::on_postgres() {
                    test(&database);
                }
            }
        }
    )+};
}
pub(crate) use on_both_engines;
