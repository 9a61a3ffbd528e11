//! Groups of jobs of which one statement fails: each job learns whether its changes are stored.

use std::pin::Pin;
use std::task::{Context, Waker};

use storage::{Result, Storage, StorageError, Write};

use crate::database::{Breakpoint, TestDatabase, count, wait_for};
use crate::on_both_engines;

const JOBS: i64 = 5;
/// Rows that each job inserts.
const ROWS: i64 = 2;

on_both_engines! {
    fn a_job_is_refused_if_and_only_if_its_changes_are_not_stored(database) {
        for failing in 1..=JOBS * ROWS + 1 {
            let storage = database.open();
            create_marks(database);
            plant_rollback(database, failing);
            let outcomes = run_group(&storage, |_row| {});
            drop(storage);
            check(database, failing, &outcomes);
            if !database.is_postgres() {
                let are_refused = outcomes.iter().all(Result::is_err);
                assert_eq!(are_refused, failing <= JOBS * ROWS, "{failing}");
            }
        }
    }

    fn a_connection_that_is_lost_before_the_commit_stores_nothing(database) {
        if !database.is_postgres() {
            return;
        }
        for lost_after in 1..=JOBS * ROWS {
            let storage = database.open();
            create_marks(database);
            let outcomes = run_group(&storage, |row| {
                if row == lost_after {
                    end_connections(database);
                }
            });
            drop(storage);
            check(database, lost_after, &outcomes);
            for outcome in &outcomes {
                let is_plain = matches!(outcome, Err(StorageError::Unavailable(_)));
                assert!(is_plain, "after row {lost_after}: {outcome:?}");
            }
        }
    }
}

fn create_marks(database: &TestDatabase) {
    database.run(
        "drop table if exists mark; drop table if exists fault; \
         create table mark (job bigint not null, part bigint not null); \
         create table fault (remaining bigint not null)",
    );
}

/// Lets one insert fail. On SQLite it rolls the whole transaction back, as a full disk does.
fn plant_rollback(database: &TestDatabase, failing: i64) {
    let trigger = if database.is_postgres() {
        "create or replace function fail() returns trigger language plpgsql as $$ begin \
         update fault set remaining = remaining - 1; \
         if (select remaining from fault) = 0 then raise exception 'no space' using errcode = '53100'; \
         end if; return new; end $$; \
         create trigger planted before insert on mark for each row execute function fail()"
    } else {
        "create trigger planted before insert on mark begin \
         update fault set remaining = remaining - 1; \
         select raise(rollback, 'no space') where (select remaining from fault) = 0; end"
    };
    database.run(&format!(
        "insert into fault (remaining) values ({failing}); {trigger}"
    ));
}

/// Ends the connections of the store, as an administrator might.
fn end_connections(database: &TestDatabase) {
    database.run(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity \
         where datname = current_database() and pid <> pg_backend_pid()",
    );
}

type Queued<'d> = Pin<Box<dyn Future<Output = Result<()>> + 'd>>;

/// Runs five jobs in one group. `after_row` runs after each inserted row, counted from 1.
fn run_group<'d>(storage: &Storage, after_row: impl Fn(i64) + Sync + 'd) -> Vec<Result<()>> {
    let breakpoint = Breakpoint::default();
    let hit = breakpoint.hit();
    let first = queue(storage.clone(), move |_write| {
        hit();
        Ok(())
    });
    breakpoint.wait_for_hits(1);
    let (rows, inserted) = crossbeam_channel::unbounded();
    let (go_on, may_go_on) = crossbeam_channel::unbounded();
    let jobs: Vec<_> = (0..JOBS)
        .map(|job| {
            let (rows, may_go_on) = (rows.clone(), may_go_on.clone());
            queue(storage.clone(), move |write| {
                for part in 1..=ROWS {
                    insert(write, job, part)?;
                    let _nobody_waits = rows.send(job * ROWS + part);
                    let _nobody_waits = may_go_on.recv();
                }
                Ok(())
            })
        })
        .collect();
    drop(rows);
    breakpoint.resume();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for row in inserted {
                after_row(row);
                let _job_ended = go_on.send(());
            }
        });
        wait_for(first).unwrap();
        jobs.into_iter().map(wait_for).collect()
    })
}

fn queue<'d>(
    storage: Storage,
    work: impl FnMut(&mut Write<'_>) -> Result<()> + Send + 'static,
) -> Queued<'d> {
    let mut queued: Queued<'d> = Box::pin(async move { storage.write(work).await });
    let polled = queued
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending(), "{polled:?}");
    queued
}

fn insert(write: &mut Write<'_>, job: i64, part: i64) -> Result<u64> {
    let sql = "insert into mark (job, part) values ($1, $2)";
    write.execute(sql, &[job.into(), part.into()])
}

#[track_caller]
fn check(database: &TestDatabase, fault: i64, outcomes: &[Result<()>]) {
    let storage = database.open();
    let stored = [
        "select count(*) from mark where job = 0",
        "select count(*) from mark where job = 1",
        "select count(*) from mark where job = 2",
        "select count(*) from mark where job = 3",
        "select count(*) from mark where job = 4",
    ];
    for (job, sql) in stored.into_iter().enumerate() {
        let expected = if outcomes[job].is_ok() { ROWS } else { 0 };
        let outcome = &outcomes[job];
        assert_eq!(
            count(&storage, sql),
            expected,
            "fault {fault}, job {job}: {outcome:?}"
        );
        let is_unknown = matches!(outcome, Err(StorageError::Unconfirmed(_)));
        assert!(!is_unknown, "fault {fault}, job {job}: {outcome:?}");
    }
}
