//! Rows that a benchmark inserts into a store by itself, because by calls they would take minutes.

use storage::{OpenOptions, Storage, StorageError, StoreUrl};

/// Rows that one statement inserts.
const PART: u64 = 100_000;

/// Unix seconds.
pub(crate) fn now() -> i64 {
    observe::clock::Clock::System.now_seconds()
}

/// Inserts rows with the numbers from 0 on, in parts. $1 is the first number, $2 the last one, and the
/// further parameters follow.
pub(crate) async fn fill(url: &StoreUrl, sql: &'static str, rows: u64, more: &[i64]) {
    for first in (0..rows).step_by(usize::try_from(PART).unwrap()) {
        let last = (first + PART).min(rows) - 1;
        let numbers = [first, last].map(|number| i64::try_from(number).unwrap());
        run(url, sql, [&numbers, more].concat()).await;
    }
}

/// Runs one statement.
pub(crate) async fn run(url: &StoreUrl, sql: &'static str, parameters: Vec<i64>) {
    let url = url.clone();
    let running = tokio::task::spawn_blocking(move || {
        let storage = Storage::open(&url, &OpenOptions::new(server::SEAL)).unwrap();
        let writing = storage.write_blocking(move |write| {
            let parameters: Vec<_> = parameters.iter().map(|value| (*value).into()).collect();
            write.execute(sql, &parameters)
        });
        let written: Result<u64, StorageError> = writing;
        written.unwrap();
    });
    running.await.unwrap();
}
