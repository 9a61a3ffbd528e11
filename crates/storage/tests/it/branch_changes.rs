//! Lines of history for branches: their numbers, and their end (S-93).

use std::sync::mpsc;

use chain::ids::{BranchId, ListingId};
use storage::history::{self, NewEntry};
use storage::{Result, Storage, Write, branch_changes};

use crate::database::{read, spawn, write};
use crate::on_both_engines;
use crate::rows::{CLIENT, NOW, THEN, chain_of, insert_branch, insert_listing, open_with_listings};

/// A line that only the branch of the listing reads.
const OWN: &str = "listing.updated";

on_both_engines! {
    fn a_line_that_is_stored_late_comes_late(database) {
        let (storage, branch, ids) = open_with_listings(database, 2);
        let (first, second) = (ids[0], ids[1]);
        let (started, wait_for_start) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        if !database.is_postgres() {
            // One thread writes, so nothing is stored late.
            end.send(()).unwrap();
        }
        let slow = {
            let storage = storage.clone();
            spawn(move || storage.write_under_row_locks_blocking(move |write| {
                append(write, first, OWN, NOW)?;
                started.send(()).unwrap();
                may_end.recv().unwrap();
                Ok::<_, storage::StorageError>(())
            }))
        };
        wait_for_start.recv().unwrap();
        write(&storage, move |write| append(write, second, OWN, NOW));
        let early = new_lines(&storage, branch, 0);
        let _already_sent = end.send(());
        slow.join().unwrap().unwrap();
        let late = new_lines(&storage, branch, i64::try_from(early.len()).unwrap());
        if database.is_postgres() {
            assert_eq!((early, late), (vec![(1, second)], vec![(2, first)]), "the higher id comes first");
        } else {
            assert_eq!((early, late), (vec![(1, first), (2, second)], vec![]));
        }
    }

    fn two_readers_of_a_branch_see_the_same_numbers(database) {
        let (storage, branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let readers: Vec<_> = (0..4).map(|_reader| {
            let storage = storage.clone();
            spawn(move || {
                let mut seen = Vec::new();
                while seen.len() < 40 {
                    seen.extend(new_lines(&storage, branch, i64::try_from(seen.len()).unwrap()));
                }
                seen
            })
        }).collect();
        for _line in 0..40 {
            write(&storage, move |write| append(write, listing, OWN, NOW));
        }
        let expected: Vec<_> = (1..=40).map(|number| (number, listing)).collect();
        for reader in readers {
            assert_eq!(reader.join().unwrap(), expected);
        }
    }

    fn old_lines_end_and_numbers_go_on(database) {
        let (storage, branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let (other, theirs) = write(&storage, |write| {
            let other = insert_branch(write, "South")?;
            Ok((other, insert_listing(write, other, 70)?))
        });
        write(&storage, move |write| {
            for (at, of) in [(THEN, listing), (THEN, theirs), (NOW, listing), (NOW, theirs)] {
                append(write, of, OWN, at)?;
            }
            Ok(())
        });
        assert_eq!(new_lines(&storage, branch, 0).len(), 2);
        let before = read(&storage, |read| history::find_first_since(read, NOW));
        let delete = || write(&storage, move |write| branch_changes::delete_old(write, before, 9));
        assert_eq!([delete(), delete()], [2, 0]);
        assert_eq!(new_lines(&storage, branch, 0), [(2, listing)]);
        assert_eq!(new_lines(&storage, other, 0), [(1, theirs)]);
        let delete = || write(&storage, move |write| branch_changes::delete_old(write, i64::MAX, 9));
        assert_eq!([delete(), delete()], [2, 0]);
        write(&storage, move |write| append(write, listing, OWN, NOW));
        assert_eq!(new_lines(&storage, branch, 0), [(3, listing)]);
    }

    fn halving_finds_the_first_line_of_a_time(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        let listing = ids[0];
        let find = |at| read(&storage, move |read| history::find_first_since(read, at));
        assert_eq!(find(0), 0, "of no lines");
        let mut random = fastrand::Rng::with_seed(93);
        let mut lines: Vec<(i64, i64)> = Vec::new();
        for _step in 0..60 {
            let at = lines.last().map_or(1, |last| last.1) + random.i64(0..3);
            let gap = random.i64(0..2) * random.i64(0..1_000);
            let id = write(&storage, move |write| {
                append(write, listing, OWN, at)?;
                let id = "select max(id) from history";
                let id = write.query_exactly_one(id, &[], |row| row.integer(0))?;
                write.execute("update history set id = id + $1 where id = $2", &[gap.into(), id.into()])?;
                Ok(id + gap)
            });
            lines.push((id, at));
            if gap > 0 {
                write(&storage, |write| {
                    write.raise_counters()?;
                    Ok(())
                });
            }
        }
        for at in 0..=lines.last().unwrap().1 + 1 {
            let found = find(at);
            for (id, recorded_at) in &lines {
                assert_eq!(*id < found, *recorded_at < at, "{id} of {recorded_at}, {found} for {at}");
            }
        }
    }
}

fn append(write: &mut Write<'_>, listing: ListingId, action: &str, at: i64) -> Result<()> {
    let entry = NewEntry {
        listing,
        chain: chain_of(write, listing)?,
        action,
        actor: CLIENT,
        detail: "{}",
    };
    history::append_history(write, &entry, at)
}

/// Numbers the new lines of a branch as a reader does; the numbers and listings of those after `after`.
fn new_lines(storage: &Storage, branch: BranchId, after: i64) -> Vec<(i64, ListingId)> {
    if read(storage, move |read| {
        branch_changes::has_new_lines(read, branch)
    }) {
        let numbered = storage.write_under_row_locks_blocking(move |write| {
            branch_changes::number_new_lines(write, branch, 100)
        });
        numbered.unwrap();
    }
    let found = read(storage, move |read| {
        branch_changes::list_changes(read, branch, after, 0, 100)
    });
    found
        .into_iter()
        .map(|line| (line.number, line.entry.listing))
        .collect()
}
