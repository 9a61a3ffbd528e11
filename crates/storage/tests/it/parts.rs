//! Parts of long changes, which run while no other change runs on any node.

use std::time::Duration;

use storage::{Result, Storage, Write};

use crate::database::{Breakpoint, TestDatabase, count, spawn, write};
use crate::on_both_engines;

/// Transactions that wait for a table.
const WAITING: &str = "select count(*) from pg_stat_activity \
     where datname = current_database() and wait_event = 'relation'";
const SECOND: &str = "select value from revision where name = 'second'";

on_both_engines! {
    fn a_write_sees_all_of_a_part_that_runs_meanwhile(database) {
        let breakpoint = Breakpoint::default();
        let hit = breakpoint.hit();
        check(database, &breakpoint, move |node| {
            let hit = hit.clone();
            node.write_part_blocking(move |write| copy(write, "second", "first", &hit)).unwrap();
        }, |node| write(node, |write| copy(write, "first", "second", || ())));
    }

    fn a_part_sees_all_of_a_write_that_runs_meanwhile(database) {
        let breakpoint = Breakpoint::default();
        let hit = breakpoint.hit();
        check(database, &breakpoint, move |node| {
            let hit = hit.clone();
            write(node, move |write| copy(write, "second", "first", &hit));
        }, |node| {
            let work = |write: &mut Write<'_>| copy(write, "first", "second", || ());
            node.write_part_blocking(work).unwrap();
        });
    }
}

/// Runs `first` on one node until its breakpoint, and meanwhile `second` on another node, which must
/// wait and see what the first one wrote.
fn check(
    database: &TestDatabase,
    breakpoint: &Breakpoint,
    first: impl FnOnce(&Storage) + Send + 'static,
    second: impl FnOnce(&Storage) + Send + 'static,
) {
    let (node, other) = (database.open(), database.open());
    database.run("insert into revision (name, value) values ('first', 0), ('second', 0)");
    let reader = node.clone();
    let first = spawn(move || first(&node));
    breakpoint.wait_for_hits(1);
    let second = spawn(move || second(&other));
    while database.is_postgres() && !second.is_finished() {
        if database.count_on_postgres(WAITING) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    breakpoint.resume();
    first.join().unwrap();
    second.join().unwrap();
    assert_eq!(
        count(&reader, SECOND),
        2,
        "the second one saw nothing of the first one"
    );
}

/// Reads one number, waits, and writes the next number to the other one. Transactions that run at the
/// same time read the same number if nothing keeps them apart.
fn copy(write: &mut Write<'_>, from: &str, to: &str, wait: impl Fn()) -> Result<()> {
    let sql = "select value from revision where name = $1";
    let value = write.query_exactly_one(sql, &[from.into()], |row| row.integer(0))?;
    wait();
    let sql = "update revision set value = $1 where name = $2";
    write.execute(sql, &[(value + 1).into(), to.into()])?;
    Ok(())
}
