//! How processes on one file wait for each other. The file's lock has no queue: whoever asks while it is
//! free gets it.

use std::thread::sleep;
use std::time::Duration;

/// How long a process waits between two attempts at a lock. SQLite's own handler waits up to 100 ms, and
/// misses the gaps between the commits of a busy process.
const PAUSE: Duration = Duration::from_millis(1);
/// Attempts before a statement fails: at least 10 s.
const ATTEMPTS: i32 = 10_000;
/// How long a process leaves the file to others after a part of a long change. It is long enough for an
/// attempt of each.
const GAP: Duration = Duration::from_millis(3);

/// Waits for another process. `false` ends the wait.
pub(super) fn wait_for_lock(attempts: i32) -> bool {
    sleep(PAUSE);
    attempts < ATTEMPTS
}

/// Gives other processes time to begin a write.
pub(crate) fn let_others_write() {
    sleep(GAP);
}
