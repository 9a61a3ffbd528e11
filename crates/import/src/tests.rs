//! The time of a batch.

use std::sync::mpsc;

use observe::clock::ManualClock;
use storage::{OpenOptions, Opening, StoreUrl};

use super::*;

const ROWS: &str = r#"{"type":"branch","branch":"b1","name":"Acorn"}
{"type":"property","uprn":1001,"line1":"1 High Street","postcode":"LS1 4AP"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001}
"#;

struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _file: &str, _total_bytes: Option<u64>) {}
    fn advance(&mut self, _bytes_read: u64, _rows: u64) {}
    fn refuse(&mut self, bad: &BadRow) {
        panic!("{bad:?}");
    }
}

#[test]
fn a_batch_that_waited_has_the_time_of_its_transaction() {
    // S-60.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.ndjson");
    std::fs::write(&file, ROWS).unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("onward.db"));
    let options = OpenOptions {
        opening: Opening::Create,
        ..OpenOptions::new(|_state| Err("nothing is sealed here".to_owned()))
    };
    let storage = Storage::open(&url, &options).unwrap();
    let clock = ManualClock::at(1_000_000);

    let (has_begun, wait_for_begin) = mpsc::channel();
    let (busy, other) = (storage.clone(), clock.clone());
    let holding = std::thread::spawn(move || {
        let waiting = busy.clone();
        busy.write_blocking(move |_write| {
            has_begun.send(()).unwrap();
            while waiting.figures().waiting_writes == 0 {
                std::thread::yield_now();
            }
            other.advance(100);
            Ok::<_, StorageError>(())
        })
    });
    wait_for_begin.recv().unwrap();
    let report = import_files(&storage, &Clock::Manual(clock), &[file], &mut Silent).unwrap();
    holding.join().unwrap().unwrap();
    assert_eq!(report.changed, 3);
    let sql = "select c.changed_at, l.created_at from listing l join chain c on c.id = l.chain_id";
    let times = storage.read_blocking(move |read| {
        read.query_exactly_one(sql, &[], |row| Ok((row.integer(0)?, row.integer(1)?)))
    });
    let times: Result<_, StorageError> = times;
    assert_eq!(times.unwrap(), (1_000_100, 1_000_100));
}
