//! What readers see while others write.

use std::sync::mpsc;

use storage::{Storage, StorageError};

use crate::on_both_engines;
use crate::place::{
    beside, counted, increment, open_with_counter, read_counter, set_counter, wait_for,
};

on_both_engines! {
    fn a_read_sees_one_snapshot(place) {
        let storage = open_with_counter(place);
        let writer = storage.clone();
        let seen = storage.read_blocking(move |read| {
            let before = read_counter(read)?;
            write_beside(&writer, 5);
            Ok::<_, StorageError>((before, read_counter(read)?))
        });
        assert_eq!(seen.unwrap(), (0, 0));
        assert_eq!(counted(&storage), 5);
    }

    fn a_lookup_sees_the_newest_commit(place) {
        let storage = open_with_counter(place);
        let writer = storage.clone();
        let looked = storage.lookup(move |read| {
            let before = read_counter(read)?;
            write_beside(&writer, 5);
            Ok::<_, StorageError>((before, read_counter(read)?))
        });
        assert_eq!(wait_for(looked).unwrap(), (0, 5));
    }

    fn a_write_reads_what_it_wrote_and_others_do_not(place) {
        let storage = open_with_counter(place);
        let reader = storage.clone();
        let seen = storage.write_blocking(move |write| {
            set_counter(write, 9)?;
            let other = reader.clone();
            let others = beside(move || counted(&other)).join().unwrap();
            Ok::<_, StorageError>((read_counter(write)?, others))
        });
        assert_eq!(seen.unwrap(), (9, 0));
        assert_eq!(counted(&storage), 9);
    }

    fn an_answered_write_is_seen_by_every_later_read(place) {
        let nodes = [open_with_counter(place), place.open()];
        for round in 1..=50 {
            nodes[0].write_blocking(increment).unwrap();
            assert_eq!(counted(&nodes[1]), round);
            assert_eq!(wait_for(nodes[1].lookup(read_counter)).unwrap(), round);
        }
    }

    fn readers_run_beside_each_other_and_beside_a_writer(place) {
        let storage = open_with_counter(place);
        let (enter, entered) = mpsc::channel();
        let (leave, may_leave) = mpsc::channel::<()>();
        let slow = storage.clone();
        let slow = beside(move || {
            slow.read_blocking(move |read| {
                let before = read_counter(read)?;
                enter.send(()).unwrap();
                may_leave.recv().unwrap();
                Ok::<_, StorageError>((before, read_counter(read)?))
            })
        });
        entered.recv().unwrap();
        assert_eq!(storage.write_blocking(increment).unwrap(), 1);
        assert_eq!(counted(&storage), 1);
        leave.send(()).unwrap();
        assert_eq!(slow.join().unwrap().unwrap(), (0, 0));
    }
}

/// Commits a number on another thread, and waits for it.
fn write_beside(storage: &Storage, value: i64) {
    let storage = storage.clone();
    let written = beside(move || storage.write_blocking(move |write| set_counter(write, value)));
    assert_eq!(written.join().unwrap().unwrap(), 1);
}
